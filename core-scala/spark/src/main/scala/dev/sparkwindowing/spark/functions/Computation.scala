package dev.sparkwindowing.spark.functions

import dev.sparkwindowing.declaration.Spec
import dev.sparkwindowing.contents.{ElementList, WindowContents}
import dev.sparkwindowing.functions.{SideOutput, TimeDomain, TimerService}
import dev.sparkwindowing.state.FunctionState
import dev.sparkwindowing.windows.Window
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.NamedExpression
import org.apache.spark.sql.types.StructType

/** What an operator does with the rows of a key, as the driver knows it. It travels to the tasks, where [[inTask]]
  * makes it run.
  */
private[sparkwindowing] trait KeyedWork extends Serializable {

  /** What it reads, over the output of the analyzed DataFrame: projected below the operator. On the driver only. */
  def arguments: Seq[NamedExpression]

  /** The columns of a result, behind the keys and the window. */
  def schema: StructType

  /** The outputs that it writes to beside the main one. */
  def sideOutputs: Seq[SideOutput] = Nil

  /** The functions as data, for the checkpoint: equal at every start of the same query, so without ids of columns. */
  def specs: Seq[Spec]

  /** What is kept while there is no evictor: a query with another one cannot read the state. */
  def stateSchema: StructType

  /** The same as text, for the checkpoint: with the types that decide about bytes which only their function can read.
    */
  def stateText: String = stateSchema.catalogString

  /** How that lies in the state. */
  def keptContents: KeptContents

  /** What it remembers by name, where the type of that is known. */
  def keptStates: StructType = new StructType()

  /** Whether the result is the same, up to the rounding of floating point, in whatever order elements come and contents
    * are merged. True only if that is known.
    */
  def isCommutative: Boolean

  /** Whether what `inTask` gives may serve one task after the other: it remembers nothing. */
  def isReusable: Boolean = false

  /** Makes it run in a task.
    *
    * @param ordinals
    *   the position of each of `arguments` in the rows of the operator
    * @param fields
    *   the number of columns of those rows
    */
  def inTask(ordinals: Array[Int], fields: Int): TaskWork
}

/** What an operator does, in one task. */
private[sparkwindowing] sealed trait TaskWork

/** What a query computes of the elements of a window. */
private[sparkwindowing] trait Computation extends KeyedWork {
  def inTask(ordinals: Array[Int], fields: Int): TaskComputation[_ <: AnyRef]
}

/** A function that works on elements and timers without windows, in one task. */
private[sparkwindowing] trait TaskProcess extends TaskWork {

  /** Puts out rows with the columns of the schema; they may be reused buffers. */
  def processElement(row: InternalRow, timestamp: Long, at: Processing, out: InternalRow => Unit): Unit
  def onTimer(time: Long, domain: TimeDomain, at: Processing, out: InternalRow => Unit): Unit
}

/** A computation in one task, where its buffers are.
  *
  * @tparam C
  *   what is kept of a window
  */
private[sparkwindowing] trait TaskComputation[C <: AnyRef] extends TaskWork {

  /** How elements are kept. */
  def contents: WindowContents[InternalRow, C]

  /** Puts out the rows of a firing, none, one or more, with the columns of the schema; they may be reused buffers. */
  def fire(contents: C, firing: Firing, out: InternalRow => Unit): Unit

  /** The same for a window that keeps its elements since it has an evictor, which may have left none. */
  def fireElements(elements: ElementList[InternalRow], firing: Firing, out: InternalRow => Unit): Unit

  /** A window is cleaned up; its state that functions keep is not, unless this does it. */
  def cleared(window: Firing): Unit = ()
}

/** The key at hand and what is around it. The same object at each call: do not keep it. */
private[sparkwindowing] trait AtKey {
  def key: InternalRow

  /** What functions remember of the key and its windows. */
  def functionState: FunctionState

  /** Puts out a row to a side output of the function, by its number; the row may be a reused buffer. */
  def side(output: Int, row: InternalRow): Unit
}

/** Which window fires. */
private[sparkwindowing] trait Firing extends AtKey {
  def window: Window

  /** The watermark, `Long.MinValue` before the first. */
  def watermark: Long

  /** The clock in milliseconds, `Long.MinValue` where it stands still. */
  def processingTime: Long
}

/** The clocks and timers of the key at hand. */
private[sparkwindowing] trait Processing extends AtKey {
  def timers: TimerService
}
