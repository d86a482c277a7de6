package dev.sparkwindowing.functions

import dev.sparkwindowing.contents.ElementList
import dev.sparkwindowing.declaration.{PartSpec, Spec}

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

  /** Puts out the pairs in order of arrival of the left elements, then of the right ones; null stands for no partner.
    *
    * @param isLeft
    *   whether an element is of the left input, else it is of the right one
    * @param matches
    *   false if the elements have no partners, whatever the window holds
    */
  def join[E <: AnyRef](elements: ElementList[E], isLeft: JoinKind.Side[E], matches: Boolean, out: JoinKind.Pairs[E])(
      implicit tag: scala.reflect.ClassTag[E]
  ): Unit = {
    val rights  = new Array[E](elements.size)
    val count   = rightsOf(elements, isLeft, rights)
    val hasLeft = count < elements.size
    val none    = null.asInstanceOf[E]
    var i       = 0
    while (i < elements.size) {
      val element = elements(i)
      if (isLeft.is(element))
        if (matches && count > 0) pairs(element, rights, count, out)
        else if (keepsLeft) out.pair(element, none)
      i += 1
    }
    if (keepsRight && !(matches && hasLeft)) pairs(none, rights, count, out)
  }

  private def rightsOf[E <: AnyRef](elements: ElementList[E], isLeft: JoinKind.Side[E], rights: Array[E]): Int = {
    var count = 0
    var i     = 0
    while (i < elements.size) {
      val element = elements(i)
      if (!isLeft.is(element)) {
        rights(count) = element
        count += 1
      }
      i += 1
    }
    count
  }

  private def pairs[E <: AnyRef](left: E, rights: Array[E], count: Int, out: JoinKind.Pairs[E]): Unit = {
    var i = 0
    while (i < count) {
      out.pair(left, rights(i))
      i += 1
    }
  }
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

  /** Takes the pairs. */
  trait Pairs[-E] {
    def pair(left: E, right: E): Unit
  }
}
