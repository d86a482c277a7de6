package dev.sparkwindowing.spark.computations

import dev.sparkwindowing.contents.{ElementList, WindowContents}
import dev.sparkwindowing.declaration.Spec
import dev.sparkwindowing.functions.{SideOutput, TimeDomain, TimerService}
import dev.sparkwindowing.spark.expressions.WindowResults
import dev.sparkwindowing.spark.rows.RowElements
import dev.sparkwindowing.state.FunctionState
import dev.sparkwindowing.windows.Window
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.NamedExpression
import org.apache.spark.sql.types.StructType

/** An operator's work on the rows of a key, as declared on the driver. Tasks receive it and call [[inTask]]. */
private[sparkwindowing] trait KeyedWork extends Serializable {

  /** Input expressions over the output of the analyzed DataFrame, projected below the operator. On the driver only. */
  def arguments: Seq[NamedExpression] = Nil

  /** Columns of a result, after the keys and the window. */
  def schema: StructType

  /** Side outputs of the function. */
  def sideOutputs: Seq[SideOutput] = Nil

  /** The functions as data, for the checkpoint. Equal at every start of the same query, so without column ids. */
  def specs: Seq[Spec]

  /** Schema of the contents without an evictor. A query with a different schema cannot read the state. */
  def stateSchema: StructType

  /** Text of `stateSchema` for the checkpoint, with the types that determine bytes which only their function can read.
    */
  def stateText: String = stateSchema.catalogString

  /** Format of the contents in the state. */
  def keptContents: ContentsFormat

  /** Named state whose type is known. */
  def keptStates: StructType = new StructType()

  /** True only if the result is known to be the same, up to floating-point rounding, for any order of elements and
    * merges.
    */
  def isOrderInsensitive: Boolean = false

  /** True if that is known of the contents of a window, whatever a function computes from them. They are then
    * `CopyableContents`.
    */
  def mergesInAnyOrder: Boolean = isOrderInsensitive

  /** True if the function sets timers of that clock, or has state that expires by it. */
  def setsTimers(clock: TimeDomain): Boolean = false

  /** True if the result of `inTask` is stateless, so that several tasks may use it one after the other. */
  def isReusable: Boolean = false

  /** The work of one task.
    *
    * @param ordinals
    *   the position of each of `arguments` in the rows of the operator
    * @param fields
    *   the number of columns of those rows
    */
  def inTask(ordinals: Array[Int], fields: Int): TaskWork
}

/** An operator's work in one task. */
private[sparkwindowing] sealed trait TaskWork

/** Computation on the elements of a window. */
private[sparkwindowing] trait Computation extends KeyedWork {

  /** The result that a window has at any time, of which others may be made when it fires; None if windows hold all
    * elements.
    */
  def results: Option[WindowResults] = None

  def inTask(ordinals: Array[Int], fields: Int): TaskComputation[_ <: AnyRef]
}

/** A function on elements and timers without windows, in one task. */
private[sparkwindowing] trait TaskProcess extends TaskWork {

  /** Emits rows with the columns of the schema, which may be reused buffers. */
  def processElement(row: InternalRow, timestamp: Long, at: ProcessContext, out: InternalRow => Unit): Unit
  def onTimer(time: Long, domain: TimeDomain, at: ProcessContext, out: InternalRow => Unit): Unit
}

/** Computation in one task, with its buffers.
  *
  * @tparam C
  *   type of the contents of a window
  */
private[sparkwindowing] trait TaskComputation[C <: AnyRef] extends TaskWork {

  /** Storage of the elements. */
  def contents: WindowContents[InternalRow, C]

  /** Emits the rows of a firing: none, one or more, with the columns of the schema. They may be reused buffers. */
  def fire(contents: C, firing: FiringContext, out: InternalRow => Unit): Unit

  /** Emits the rows of a firing for a window that stores its elements for an evictor. The evictor may have left none.
    */
  def fireElements(elements: ElementList[InternalRow], firing: FiringContext, out: InternalRow => Unit): Unit

  /** Called when a window is cleaned up. Its function state is kept unless this method removes it. */
  def cleared(window: FiringContext): Unit = ()
}

/** Computation in one task whose contents are all elements of a window, with an evictor or without. */
private[computations] abstract class TaskOnElements(fields: Int) extends TaskComputation[ElementList[InternalRow]] {
  val contents: WindowContents[InternalRow, ElementList[InternalRow]] = RowElements.contents(fields)

  final def fireElements(elements: ElementList[InternalRow], firing: FiringContext, out: InternalRow => Unit): Unit =
    fire(elements, firing, out)
}

/** Context of the current key. The same object is passed to each call: do not retain it. */
private[sparkwindowing] trait KeyContext {
  def key: InternalRow

  /** Function state of the key and its windows. */
  def functionState: FunctionState

  /** Emits a row to a side output of the function, by its number; the row may be a reused buffer. */
  def side(output: Int, row: InternalRow): Unit
}

/** Context of a firing window. */
private[sparkwindowing] trait FiringContext extends KeyContext {
  def window: Window

  /** The watermark, `Long.MinValue` before the first. */
  def watermark: Long

  /** Processing time in milliseconds, `Long.MinValue` where it does not advance. */
  def processingTime: Long

  /** Emits rows that are made when they are read, after the firing: a firing that gives many more rows than it holds
    * emits them so. They have the columns of the schema, and may be one reused buffer.
    */
  def pull(rows: Iterator[InternalRow]): Unit
}

/** Times and timers of the current key. */
private[sparkwindowing] trait ProcessContext extends KeyContext {
  def timers: TimerService

  /** The earliest timer of the key on a clock, `StateCell.NoTimer` if it has none. */
  def nextTimer(clock: TimeDomain): Long
}
