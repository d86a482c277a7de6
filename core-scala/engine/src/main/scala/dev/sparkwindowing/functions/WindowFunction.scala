package dev.sparkwindowing.functions

import dev.sparkwindowing.windows.Window

/** Computes any number of results from all elements of a firing window; [[ProcessWindowFunction]] has more context. */
trait WindowFunction[IN, OUT, KEY] extends Serializable {
  def apply(key: KEY, window: Window, input: Iterable[IN], out: Collector[OUT]): Unit
}
