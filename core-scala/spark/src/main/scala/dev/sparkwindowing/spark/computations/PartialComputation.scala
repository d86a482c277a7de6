package dev.sparkwindowing.spark.computations

import dev.sparkwindowing.contents.{CopyableContents, ElementList, WindowContents}
import dev.sparkwindowing.declaration.Spec
import dev.sparkwindowing.functions.SideOutput
import dev.sparkwindowing.spark.expressions.WindowResults
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{GenericInternalRow, NamedExpression}
import org.apache.spark.sql.types.StructType

/** Computation that can take the rows of a window in parts: rows are aggregated before the exchange, and the operator
  * merges the results.
  */
private[sparkwindowing] trait PartialComputation extends Computation {

  /** Reason why parts cannot be merged with the same result; None if they can. */
  def needsOrder: Option[String]

  final override def isOrderInsensitive: Boolean = needsOrder.isEmpty

  final override def results: Option[WindowResults] = Some(new FoldedResults(this))

  /** Columns of a partial result. */
  def partialSchema: StructType

  /** The work of one task, before the exchange or in the operator. */
  def inTask(ordinals: Array[Int], fields: Int): PartialContents[_ <: AnyRef]

  /** The work of one task whose rows are partial results.
    *
    * @param first
    *   position of the first column of `partialSchema`; the others follow it
    */
  def mergeInTask(first: Int): TaskComputation[_ <: AnyRef]
}

/** A partial computation in one task: contents that need not be all rows of a window, and their one result. */
private[sparkwindowing] trait PartialContents[C <: AnyRef]
    extends TaskComputation[C]
    with CopyableContents[InternalRow, C] {

  /** The columns of a result. */
  protected def schema: StructType

  /** The result; None emits no row. The row may be reused by the next call. */
  protected def resultOf(contents: C): Option[InternalRow]

  /** The columns of `partialSchema`; the row may be reused by the next call. */
  def written(contents: C): InternalRow

  /** Approximate number of bytes of the contents in memory. */
  def sizeOf(contents: C): Long

  final def contents: WindowContents[InternalRow, C] = this

  final def fire(contents: C, firing: FiringContext, out: InternalRow => Unit): Unit = resultOf(contents).foreach(out)

  // With an evictor the result of the remaining elements is emitted even if it is null.
  final def fireElements(elements: ElementList[InternalRow], firing: FiringContext, out: InternalRow => Unit): Unit = {
    var contents = empty()
    elements.foreach(row => contents = add(contents, row, 0L))
    out(resultOf(contents).getOrElse(new GenericInternalRow(schema.length)))
  }
}

/** The same computation over partial results. State and results are the same. */
private[sparkwindowing] final class PartialMerge(of: PartialComputation) extends Computation {
  override def arguments: Seq[NamedExpression] = of.arguments
  def schema: StructType                       = of.schema
  override def sideOutputs: Seq[SideOutput]    = of.sideOutputs
  def specs: Seq[Spec]                         = of.specs
  def stateSchema: StructType                  = of.stateSchema
  override def stateText: String               = of.stateText
  def keptContents: ContentsFormat             = of.keptContents
  override def isOrderInsensitive: Boolean     = of.isOrderInsensitive
  override def isReusable: Boolean             = of.isReusable

  /** @param ordinals the consecutive positions of the columns of a part */
  def inTask(ordinals: Array[Int], fields: Int): TaskComputation[_ <: AnyRef] = of.mergeInTask(ordinals.head)
}
