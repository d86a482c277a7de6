package dev.sparkwindowing.operator

/** Storage of the elements of a window, slice or timestamp. */
sealed abstract class Stored(val code: String) extends Product with Serializable

object Stored {

  /** Elements are not stored. */
  case object Nothing extends Stored("nothing")

  /** The contents of the computation: an accumulator, or all elements if it needs them. */
  case object Contents extends Stored("contents")

  /** All elements, for a host that computes their contents in each firing. */
  case object Elements extends Stored("elements")

  case object ContentsAndElements extends Stored("contents and elements")
}
