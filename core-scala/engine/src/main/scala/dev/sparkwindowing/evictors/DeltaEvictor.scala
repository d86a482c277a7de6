package dev.sparkwindowing.evictors

import dev.sparkwindowing.contents.ElementList
import dev.sparkwindowing.declaration.{Part, PartSpec, Spec}
import dev.sparkwindowing.functions.DeltaFunction

/** Keeps the elements whose delta to the last element of the window is less than `threshold`.
  *
  * The last element is compared with itself too, and is removed if that delta reaches the threshold. Build it with
  * [[DeltaEvictor.of]].
  *
  * @param threshold
  *   an element with a delta of exactly this is removed
  */
final case class DeltaEvictor[E] private (threshold: Double, delta: DeltaFunction[E], doEvictAfter: Boolean)
    extends OneTimeEvictor[E] {

  protected def evict(elements: ElementList[E]): Unit = if (!elements.isEmpty) {
    val last = elements(elements.size - 1)
    elements.removeIf(i => delta.delta(elements(i), last) >= threshold)
  }

  override def children: Seq[Part] = Seq(delta)

  override def withChildren(children: Seq[Part]): Evictor[E] = (children: @unchecked) match {
    case Seq(other: DeltaFunction[E @unchecked]) => copy(delta = other)
  }

  override def spec: Spec = PartSpec("DeltaEvictor", Seq("threshold" -> Spec.Real(threshold), "delta" -> delta.spec))
    .option("doEvictAfter", Spec.Flag(doEvictAfter), Spec.Flag(false))
}

object DeltaEvictor {

  /** @param delta
    *   distance from an element to the last one: called with the element, then the last
    * @param doEvictAfter
    *   evict after the function instead of before it
    */
  def of[E](threshold: Double, delta: DeltaFunction[E], doEvictAfter: Boolean = false): DeltaEvictor[E] = {
    if (delta == null) throw new NullPointerException("delta must not be null")
    new DeltaEvictor(threshold, delta, doEvictAfter)
  }
}
