package dev.sparkwindowing.functions

import dev.sparkwindowing.declaration.Part

/** Distance between two elements, for delta triggers and evictors. */
trait DeltaFunction[E] extends Part {

  /** The distance from the reference element to the other. */
  def delta(old: E, element: E): Double

  /** A copy that may be kept of an element that may be a reused buffer. */
  def keep(element: E): E = element
}
