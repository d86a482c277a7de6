package dev.sparkwindowing.evictors

import dev.sparkwindowing.contents.ElementList
import dev.sparkwindowing.declaration.Part
import dev.sparkwindowing.windows.Window

/** Removes elements from a window when it fires, before or after the function is called. Removed elements are gone for
  * later firings too. The list of elements is valid during a call, and elements can only be removed from it.
  *
  * An evictor is an immutable value. A custom evictor implements this trait.
  */
trait Evictor[E] extends Part {

  /** Called when the window fires, before the function. The function is called even if no element is left. */
  def evictBefore(elements: ElementList[E], window: Window, ctx: EvictorContext): Unit

  /** Called after the function, with the elements that `evictBefore` left. */
  def evictAfter(elements: ElementList[E], window: Window, ctx: EvictorContext): Unit
}

/** Evictor that evicts either before the function or after it. */
private[evictors] trait OneTimeEvictor[E] extends Evictor[E] {
  def doEvictAfter: Boolean
  protected def evict(elements: ElementList[E]): Unit

  def evictBefore(elements: ElementList[E], window: Window, ctx: EvictorContext): Unit =
    if (!doEvictAfter) evict(elements)

  def evictAfter(elements: ElementList[E], window: Window, ctx: EvictorContext): Unit =
    if (doEvictAfter) evict(elements)
}

/** Context of an evictor call: watermark and processing time, in milliseconds. */
trait EvictorContext {

  /** The watermark, `Long.MinValue` before the first. */
  def currentWatermark: Long

  /** Processing time. */
  def currentProcessingTime: Long
}
