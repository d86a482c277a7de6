package dev.sparkwindowing.evictors

import dev.sparkwindowing.contents.ElementList
import dev.sparkwindowing.declaration.{PartSpec, Spec}

/** Keeps the last `maxCount` elements, in order of arrival. 0 or less keeps none, as in Flink. */
final case class CountEvictor[E] private (maxCount: Long, doEvictAfter: Boolean) extends OneTimeEvictor[E] {

  protected def evict(elements: ElementList[E]): Unit =
    elements.removeFirst(math.max(0L, elements.size - math.max(0L, maxCount)).toInt)

  override def spec: Spec = PartSpec("CountEvictor", Seq("maxCount" -> Spec.Count(maxCount)))
    .option("doEvictAfter", Spec.Flag(doEvictAfter), Spec.Flag(false))
}

object CountEvictor {

  /** @param maxCount
    *   number of elements to keep
    * @param doEvictAfter
    *   evict after the function instead of before it
    */
  def of[E](maxCount: Long, doEvictAfter: Boolean = false): CountEvictor[E] = new CountEvictor(maxCount, doEvictAfter)
}
