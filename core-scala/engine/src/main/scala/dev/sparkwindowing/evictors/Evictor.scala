package dev.sparkwindowing.evictors

import dev.sparkwindowing.contents.ElementList
import dev.sparkwindowing.declaration.Part
import dev.sparkwindowing.windows.Window

/** Takes elements out of a window when it fires, before or after the function sees them. For good: the next firing does
  * not see them either.
  *
  * An evictor is an immutable value. One written by a user implements this trait.
  */
trait Evictor[E] extends Part {

  /** Called when the window fires, before the function. Evicting everything still calls the function, with nothing. */
  def evictBefore(elements: ElementList[E], window: Window, ctx: EvictorContext): Unit

  /** Called after the function, with the elements that `evictBefore` left. */
  def evictAfter(elements: ElementList[E], window: Window, ctx: EvictorContext): Unit
}

/** The two clocks, in milliseconds, as an evictor sees them. */
trait EvictorContext {

  /** The watermark, `Long.MinValue` before the first. */
  def currentWatermark: Long

  /** The clock. */
  def currentProcessingTime: Long
}
