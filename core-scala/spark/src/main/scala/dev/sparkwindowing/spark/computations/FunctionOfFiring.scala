package dev.sparkwindowing.spark.computations

import dev.sparkwindowing.contents.{ElementList, WindowContents}
import dev.sparkwindowing.spark.expressions.WindowResults
import dev.sparkwindowing.spark.rows.RowView
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.NamedExpression
import org.apache.spark.sql.types.StructType

/** A function that is called at each firing with what the window holds.
  *
  * @param handedOn
  *   what it gets: all elements, which the state stores, or the one result of a computation
  */
private[computations] abstract class FunctionOfFiring(protected val handedOn: Either[RowView, Computation])
    extends Computation {

  /** The function in one task. */
  protected def callInTask(): FiringCall

  override def arguments: Seq[NamedExpression] = handedOn.fold(_ => Nil, _.arguments)
  def stateSchema: StructType                  = handedOn.fold(_.schema, _.stateSchema)
  override def stateText: String               = handedOn.fold(_ => super.stateText, _.stateText)
  def keptContents: ContentsFormat             = handedOn.fold(_ => ContentsFormat.Rows, _.keptContents)
  override def results: Option[WindowResults]  = handedOn.toOption.flatMap(_.results)
  override def mergesInAnyOrder: Boolean       = handedOn.exists(_.mergesInAnyOrder)

  final def inTask(ordinals: Array[Int], fields: Int): TaskComputation[_ <: AnyRef] = handedOn match {
    case Right(computation) => overResult(computation.inTask(ordinals, fields))
    case Left(_)            => overElements(fields)
  }

  private def overResult[C <: AnyRef](inner: TaskComputation[C]): TaskComputation[C] = new TaskComputation[C] {
    private[this] val call = callInTask()

    def contents: WindowContents[InternalRow, C] = inner.contents

    def fire(contents: C, firing: FiringContext, out: InternalRow => Unit): Unit =
      inner.fire(contents, firing, call.ofResult(_, firing, out))

    def fireElements(elements: ElementList[InternalRow], firing: FiringContext, out: InternalRow => Unit): Unit =
      inner.fireElements(elements, firing, call.ofResult(_, firing, out))

    override def cleared(window: FiringContext): Unit = call.cleared(window)
  }

  private def overElements(fields: Int): TaskComputation[ElementList[InternalRow]] = new TaskOnElements(fields) {
    private[this] val call = callInTask()

    def fire(elements: ElementList[InternalRow], firing: FiringContext, out: InternalRow => Unit): Unit =
      call.ofElements(elements, firing, out)

    override def cleared(window: FiringContext): Unit = call.cleared(window)
  }
}

/** Calls of a function at firings, in one task. */
private[computations] trait FiringCall {
  def ofElements(elements: ElementList[InternalRow], firing: FiringContext, out: InternalRow => Unit): Unit

  /** @param result a row with the columns of the computation; may be a reused buffer */
  def ofResult(result: InternalRow, firing: FiringContext, out: InternalRow => Unit): Unit

  /** Cleans up after a window. */
  def cleared(window: FiringContext): Unit
}
