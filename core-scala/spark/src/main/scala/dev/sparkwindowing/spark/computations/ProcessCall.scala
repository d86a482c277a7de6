package dev.sparkwindowing.spark.computations

import dev.sparkwindowing.contents.ElementList
import dev.sparkwindowing.functions.{KeyedStateStore, OutputTag, ProcessWindowFunction, SideOutput}
import dev.sparkwindowing.spark.rows.RowView
import dev.sparkwindowing.state.{FunctionState, ScopedStateStore}
import dev.sparkwindowing.windows.Window
import org.apache.spark.sql.Row
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types.{StructField, StructType}

/** Runs a user's window function in a task, with times, state and side outputs.
  *
  * @param view
  *   the rows that the function gets
  */
private[computations] final class ProcessCall(
    view: RowView,
    function: ProcessWindowFunction[Row, Row, Row],
    keys: Seq[StructField],
    schema: StructType,
    sides: Seq[SideOutput],
    isMerging: Boolean
) extends RowCall(function, keys, schema, sides)
    with FiringCall {
  private[this] val context               = new Context
  private[this] var firing: FiringContext = _

  protected def here: KeyContext = firing

  // Lazy: each row is created on access.
  def ofElements(elements: ElementList[InternalRow], firing: FiringContext, out: InternalRow => Unit): Unit =
    fire((0 until elements.size).view.map(i => view(elements(i))), firing, out)

  def ofResult(result: InternalRow, firing: FiringContext, out: InternalRow => Unit): Unit =
    fire(Seq(view(result)), firing, out)

  private[this] def fire(elements: Iterable[Row], firing: FiringContext, out: InternalRow => Unit): Unit = {
    this.firing = firing
    call("process", place, out)(function.process(keyOf(firing), context, elements, collector))
  }

  def cleared(window: FiringContext): Unit = {
    firing = window
    call("clear", place, _ => ())(function.clear(context))
  }

  private[this] def place: String = s" and the window ${WindowInErrors.text(firing.window)}"

  private[this] final class Context extends ProcessWindowFunction.Context {
    def window: Window              = firing.window
    def currentWatermark: Long      = firing.watermark
    def currentProcessingTime: Long = firing.processingTime

    def windowState: KeyedStateStore = {
      if (isMerging)
        throw new UnsupportedOperationException(
          "windows that merge or count rows have no state of their own: use globalState, which is the key's"
        )
      new ScopedStateStore(firing.functionState, FunctionState.of(firing.window))
    }

    def globalState: KeyedStateStore = new ScopedStateStore(firing.functionState, FunctionState.OfKey)

    def output[X](tag: OutputTag[X], value: X): Unit = putOut(tag, value)
  }
}
