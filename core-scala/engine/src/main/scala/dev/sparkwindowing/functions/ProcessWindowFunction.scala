package dev.sparkwindowing.functions

import dev.sparkwindowing.windows.Window

/** Computes any number of results from all elements of a firing window, with access to time, state that outlives the
  * firing, and side outputs. After an aggregate or a reduce it gets the one result.
  *
  * @tparam IN
  *   an element
  * @tparam OUT
  *   a result
  * @tparam KEY
  *   the key
  */
abstract class ProcessWindowFunction[IN, OUT, KEY] extends Serializable {

  /** Called when the window fires; without elements if an evictor left none. */
  def process(key: KEY, context: ProcessWindowFunction.Context, elements: Iterable[IN], out: Collector[OUT]): Unit

  /** Called when the window is cleaned up: clear its window state here, since nothing else does. Called once per
    * window, whether or not it ever fired; never for a session that was merged into another. There is no main output
    * here.
    */
  def clear(context: ProcessWindowFunction.Context): Unit = ()
}

object ProcessWindowFunction {

  /** Context of a firing. Valid during the call only. */
  trait Context {
    def window: Window

    /** The watermark, `Long.MinValue` before the first. */
    def currentWatermark: Long

    /** Processing time in milliseconds, `Long.MinValue` where it does not advance. */
    def currentProcessingTime: Long

    /** State of the key and this window. It survives firings and purges, and stays until the function clears it.
      *
      * @throws java.lang.UnsupportedOperationException
      *   for windows that merge
      */
    def windowState: KeyedStateStore

    /** State of the key, shared by its windows. */
    def globalState: KeyedStateStore

    /** Emits a record to a side output.
      *
      * @throws java.lang.IllegalArgumentException
      *   if the tag is null or was not declared
      */
    def output[X](tag: OutputTag[X], value: X): Unit
  }
}
