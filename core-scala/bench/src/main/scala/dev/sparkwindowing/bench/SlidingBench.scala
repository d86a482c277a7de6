package dev.sparkwindowing.bench

import dev.sparkwindowing.assigners.SlidingEventTimeWindows
import org.openjdk.jmh.annotations._

import java.time.Duration
import java.util.concurrent.TimeUnit

/** An element in `windows` sliding windows at a time: a slide of one second, a size of as many seconds.
  *
  * Nanoseconds an element, with its share of one firing a second and key. A key has 100 elements a batch.
  */
@State(Scope.Thread)
@BenchmarkMode(Array(Mode.AverageTime))
@OutputTimeUnit(TimeUnit.NANOSECONDS)
class SlidingBench {
  @Param(Array("1", "2", "6", "10", "60", "600")) var windows: Int = _

  private var host: EngineHost = _

  @Setup def up(): Unit = {
    val assigner = SlidingEventTimeWindows.of(Duration.ofSeconds(windows.toLong), Duration.ofSeconds(1))
    host = new EngineHost(Stream.fewKeys(), assigner, 100)
  }

  @Benchmark @OperationsPerInvocation(Stream.ATenth)
  def slidingSum(): Int = host.run()
}
