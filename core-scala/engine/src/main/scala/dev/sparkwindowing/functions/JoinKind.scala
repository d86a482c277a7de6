package dev.sparkwindowing.functions

import dev.sparkwindowing.contents.ElementList
import dev.sparkwindowing.declaration.{PartSpec, Spec}

import scala.reflect.ClassTag

/** Joins the elements of two inputs in a window: all pairs, and the elements without partner that it keeps.
  *
  * @param keepsLeft
  *   whether an element of the left input without partner is put out
  * @param keepsRight
  *   the same of the right input
  */
sealed abstract class JoinKind(name: String, keepsLeft: Boolean, keepsRight: Boolean)
    extends Product
    with Serializable {

  def spec: Spec = PartSpec(s"$name join")

  /** The pairs of a window, in order of arrival of the left elements, then of the right ones; if the elements are too
    * many to be in memory, in this order by parts. They are of the elements as they are now, whatever becomes of the
    * window.
    *
    * @param isLeft
    *   whether an element is of the left input, else it is of the right one
    * @param matches
    *   false if the elements have no partners, whatever the window holds
    */
  def pairs[E >: Null <: AnyRef: ClassTag](
      elements: ElementList[E],
      isLeft: JoinKind.Side[E],
      matches: Boolean
  ): JoinPairs[E] = new JoinPairs[E](elements.blocks, isLeft, keepsLeft, keepsRight, matches)
}

object JoinKind {
  case object Inner extends JoinKind("inner", keepsLeft = false, keepsRight = false)
  case object Left  extends JoinKind("left", keepsLeft = true, keepsRight = false)
  case object Right extends JoinKind("right", keepsLeft = false, keepsRight = true)
  case object Full  extends JoinKind("full", keepsLeft = true, keepsRight = true)

  /** The input of an element. */
  trait Side[-E] {
    def is(element: E): Boolean
  }
}
