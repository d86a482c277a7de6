package dev.sparkwindowing.lateness

import java.util.Arrays

/** The micro-batches of a replay, in order, with the watermark behind each.
  *
  * @param numbers
  *   of the micro-batches that have rows
  * @param highest
  *   the greatest event time up to each, milliseconds; `Long.MinValue` if there is none
  * @param delay
  *   milliseconds
  * @param every
  *   milliseconds of a micro-batch; None if their numbers are no times
  */
private[lateness] final case class ReplayedBatches(
    numbers: Array[Long],
    highest: Array[Long],
    delay: Long,
    every: Option[Long]
) {
  def size: Int = numbers.length

  /** The place of a micro-batch by its number. */
  def placeOf(number: Long): Int = Arrays.binarySearch(numbers, number)

  /** The watermark of the engine behind a micro-batch, `Long.MinValue` before the first. */
  def watermark(place: Int): Long =
    if (place < 0 || highest(place) == Long.MinValue) Long.MinValue else highest(place) - delay - 1

  /** The time at which a micro-batch runs, when all of its rows have come. */
  def clock(place: Int): Long = every.fold(Long.MinValue)(length => (numbers(place) + 1) * length)

  /** The place of the first micro-batch from `from` on whose watermark reaches a time; `size` if none does. */
  def reaching(time: Long, from: Int): Int = first(from)(watermark(_) >= time)

  /** The same for its clock, which is behind the timers that are due. */
  def passing(time: Long, from: Int): Int = first(from)(clock(_) > time)

  private[this] def first(from: Int)(holds: Int => Boolean): Int = {
    var low  = from
    var high = size
    while (low < high) {
      val middle = (low + high) >>> 1
      if (holds(middle)) high = middle else low = middle + 1
    }
    low
  }
}
