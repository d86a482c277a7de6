package dev.sparkwindowing.spark.functions

import dev.sparkwindowing.contents.{ElementList, WindowContents}
import dev.sparkwindowing.functions.SideOutput
import dev.sparkwindowing.state.FunctionState
import dev.sparkwindowing.windows.Window
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.NamedExpression
import org.apache.spark.sql.types.StructType

/** What a query computes of the elements of a window, as the driver knows it. It travels to the tasks, where [[inTask]]
  * makes it run.
  */
private[sparkwindowing] trait Computation extends Serializable {

  /** What it reads, over the output of the analyzed DataFrame: projected below the operator. On the driver only. */
  def arguments: Seq[NamedExpression]

  /** The columns of a result, behind the keys and the window. */
  def schema: StructType

  /** The outputs that it writes to beside the main one. */
  def sideOutputs: Seq[SideOutput] = Nil

  /** What is computed, for the checkpoint: equal at every start of the same query, so without ids of columns. */
  def description: Seq[String]

  /** What is kept of a window while there is no evictor: a query with another one cannot read the state. */
  def stateSchema: StructType

  /** Whether the result is the same, up to the rounding of floating point, in whatever order elements come and contents
    * are merged. True only if that is known.
    */
  def isCommutative: Boolean

  /** Makes it run in a task.
    *
    * @param ordinals
    *   the position of each of `arguments` in the rows of the operator
    * @param fields
    *   the number of columns of those rows
    */
  def inTask(ordinals: Array[Int], fields: Int): TaskComputation[_ <: AnyRef]
}

/** A computation in one task, where its buffers are.
  *
  * @tparam C
  *   what is kept of a window
  */
private[sparkwindowing] trait TaskComputation[C <: AnyRef] {

  /** How elements are kept. */
  def contents: WindowContents[InternalRow, C]

  /** Puts out the rows of a firing, none, one or more, with the columns of the schema; they may be reused buffers. */
  def fire(contents: C, firing: Firing, out: InternalRow => Unit): Unit

  /** The same for a window that keeps its elements since it has an evictor, which may have left none. */
  def fireElements(elements: ElementList[InternalRow], firing: Firing, out: InternalRow => Unit): Unit

  /** A window is cleaned up; its state that functions keep is not, unless this does it. */
  def cleared(window: Firing): Unit = ()
}

/** Which window fires, and what is around it. The same object at each firing: do not keep it. */
private[sparkwindowing] trait Firing {
  def key: InternalRow
  def window: Window

  /** The watermark, `Long.MinValue` before the first. */
  def watermark: Long

  /** The clock in milliseconds, `Long.MinValue` where it stands still. */
  def processingTime: Long

  /** What functions remember of the key and its windows. */
  def functionState: FunctionState

  /** Puts out a row to a side output of the computation, by its number; the row may be a reused buffer. */
  def side(output: Int, row: InternalRow): Unit
}
