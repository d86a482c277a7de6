package dev.sparkwindowing.bench

import org.apache.flink.streaming.api.windowing.assigners.{EventTimeSessionWindows, TumblingEventTimeWindows}
import org.openjdk.jmh.annotations._

import java.time.Duration
import java.util.concurrent.TimeUnit

/** Elements a second through Flink's operator, the same work as in [[EngineBench]]. */
@State(Scope.Thread)
@BenchmarkMode(Array(Mode.Throughput))
@OutputTimeUnit(TimeUnit.SECONDS)
class FlinkBench {
  private var tumbling: FlinkHost = _
  private var sessions: FlinkHost = _

  @Setup def up(): Unit = {
    tumbling = new FlinkHost(Stream.steady(), TumblingEventTimeWindows.of(Duration.ofSeconds(10)))
    sessions = new FlinkHost(Stream.bursts(), EventTimeSessionWindows.withGap(Duration.ofSeconds(5)))
  }

  @TearDown def down(): Unit = {
    tumbling.close()
    sessions.close()
  }

  @Benchmark @OperationsPerInvocation(Stream.EveryElement)
  def tumblingSum(): Int = tumbling.run()

  @Benchmark @OperationsPerInvocation(Stream.TwoThirds)
  def sessionSum(): Int = sessions.run()
}
