package dev.sparkwindowing.spark.computations

import dev.sparkwindowing.functions.{KeyedStateStore, OutputTag, ProcessWindowFunction, SideOutput}
import dev.sparkwindowing.state.{FunctionState, ScopedStateStore}
import dev.sparkwindowing.windows.{GlobalWindow, TimeWindow, Window, WindowCollector}
import org.apache.spark.sql.Row
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types.{StructField, StructType}

/** Runs a user's window function in a task, with times, state and side outputs.
  *
  * @param isMerging
  *   whether windows merge or change their bounds, so that they have no state of their own
  */
private[computations] final class ProcessCall(
    function: ProcessWindowFunction[Row, Row, Row],
    keys: Seq[StructField],
    schema: StructType,
    sides: Seq[SideOutput],
    isMerging: Boolean
) extends RowCall(function, keys, schema, sides) {
  private[this] val context               = new Context
  private[this] var firing: FiringContext = _

  protected def here: KeyContext = firing

  /** Calls the function for a firing with these elements. */
  def fire(elements: Iterable[Row], firing: FiringContext, out: InternalRow => Unit): Unit = {
    this.firing = firing
    call("process", place, out)(function.process(keyOf(firing), context, elements, collector))
  }

  /** Calls the function's clean-up for a window. */
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
      val scope = firing.window match {
        case TimeWindow(start, end) => FunctionState.OfWindow(start, end)
        case GlobalWindow           => FunctionState.OfWindow(WindowCollector.Global, WindowCollector.Global)
      }
      new ScopedStateStore(firing.functionState, scope)
    }

    def globalState: KeyedStateStore = new ScopedStateStore(firing.functionState, FunctionState.OfKey)

    def output[X](tag: OutputTag[X], value: X): Unit = putOut(tag, value)
  }
}
