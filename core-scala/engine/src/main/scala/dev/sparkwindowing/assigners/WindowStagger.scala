package dev.sparkwindowing.assigners

import dev.sparkwindowing.windows.TimeWindow

import java.util.SplittableRandom

/** Shift of a tumbling grid in addition to its offset, so that queries do not all fire at the same moment.
  *
  * The shift is determined once, at the first element, and added to the offset modulo the size.
  */
sealed abstract class WindowStagger(val name: String) extends Product with Serializable {

  /** The shift in milliseconds.
    *
    * @param processingTime
    *   processing time of the first element
    * @param size
    *   length of a window
    */
  def shift(processingTime: Long, size: Long): Long

  override def toString: String = name
}

object WindowStagger {

  /** No shift: all windows are aligned to epoch milliseconds. */
  case object Aligned extends WindowStagger("ALIGNED") {
    def shift(processingTime: Long, size: Long): Long = 0L
  }

  /** Random shift, uniformly distributed over `[0, size)`. */
  case object Random extends WindowStagger("RANDOM") {
    def shift(processingTime: Long, size: Long): Long = new SplittableRandom().nextLong(size)
  }

  /** Processing time of the first element minus the start of the aligned window that contains it. */
  case object Natural extends WindowStagger("NATURAL") {
    def shift(processingTime: Long, size: Long): Long = processingTime - TimeWindow.startOf(processingTime, 0L, size)
  }

  /** @throws java.lang.IllegalArgumentException if there is no stagger of that name */
  def of(name: String): WindowStagger = Seq(Aligned, Random, Natural).find(_.name == name).getOrElse {
    throw new IllegalArgumentException(s"stagger must be one of 'ALIGNED', 'RANDOM', 'NATURAL', got '$name'")
  }
}
