package dev.sparkwindowing.assigners

import dev.sparkwindowing.declaration.Part

/** Determines the elements that end their session. */
trait SessionEnd[-E] extends Part {

  /** True if the element is the last of its session. */
  def isEnd(element: E): Boolean
}
