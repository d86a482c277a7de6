package dev.sparkwindowing.functions

import dev.sparkwindowing.windows.Window

/** Computes any number of results of all elements of a window that fires; [[ProcessWindowFunction]] sees more. */
trait WindowFunction[IN, OUT, KEY] extends Serializable {
  def apply(key: KEY, window: Window, input: Iterable[IN], out: Collector[OUT]): Unit
}
