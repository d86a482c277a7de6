package dev.sparkwindowing.evictors

import dev.sparkwindowing.contents.ElementList
import dev.sparkwindowing.declaration.{PartSpec, Spec}
import dev.sparkwindowing.windows.Millis

import java.time.Duration

/** Keeps the elements of the last `size` of event time, counted back from the newest element of the window, not from
  * the watermark. An element exactly that old is removed.
  *
  * Removes nothing if the first element has no timestamp; a later element without a timestamp is an error. Build it
  * with [[TimeEvictor.of]].
  */
final case class TimeEvictor[E] private (size: Long, doEvictAfter: Boolean) extends OneTimeEvictor[E] {

  protected def evict(elements: ElementList[E]): Unit =
    if (!elements.isEmpty)
      if (elements.leastTimestamp != Long.MinValue) elements.removeUntil(elements.greatestTimestamp - size)
      else if (elements.timestamp(0) != Long.MinValue)
        throw new IllegalStateException(
          s"$this found an element without a timestamp (Long.MinValue) after one that has one: give every element an " +
            "event time, or use CountEvictor"
        )

  override def spec: Spec = PartSpec("TimeEvictor", Seq("size" -> Spec.millis(size)))
    .option("doEvictAfter", Spec.Flag(doEvictAfter), Spec.Flag(false))
}

object TimeEvictor {

  /** @param size
    *   event time to keep; 0 removes everything, as in Flink
    * @param doEvictAfter
    *   evict after the function instead of before it
    */
  def of[E](size: Duration, doEvictAfter: Boolean = false): TimeEvictor[E] =
    new TimeEvictor(Millis.of("size", size), doEvictAfter)
}
