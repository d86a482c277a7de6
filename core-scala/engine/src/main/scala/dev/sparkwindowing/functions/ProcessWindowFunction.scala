package dev.sparkwindowing.functions

import dev.sparkwindowing.windows.Window

/** Computes any number of results of all elements of a window that fires, with what is around it: time, state that
  * outlives the firing, and further outputs. Behind an aggregate or a reduce it sees the one result.
  *
  * @tparam IN
  *   an element
  * @tparam OUT
  *   a result
  * @tparam KEY
  *   the key
  */
abstract class ProcessWindowFunction[IN, OUT, KEY] extends Serializable {

  /** The window fired. Called with nothing if an evictor has left nothing. */
  def process(key: KEY, context: ProcessWindowFunction.Context, elements: Iterable[IN], out: Collector[OUT]): Unit

  /** The window is cleaned up: drop the state that was kept for it, which nobody else does. Once a window, whether or
    * not it ever fired; never for a session that became part of another. There is no main output here.
    */
  def clear(context: ProcessWindowFunction.Context): Unit = ()
}

object ProcessWindowFunction {

  /** What a function sees beside the elements. Valid during the call only. */
  trait Context {
    def window: Window

    /** The watermark, `Long.MinValue` before the first. */
    def currentWatermark: Long

    /** The clock in milliseconds, `Long.MinValue` where it stands still. */
    def currentProcessingTime: Long

    /** State of the key and this window: survives firings and purges, and stays until the function clears it.
      *
      * @throws java.lang.UnsupportedOperationException
      *   for windows that merge
      */
    def windowState: KeyedStateStore

    /** State of the key, shared by its windows. */
    def globalState: KeyedStateStore

    /** Puts out a record to a side output.
      *
      * @throws java.lang.IllegalArgumentException
      *   if the tag is null or was not declared
      */
    def output[X](tag: OutputTag[X], value: X): Unit
  }
}
