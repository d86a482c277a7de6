package dev.sparkwindowing.assigners

import dev.sparkwindowing.declaration.Part

/** Extracts the session gap of an element, for gaps that differ between elements. */
trait SessionWindowTimeGapExtractor[-E] extends Part {

  /** The gap in milliseconds, positive. */
  def extract(element: E): Long
}

/** Check of the gap of an element. */
private[assigners] object SessionGap {

  def of[E](extractor: SessionWindowTimeGapExtractor[E], element: E): Long = {
    val gap = extractor.extract(element)
    if (gap <= 0)
      throw new IllegalArgumentException(s"the dynamic gap of a session must be positive, got $gap ms")
    gap
  }
}
