package dev.sparkwindowing.spark.aggregates

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{MutableAny, MutableValue, SpecificInternalRow, UnsafeRow}
import org.apache.spark.unsafe.Platform

import java.util.Arrays

/** In-memory form of a buffer in a task. In the state it is always the bytes of a row of its slots. */
private[sparkwindowing] sealed trait BufferRows {

  def empty(): InternalRow

  /** The buffer with these bytes; it does not point into them. */
  def read(bytes: Array[Byte], at: Int, size: Int): InternalRow

  /** The row to be stored; may be reused by the next call. */
  def written(buffer: InternalRow): UnsafeRow

  def copy(buffer: InternalRow): InternalRow
}

private[sparkwindowing] object BufferRows {

  /** The buffer before the first row, initialized by the functions. */
  def initial(functions: BoundFunctions): SpecificInternalRow = {
    val row = new SpecificInternalRow(functions.bufferTypes)
    functions.initialize.foreach(_.target(row)(InternalRow.empty))
    functions.imperative.foreach(_.initialize(row))
    row
  }
}

/** Buffers with only fixed-width slots: the bytes themselves, updated in place. */
private[sparkwindowing] final class FlatBuffers(functions: BoundFunctions) extends BufferRows {
  private[this] val width = functions.bufferTypes.size
  private[this] val fresh = functions.toBytes(BufferRows.initial(functions)).getBytes

  def empty(): InternalRow = over(fresh.clone())

  def read(bytes: Array[Byte], at: Int, size: Int): InternalRow = over(Arrays.copyOfRange(bytes, at, at + size))

  def written(buffer: InternalRow): UnsafeRow = buffer.asInstanceOf[UnsafeRow]

  def copy(buffer: InternalRow): InternalRow = buffer.copy()

  private[this] def over(bytes: Array[Byte]): UnsafeRow = {
    val row = new UnsafeRow(width)
    row.pointTo(bytes, bytes.length)
    row
  }
}

/** Buffers with objects and strings in their slots. */
private[sparkwindowing] final class ObjectBuffers(functions: BoundFunctions) extends BufferRows {
  // Made once: a row for given types is expensive to make.
  private[this] val fresh  = BufferRows.initial(functions)
  private[this] val stored = new UnsafeRow(functions.bufferTypes.size)

  def empty(): InternalRow = {
    val row = shallow(fresh)
    functions.imperative.foreach(_.initialize(row))
    row
  }

  def read(bytes: Array[Byte], at: Int, size: Int): InternalRow = {
    stored.pointTo(bytes, Platform.BYTE_ARRAY_OFFSET.toLong + at, size)
    live(stored)
  }

  def copy(buffer: InternalRow): InternalRow = live(written(buffer))

  private[this] def live(row: UnsafeRow): InternalRow = {
    val buffer = shallow(fresh)
    functions.fromBytes.target(buffer)(row)
    functions.typed.foreach(f => buffer.update(f.slot, f.deserialize(buffer.getBinary(f.slot))))
    buffer
  }

  // The live buffer keeps its objects: only the slots of typed functions are replaced, in a row that shares the others.
  def written(buffer: InternalRow): UnsafeRow = {
    val row   = buffer.asInstanceOf[SpecificInternalRow]
    val typed = functions.typed
    if (typed.isEmpty) functions.toBytes(row)
    else {
      val values = row.values.clone()
      typed.foreach { f =>
        val slot = new MutableAny
        slot.update(f.serialize(row.values(f.slot).boxed))
        values(f.slot) = slot
      }
      functions.toBytes(new SpecificInternalRow(values: Array[MutableValue]))
    }
  }

  private[this] def shallow(row: SpecificInternalRow): SpecificInternalRow = {
    val values = new Array[MutableValue](row.values.length)
    var i      = 0
    while (i < values.length) {
      values(i) = row.values(i).copy()
      i += 1
    }
    new SpecificInternalRow(values)
  }
}
