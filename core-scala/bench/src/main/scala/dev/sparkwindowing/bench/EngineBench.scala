package dev.sparkwindowing.bench

import dev.sparkwindowing.assigners.{EventTimeSessionWindows, TumblingEventTimeWindows}
import org.openjdk.jmh.annotations._

import java.time.Duration
import java.util.concurrent.TimeUnit

/** Elements a second through this project's operator; the state of a key is read and written once a batch. */
@State(Scope.Thread)
@BenchmarkMode(Array(Mode.Throughput))
@OutputTimeUnit(TimeUnit.SECONDS)
class EngineBench {
  @Param(Array("1", "10", "100")) var rowsPerKeyAndBatch: Int = _

  private var tumbling: EngineHost = _
  private var sessions: EngineHost = _

  @Setup def up(): Unit = {
    tumbling = new EngineHost(Stream.steady(), TumblingEventTimeWindows.of(Duration.ofSeconds(10)), rowsPerKeyAndBatch)
    sessions =
      new EngineHost(Stream.bursts(), EventTimeSessionWindows.withGap(Duration.ofSeconds(5)), rowsPerKeyAndBatch)
  }

  @Benchmark @OperationsPerInvocation(Stream.EveryElement)
  def tumblingSum(): Int = tumbling.run()

  @Benchmark @OperationsPerInvocation(Stream.TwoThirds)
  def sessionSum(): Int = sessions.run()
}
