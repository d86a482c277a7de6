package dev.sparkwindowing.spark.functions

import dev.sparkwindowing.codec.{BlockReader, BlockWriter, CorruptBlockException}
import dev.sparkwindowing.contents.{ElementList, WindowContents}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{JoinedRow, MutableAny, MutableValue, SpecificInternalRow, UnsafeRow}
import org.apache.spark.unsafe.Platform

/** The live buffer of all functions of a window: numbers, strings, and the objects of typed functions. */
final class AggregateBuffer private[functions] (private[functions] val row: SpecificInternalRow)

/** Keeps one buffer of Spark SQL aggregates a window, through Spark's own initialize, update, merge and evaluate.
  *
  * An instance belongs to one task. It is dear to build (it compiles its projections at the first use), so build it
  * once a task.
  *
  * @param aggregates
  *   what `SqlAggregates.analyze` gave
  * @param input
  *   what the rows that `add` gets carry
  */
final class AggregateContents private[functions] (aggregates: SqlAggregates, input: BufferInput)
    extends WindowContents[InternalRow, AggregateBuffer]
    with TaskComputation[AggregateBuffer] {

  /** @param ordinals
    *   the position of each of `aggregates.arguments` in the rows that `add` gets
    * @throws java.lang.IllegalArgumentException
    *   if there is not one position for each argument
    */
  def this(aggregates: SqlAggregates, ordinals: Array[Int]) = {
    this(aggregates, BufferInput.arguments(ordinals))
    if (ordinals.length != aggregates.argumentAttributes.length)
      throw new IllegalArgumentException(
        s"ordinals: got ${ordinals.length} positions for ${aggregates.argumentAttributes.length} arguments: give one each"
      )
  }

  private[this] lazy val functions = new BoundFunctions(aggregates, input)
  private[this] val joined         = new JoinedRow
  private[this] val stored         = new UnsafeRow(aggregates.stateSchema.length)
  private[this] val fixedSize      =
    UnsafeRow.calculateBitSetWidthInBytes(stored.numFields) + UnsafeRow.WORD_SIZE * stored.numFields

  def empty(): AggregateBuffer = {
    val row = new SpecificInternalRow(functions.bufferTypes)
    functions.initialize.foreach(_.target(row)(InternalRow.empty))
    functions.imperative.foreach(_.initialize(row))
    new AggregateBuffer(row)
  }

  def add(buffer: AggregateBuffer, element: InternalRow): AggregateBuffer = {
    val row = buffer.row
    if (functions.update != null) functions.update.target(row)(joined(row, element))
    val imperative = functions.imperative
    var i          = 0
    while (i < imperative.length) {
      if (input.isWritten) imperative(i).mergeWritten(row, element) else imperative(i).update(row, element)
      i += 1
    }
    buffer
  }

  def add(buffer: AggregateBuffer, element: InternalRow, timestamp: Long): AggregateBuffer = add(buffer, element)

  def merge(kept: AggregateBuffer, merged: AggregateBuffer): AggregateBuffer = {
    functions.merge.foreach(_.target(kept.row)(joined(kept.row, merged.row)))
    functions.imperative.foreach(_.merge(kept.row, merged.row))
    kept
  }

  /** The buffer as a row of its slots, those of typed functions as bytes; the same row at each call. */
  def written(buffer: AggregateBuffer): UnsafeRow = functions.toBytes(asBytes(buffer.row))

  def write(buffer: AggregateBuffer, out: BlockWriter): Unit = {
    val bytes = written(buffer)
    bytes.getBaseObject match {
      case array: Array[Byte] =>
        out.raw(array, (bytes.getBaseOffset - Platform.BYTE_ARRAY_OFFSET).toInt, bytes.getSizeInBytes)
      case _ =>
        val array = bytes.getBytes
        out.raw(array, 0, array.length)
    }
  }

  def read(in: BlockReader): AggregateBuffer = {
    val size = in.remaining
    if (size < fixedSize || size % UnsafeRow.WORD_SIZE != 0)
      throw new CorruptBlockException(s"an aggregate buffer of $size bytes")
    stored.pointTo(in.source, Platform.BYTE_ARRAY_OFFSET.toLong + in.position, size)
    in.skip(size)
    val row = new SpecificInternalRow(functions.bufferTypes)
    functions.fromBytes.target(row)(stored)
    functions.typed.foreach(f => row.update(f.slot, f.deserialize(row.getBinary(f.slot))))
    new AggregateBuffer(row)
  }

  /** The result columns of `buffer`, which may be added to afterwards. The row is reused by the next call. */
  def result(buffer: AggregateBuffer): UnsafeRow = {
    functions.evaluateImperative(buffer.row)
    functions.result(joined(buffer.row, functions.imperativeResults))
  }

  /** The result columns of these elements alone: for windows that keep their elements. The row is reused. */
  def resultOf(elements: ElementList[InternalRow]): UnsafeRow = {
    val buffer = empty()
    elements.foreach(add(buffer, _))
    result(buffer)
  }

  def contents: WindowContents[InternalRow, AggregateBuffer] = this

  def fire(buffer: AggregateBuffer, firing: Firing, out: InternalRow => Unit): Unit = out(result(buffer))

  def fireElements(elements: ElementList[InternalRow], firing: Firing, out: InternalRow => Unit): Unit =
    out(resultOf(elements))

  // The live buffer keeps its objects: only the slots of typed functions are replaced, on a row that shares the others.
  private[this] def asBytes(row: SpecificInternalRow): InternalRow = {
    val typed = functions.typed
    if (typed.isEmpty) row
    else {
      val values = row.values.clone()
      typed.foreach { f =>
        val slot = new MutableAny
        slot.update(f.serialize(row.values(f.slot).boxed))
        values(f.slot) = slot
      }
      new SpecificInternalRow(values: Array[MutableValue])
    }
  }
}
