package dev.sparkwindowing.operator

import dev.sparkwindowing.assigners.{
  GlobalWindows,
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
      case (_, _: OverEventTimeWindows) => refuse("each of its windows is that of an element")
      case _ if assigner.isMerging      => refuse("its windows follow from the elements, so none is without")
      case _ if !assigner.isEventTime   => refuse("its windows end by processing time, and not by that of elements")
      case (_, s: StaggeredWindowAssigner[_]) if s.isStaggered =>
        refuse("its grid begins at another time at each start")
      case (_, _: SlidingEventTimeWindows) => refuse("there are gaps between its windows: a slide longer than the size")
      case _                               => refuse("its windows are known only from the elements")
    }
    val step = grid.nextEnd(grid.oldestEnd(0L)) - grid.oldestEnd(0L)
    if (forAtMost < step)
      throw new IllegalArgumentException(
        s"fill_empty(for_at_most=..) (fillEmpty in Scala) got ${Millis.show(forAtMost)}, and the next window of $assigner " +
          s"ends after ${Millis.show(step)}: take at least that"
      )
    EmptyWindows(grid, forAtMost)
  }
}
