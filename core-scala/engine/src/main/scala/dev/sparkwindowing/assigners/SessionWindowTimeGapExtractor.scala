package dev.sparkwindowing.assigners

import dev.sparkwindowing.declaration.Part
import dev.sparkwindowing.windows.Millis

/** Extracts the session gap of an element, for gaps that differ between elements. */
trait SessionWindowTimeGapExtractor[-E] extends Part {

  /** The gap in milliseconds, positive. */
  def extract(element: E): Long
}

/** Checks of the gap shared by the session assigners. */
private[assigners] object SessionGap {

  def check(name: String, gap: java.time.Duration): Long = {
    val g = Millis.of("gap", gap)
    if (g <= 0) throw new IllegalArgumentException(s"$name: gap must be positive, got ${Millis.show(g)}")
    g
  }

  def of[E](extractor: SessionWindowTimeGapExtractor[E], element: E): Long = {
    val gap = extractor.extract(element)
    if (gap <= 0)
      throw new IllegalArgumentException(s"the dynamic gap of a session must be positive, got $gap ms")
    gap
  }
}
