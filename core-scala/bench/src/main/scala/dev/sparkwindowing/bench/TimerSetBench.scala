package dev.sparkwindowing.bench

import dev.sparkwindowing.codec.{BlockReader, BlockWriter}
import dev.sparkwindowing.state.TimerSet
import org.openjdk.jmh.annotations._

import java.util.concurrent.TimeUnit
import scala.util.Random

/** A set of timers filled, emptied, written and read; nanoseconds for all `timers` together. */
@State(Scope.Thread)
@BenchmarkMode(Array(Mode.AverageTime))
@OutputTimeUnit(TimeUnit.NANOSECONDS)
class TimerSetBench {
  @Param(Array("4", "64", "1024")) var timers: Int = _

  private val set                  = new TimerSet
  private val writer               = new BlockWriter
  private val reader               = new BlockReader
  private var shuffled: Array[Int] = _
  private var written: Array[Byte] = _

  @Setup def up(): Unit = {
    shuffled = new Random(42).shuffle(Vector.range(0, timers)).toArray
    fill(shuffled)
    set.write(writer)
    written = writer.toBytes
  }

  private def fill(order: Array[Int]): Unit = {
    set.clear()
    var i = 0
    while (i < timers) {
      val time = order(i) * 1000L
      set.add(time, time - 999, time + 1)
      i += 1
    }
  }

  private def drain(): Long = {
    var sum = 0L
    while (!set.isEmpty) {
      sum += set.headTime
      set.removeHead()
    }
    sum
  }

  @Benchmark def addInOrderAndDrain(): Long = {
    set.clear()
    var i = 0
    while (i < timers) {
      set.add(i * 1000L, i * 1000L - 999, i * 1000L + 1)
      i += 1
    }
    drain()
  }

  @Benchmark def addShuffledAndDrain(): Long = {
    fill(shuffled)
    drain()
  }

  @Benchmark def readAndWrite(): Int = {
    set.read(reader.open(written, 0, written.length))
    writer.reset()
    set.write(writer)
    writer.size
  }
}
