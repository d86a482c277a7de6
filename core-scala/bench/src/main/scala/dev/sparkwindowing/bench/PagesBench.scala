package dev.sparkwindowing.bench

import dev.sparkwindowing.pieces.PieceStore
import dev.sparkwindowing.state.{KeyState, KeyStateCodec}
import org.openjdk.jmh.annotations._

import java.util.concurrent.TimeUnit
import scala.collection.mutable

/** A key with `windows` sums is opened, one of them changes, and the key is written; microseconds. */
@State(Scope.Thread)
@BenchmarkMode(Array(Mode.AverageTime))
@OutputTimeUnit(TimeUnit.MICROSECONDS)
class PagesBench {
  @Param(Array("1000", "100000")) var windows: Int = _

  /** Without pieces all windows are in the block. */
  @Param(Array("true", "false")) var pages: Boolean = _

  private object Pieces extends PieceStore {
    private[this] val stored                          = mutable.LongMap.empty[Array[Byte]]
    def read(number: Long): Array[Byte]               = stored(number)
    def write(number: Long, bytes: Array[Byte]): Unit = stored(number) = bytes
    def remove(number: Long): Unit                    = stored -= number
  }

  private val codec              = new KeyStateCodec[Sum](SumContents)
  private val state              = new KeyState[Sum](SumContents, 0, IndexedSeq.empty)
  private var block: Array[Byte] = _
  private var next               = 0

  @Setup def up(): Unit = {
    state.pieces.open(if (pages) Pieces else null)
    state.clear()
    (0 until windows).foreach { i =>
      val r = state.append(start(i), start(i) + 10000)
      r.timers = 1
      r.contents = new Sum(i * 1234567L)
    }
    block = codec.encode(state)
    state.pieces.close()
  }

  private def start(i: Int): Long = 1700000000000L + i * 10000L

  @Benchmark def changeOne(): Int = {
    next = (next + 7919) % windows
    state.pieces.open(if (pages) Pieces else null)
    codec.decode(block, state)
    state.contentsOf(state.record(state.search(start(next), start(next) + 10000))).total += 1
    block = codec.encode(state)
    state.pieces.close()
    block.length
  }
}
