package dev.sparkwindowing.functions

import dev.sparkwindowing.declaration.Part

/** How far one element is from another, for triggers and evictors that go by change. */
trait DeltaFunction[E] extends Part {

  /** The distance from the element that is compared with to the other. */
  def delta(old: E, element: E): Double

  /** An element that may be kept, made of one that may be a reused buffer. */
  def keep(element: E): E = element
}
