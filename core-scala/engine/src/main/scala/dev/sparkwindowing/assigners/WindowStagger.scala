package dev.sparkwindowing.assigners

import dev.sparkwindowing.windows.TimeWindow

import java.util.SplittableRandom

/** How far a tumbling grid is shifted beyond its offset, so that not all queries fire in the same moment.
  *
  * The shift is taken once, at the first element, and added to the offset modulo the size.
  */
sealed abstract class WindowStagger(val name: String) extends Product with Serializable {

  /** The shift in milliseconds.
    *
    * @param processingTime
    *   the clock when the first element came
    * @param size
    *   length of a window
    */
  def shift(processingTime: Long, size: Long): Long

  override def toString: String = name
}

object WindowStagger {

  /** None: all windows lie on the grid of epoch milliseconds. */
  case object Aligned extends WindowStagger("ALIGNED") {
    def shift(processingTime: Long, size: Long): Long = 0L
  }

  /** Drawn evenly from `[0, size)`. */
  case object Random extends WindowStagger("RANDOM") {
    def shift(processingTime: Long, size: Long): Long = new SplittableRandom().nextLong(size)
  }

  /** The distance of the first element's arrival from the start of its window. */
  case object Natural extends WindowStagger("NATURAL") {
    def shift(processingTime: Long, size: Long): Long = processingTime - TimeWindow.startOf(processingTime, 0L, size)
  }

  /** @throws java.lang.IllegalArgumentException if there is no stagger of that name */
  def of(name: String): WindowStagger = Seq(Aligned, Random, Natural).find(_.name == name).getOrElse {
    throw new IllegalArgumentException(s"stagger must be one of 'ALIGNED', 'RANDOM', 'NATURAL', got '$name'")
  }
}
