package dev.sparkwindowing.bench

import dev.sparkwindowing.codec.ValueCodec
import dev.sparkwindowing.functions.{ListStateDescriptor, MapStateDescriptor, ValueStateDescriptor}
import dev.sparkwindowing.pieces.PieceStore
import dev.sparkwindowing.state.{FunctionState, KeyState, KeyStateCodec, ScopedStateStore}
import org.openjdk.jmh.annotations._

import java.util.concurrent.TimeUnit
import scala.collection.mutable

/** A key with 100,000 values of a function is opened, one of them changes, and the key is written; microseconds. Prints
  * the bytes of the last change.
  */
@State(Scope.Thread)
@BenchmarkMode(Array(Mode.AverageTime))
@OutputTimeUnit(TimeUnit.MICROSECONDS)
class FunctionStateBench {
  import FunctionStateBench._

  /** `list` adds a value, `map` changes an entry, `other` changes a value beside a text of as many characters, `timers`
    * replaces a timer.
    */
  @Param(Array("list", "map", "other", "timers")) var kind: String = _

  /** Without pieces all values are in the block. */
  @Param(Array("true", "false")) var pieces: Boolean = _

  private val list  = ListStateDescriptor("list", ValueCodec.long)
  private val map   = MapStateDescriptor("map", ValueCodec.long, ValueCodec.long)
  private val text  = ValueStateDescriptor("text", ValueCodec.string)
  private val other = ValueStateDescriptor("other", ValueCodec.long)

  private val stored             = new Pieces
  private val codec              = new KeyStateCodec[Sum](SumContents)
  private val state              = new KeyState[Sum](SumContents, 0, IndexedSeq.empty)
  private val functions          = new ScopedStateStore(state.functions, FunctionState.OfKey)
  private var block: Array[Byte] = _
  private var next               = 0L

  @Setup def up(): Unit = {
    state.pieces.open(if (pieces) stored else null)
    state.clear()
    kind match {
      case "list"   => functions.getListState(list).addAll((0 until Values).map(i => Long.box(i * 7919L)))
      case "map"    => (0 until Values).foreach(i => functions.getMapState(map).put(Long.box(i * 7919L), Long.box(1L)))
      case "other"  => functions.getState(text).update("a" * Values)
      case "timers" => (0 until Values).foreach(i => state.eventTimers.add(i * 1000L, Global, Global))
    }
    block = codec.encode(state)
    state.pieces.close()
    System.gc()
  }

  @Benchmark def changeOne(): Int = {
    next += 1
    stored.written = 0L
    state.pieces.open(if (pieces) stored else null)
    codec.decode(block, state)
    kind match {
      case "list"   => functions.getListState(list).add(Long.box(next))
      case "map"    => functions.getMapState(map).put(Long.box(next * 13 % Values * 7919L), Long.box(next))
      case "other"  => functions.getState(other).update(Long.box(next))
      case "timers" =>
        state.eventTimers.removeHead()
        state.eventTimers.add((Values + next) * 1000L, Global, Global)
    }
    block = codec.encode(state)
    state.pieces.close()
    block.length
  }

  @TearDown def printBytes(): Unit = println(s"$kind: ${stored.written + block.length} bytes")
}

object FunctionStateBench {
  private val Values = 100000
  private val Global = Long.MinValue

  private final class Pieces extends PieceStore {
    private[this] val stored                          = mutable.LongMap.empty[Array[Byte]]
    var written                                       = 0L
    def read(number: Long): Array[Byte]               = stored(number).clone()
    def write(number: Long, bytes: Array[Byte]): Unit = {
      stored(number) = bytes
      written += bytes.length
    }
    def remove(number: Long): Unit = stored -= number
  }
}
