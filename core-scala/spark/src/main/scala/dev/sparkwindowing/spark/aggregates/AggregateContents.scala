package dev.sparkwindowing.spark.aggregates

import dev.sparkwindowing.codec.{BlockReader, BlockWriter, CorruptBlockException}
import dev.sparkwindowing.spark.computations.PartialContents
import dev.sparkwindowing.spark.expressions.PartFailure
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{JoinedRow, UnsafeRow}
import org.apache.spark.sql.types.StructType
import org.apache.spark.unsafe.Platform

import scala.util.control.NonFatal

/** Window contents that are one buffer of Spark SQL aggregates, run by Spark's own initialize, update, merge and
  * evaluate.
  *
  * An instance belongs to one task. It is expensive, since it compiles its projections at first use, so build it once
  * per task.
  *
  * @param aggregates
  *   the result of [[AggregateAnalysis]]
  * @param input
  *   the form of the rows that `add` gets
  */
final class AggregateContents private[sparkwindowing] (aggregates: SqlAggregates, input: BufferInput)
    extends PartialContents[InternalRow] {

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

  protected val schema: StructType = aggregates.schema

  private[this] lazy val functions = new BoundFunctions(aggregates, input)
  private[this] lazy val rows      =
    if (aggregates.areFlat) new FlatBuffers(functions) else new ObjectBuffers(functions)
  private[this] val joined    = new JoinedRow
  private[this] val fixedSize = {
    val slots = aggregates.stateSchema.length
    UnsafeRow.calculateBitSetWidthInBytes(slots) + UnsafeRow.WORD_SIZE * slots
  }

  private[this] val bufferSize = 50L + 32L * aggregates.stateSchema.length

  def empty(): InternalRow = rows.empty()

  // The functions run together, so the failed one is unknown.
  private[this] def failed(e: Throwable): RuntimeException =
    PartFailure.of(aggregates.description.mkString("aggregate(", ", ", ")"), e)

  def add(buffer: InternalRow, element: InternalRow): InternalRow =
    try added(buffer, element)
    catch { case NonFatal(e) => throw failed(e) }

  private[this] def added(buffer: InternalRow, element: InternalRow): InternalRow = {
    if (functions.update != null) functions.update.target(buffer)(joined(buffer, element))
    val imperative = functions.imperative
    var i          = 0
    while (i < imperative.length) {
      if (input.isWritten) imperative(i).mergeWritten(buffer, element) else imperative(i).update(buffer, element)
      i += 1
    }
    buffer
  }

  def add(buffer: InternalRow, element: InternalRow, timestamp: Long): InternalRow = add(buffer, element)

  def merge(kept: InternalRow, other: InternalRow): InternalRow =
    try merged(kept, other)
    catch { case NonFatal(e) => throw failed(e) }

  private[this] def merged(kept: InternalRow, merged: InternalRow): InternalRow = {
    if (functions.merge != null) functions.merge.target(kept)(joined(kept, merged))
    val imperative = functions.imperative
    var i          = 0
    while (i < imperative.length) {
      imperative(i).merge(kept, merged)
      i += 1
    }
    kept
  }

  /** An independent copy of a buffer. */
  def copy(buffer: InternalRow): InternalRow = rows.copy(buffer)

  /** The buffer as a row of its slots, with typed functions as bytes; the row may be reused by the next call. */
  def written(buffer: InternalRow): UnsafeRow = rows.written(buffer)

  // Most functions have buffers of fixed size.
  def sizeOf(buffer: InternalRow): Long = bufferSize

  def write(buffer: InternalRow, out: BlockWriter): Unit = {
    val bytes = written(buffer)
    bytes.getBaseObject match {
      case array: Array[Byte] =>
        out.raw(array, (bytes.getBaseOffset - Platform.BYTE_ARRAY_OFFSET).toInt, bytes.getSizeInBytes)
      case _ =>
        val array = bytes.getBytes
        out.raw(array, 0, array.length)
    }
  }

  def read(in: BlockReader): InternalRow = {
    val size = in.remaining
    if (size < fixedSize || size % UnsafeRow.WORD_SIZE != 0)
      throw new CorruptBlockException(s"an aggregate buffer of $size bytes")
    val at = in.position
    in.skip(size)
    rows.read(in.source, at, size)
  }

  /** Result columns of `buffer`, which may be updated afterwards. The row is reused by the next call. */
  def result(buffer: InternalRow): UnsafeRow =
    try {
      functions.evaluateImperative(buffer)
      functions.result(joined(buffer, functions.imperativeResults))
    } catch { case NonFatal(e) => throw failed(e) }

  protected def resultOf(buffer: InternalRow): Option[UnsafeRow] = Some(result(buffer))
}
