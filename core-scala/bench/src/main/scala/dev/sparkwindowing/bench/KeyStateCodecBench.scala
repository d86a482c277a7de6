package dev.sparkwindowing.bench

import dev.sparkwindowing.state.{KeyState, KeyStateCodec}
import org.openjdk.jmh.annotations._

import java.util.concurrent.TimeUnit

/** The block of a key read and written; nanoseconds for a key with `windows` sums. */
@State(Scope.Thread)
@BenchmarkMode(Array(Mode.AverageTime))
@OutputTimeUnit(TimeUnit.NANOSECONDS)
class KeyStateCodecBench {
  @Param(Array("1", "10", "100")) var windows: Int = _

  private val codec              = new KeyStateCodec[Sum](SumContents)
  private val state              = new KeyState[Sum](SumContents, 0, IndexedSeq.empty)
  private var block: Array[Byte] = _

  @Setup def up(): Unit = {
    state.clear()
    (0 until windows).foreach { i =>
      val start = 1700000000000L + i * 10000L
      val r     = state.append(start, start + 10000)
      r.timers = 1
      r.contents = new Sum(i * 1234567L)
    }
    block = codec.encode(state)
  }

  @Benchmark def read(): Int = {
    codec.decode(block, state)
    state.size
  }

  /** Sums that nobody looked at are copied as bytes. */
  @Benchmark def readAndWrite(): Array[Byte] = {
    codec.decode(block, state)
    codec.encode(state)
  }

  @Benchmark def readLookAndWrite(): Array[Byte] = {
    codec.decode(block, state)
    var i = 0
    while (i < state.size) {
      state.contentsOf(state.record(i)).total += 1
      i += 1
    }
    codec.encode(state)
  }
}
