package dev.sparkwindowing.spark.computations

import dev.sparkwindowing.contents.{ElementList, WindowContents}
import dev.sparkwindowing.declaration.Spec
import dev.sparkwindowing.functions.{ProcessWindowFunction, SideOutput}
import dev.sparkwindowing.spark.rows.{RowElements, RowView}
import org.apache.spark.sql.Row
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.NamedExpression
import org.apache.spark.sql.types.{StructField, StructType}

/** User's function on all elements of a window, which the state stores. */
private[sparkwindowing] final class ProcessComputation(
    function: ProcessWindowFunction[Row, Row, Row],
    val schema: StructType,
    override val sideOutputs: Seq[SideOutput],
    keys: Seq[StructField],
    isMerging: Boolean,
    input: StructType,
    view: RowView
) extends Computation {
  def arguments: Seq[NamedExpression] = Nil
  def specs: Seq[Spec]                = Seq(WindowFunctionOnly.specOf(function))
  def stateSchema: StructType         = input
  def keptContents: ContentsFormat    = ContentsFormat.Rows
  def isOrderInsensitive: Boolean     = false

  def inTask(ordinals: Array[Int], fields: Int): TaskComputation[ElementList[InternalRow]] =
    new TaskComputation[ElementList[InternalRow]] {
      private[this] val call = new ProcessCall(function, keys, schema, sideOutputs, isMerging)

      val contents: WindowContents[InternalRow, ElementList[InternalRow]] = RowElements.contents(fields)

      def fire(elements: ElementList[InternalRow], firing: FiringContext, out: InternalRow => Unit): Unit =
        call.fire(rows(elements), firing, out)

      def fireElements(elements: ElementList[InternalRow], firing: FiringContext, out: InternalRow => Unit): Unit =
        fire(elements, firing, out)

      override def cleared(window: FiringContext): Unit = call.cleared(window)

      // Lazy: each row is created on access.
      private[this] def rows(elements: ElementList[InternalRow]): Iterable[Row] =
        (0 until elements.size).view.map(i => view(elements(i)))
    }
}

/** User's function after another computation. It receives that computation's one result per firing. */
private[sparkwindowing] final class IncrementalProcess(
    first: Computation,
    function: ProcessWindowFunction[Row, Row, Row],
    val schema: StructType,
    override val sideOutputs: Seq[SideOutput],
    keys: Seq[StructField],
    isMerging: Boolean
) extends Computation {
  def arguments: Seq[NamedExpression] = first.arguments
  def specs: Seq[Spec]                = first.specs :+ WindowFunctionOnly.specOf(function)
  def stateSchema: StructType         = first.stateSchema
  override def stateText: String      = first.stateText
  def keptContents: ContentsFormat    = first.keptContents
  def isOrderInsensitive: Boolean     = false

  override def mergesInAnyOrder: Boolean = first.mergesInAnyOrder

  def inTask(ordinals: Array[Int], fields: Int): TaskComputation[_ <: AnyRef] = over(first.inTask(ordinals, fields))

  private def over[C <: AnyRef](inner: TaskComputation[C]): TaskComputation[C] = new TaskComputation[C] {
    private[this] val call   = new ProcessCall(function, keys, schema, sideOutputs, isMerging)
    private[this] val result = RowView.of(first.schema)

    def contents: WindowContents[InternalRow, C] = inner.contents

    def fire(contents: C, firing: FiringContext, out: InternalRow => Unit): Unit =
      inner.fire(contents, firing, row => call.fire(Seq(result(row)), firing, out))

    def fireElements(elements: ElementList[InternalRow], firing: FiringContext, out: InternalRow => Unit): Unit =
      inner.fireElements(elements, firing, row => call.fire(Seq(result(row)), firing, out))

    override def cleared(window: FiringContext): Unit = call.cleared(window)
  }
}
