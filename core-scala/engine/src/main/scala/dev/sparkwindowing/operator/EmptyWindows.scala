package dev.sparkwindowing.operator

import dev.sparkwindowing.assigners.{
  CountWindows,
  GlobalWindows,
  NamedWindows,
  OverEventTimeWindows,
  SlidingEventTimeWindows,
  StaggeredWindowAssigner,
  WindowAssigner
}
import dev.sparkwindowing.windows.{Millis, SliceGrid}

/** Rule of windows without elements: a window of a key fires at its end with no elements, if an earlier window of the
  * key had some and ended at most a given time before.
  *
  * @param grid
  *   the windows, from their assigner
  * @param forAtMost
  *   milliseconds from the end of the last window with elements to that of the last window without
  */
final case class EmptyWindows(grid: SliceGrid, forAtMost: Long) {

  /** True if the window that ends at `end` fires although it has no elements, if the last one with elements ended at
    * `since`.
    *
    * @param lastTime
    *   time after which no such window starts
    */
  def covers(since: Long, end: Long, lastTime: Long): Boolean =
    end - since <= forAtMost && grid.windowStart(end) <= lastTime
}

object EmptyWindows {

  /** The rule for the windows of an assigner.
    *
    * @throws java.lang.UnsupportedOperationException
    *   for windows that do not follow each other without gaps, from elements or not
    * @throws java.lang.IllegalArgumentException
    *   if the time is too short for a window
    */
  def of(assigner: WindowAssigner[_], forAtMost: Long): EmptyWindows = {
    def refuse(why: String) = throw new UnsupportedOperationException(
      s"fill_empty (fillEmpty in Scala) cannot be used with $assigner: $why. Take it away, or use TumblingEventTimeWindows, " +
        "SlidingEventTimeWindows, CumulativeEventTimeWindows or CalendarWindows"
    )
    val grid = (assigner.slices, assigner: Any) match {
      case (Some(grid), _)              => grid
      case (_, _: GlobalWindows)        => refuse("it has one window, which never ends")
      case (_, _: CountWindows)         => refuse("its windows end after a number of elements")
      case (_, _: OverEventTimeWindows) => refuse("each of its windows is that of an element")
      case _ if assigner.isMerging      => refuse("its windows follow from the elements, so none is without")
      case _ if !assigner.isEventTime   => refuse("its windows end by processing time, and not by that of elements")
      case (_, s: StaggeredWindowAssigner[_]) if s.isStaggered =>
        refuse("its grid begins at another time at each start")
      case (_, _: SlidingEventTimeWindows) => refuse("there are gaps between its windows: a slide longer than the size")
      case _                               => refuse("its windows are known only from the elements")
    }
    val step = longestStep(grid)
    if (forAtMost < step)
      throw new IllegalArgumentException(
        s"fill_empty(for_at_most=..) (fillEmpty in Scala) got ${Millis.show(forAtMost)}, and the next window of $assigner " +
          s"ends after up to ${Millis.show(step)}: take at least that"
      )
    EmptyWindows(grid, forAtMost)
  }

  /** Checks that there is such a rule for the windows of an assigner, and for those of each name.
    *
    * @throws java.lang.UnsupportedOperationException
    *   as `of`
    * @throws java.lang.IllegalArgumentException
    *   as `of`
    */
  def check(assigner: WindowAssigner[_], forAtMost: Long): Unit = (assigner: Any) match {
    case named: NamedWindows => named.assigners.foreach { case (_, windows) => of(windows, forAtMost) }
    case _                   => of(assigner, forAtMost): Unit
  }

  // The greatest time from the end of a window to that of the next: those of a calendar differ, by the change of the
  // clocks in a year, and by a day in four. From 2000 on, since fewer clocks changed before.
  private def longestStep(grid: SliceGrid): Long = {
    val first = grid.oldestEnd(Year2000)
    if (grid.isEven) grid.nextEnd(first) - first
    else {
      var end     = first
      var longest = first - grid.windowStart(first)
      var steps   = 0
      while (end < Century && steps < MaxSteps) {
        val next = grid.nextEnd(end)
        longest = math.max(longest, next - end)
        end = next
        steps += 1
      }
      longest
    }
  }

  private val Year2000 = 946684800000L
  private val Century  = Year2000 + 100L * 366 * 86400000
  private val MaxSteps = 3300 // days of nine years
}
