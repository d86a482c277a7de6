package dev.sparkwindowing.spark.computations

import dev.sparkwindowing.codec.{BlockReader, BlockWriter}
import dev.sparkwindowing.contents.{CopyableContents, ElementList, WindowContents}
import org.apache.spark.sql.catalyst.InternalRow

/** Contents of immutable accumulators that take partial results in place of rows.
  *
  * @param of
  *   the computation over rows
  * @param accumulatorOf
  *   the accumulator in a row that is a partial result
  */
private[computations] final class MergedPartials[C <: AnyRef](
    of: PartialContents[C],
    accumulatorOf: InternalRow => C
) extends TaskComputation[C]
    with CopyableContents[InternalRow, C] {
  private[this] val initial = of.empty()

  def contents: WindowContents[InternalRow, C] = this

  def empty(): C = initial

  // An accumulator without rows need not be neutral in a merge.
  def add(kept: C, partial: InternalRow, timestamp: Long): C =
    merge(kept, accumulatorOf(partial))

  def merge(kept: C, merged: C): C =
    if (kept eq initial) merged else if (merged eq initial) kept else of.merge(kept, merged)

  def copy(kept: C): C                       = kept
  def write(kept: C, out: BlockWriter): Unit = of.write(kept, out)
  def read(in: BlockReader): C               = of.read(in)

  def fire(kept: C, firing: FiringContext, out: InternalRow => Unit): Unit = of.fire(kept, firing, out)

  def fireElements(elements: ElementList[InternalRow], firing: FiringContext, out: InternalRow => Unit): Unit =
    throw new IllegalStateException("an evictor needs the rows themselves")
}
