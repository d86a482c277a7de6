package dev.sparkwindowing.assigners

import dev.sparkwindowing.declaration.{Part, PartSpec, Spec}
import dev.sparkwindowing.windows.{SliceGrid, WindowCollector}

/** Event-time windows of several grids side by side, each with a name: an element is in the windows of all of them.
  *
  * Each result has the name of its windows, and is the same as if these were declared alone. Build it with
  * [[NamedWindows.of]].
  *
  * @param assigners
  *   the names and the windows, in the order in which windows with one end fire
  */
final case class NamedWindows private (assigners: Seq[(String, WindowAssigner[Any])]) extends EventTimeAssigner[Any] {

  def names: Seq[String] = assigners.map(_._1)

  /** The grids in the order of the names; calendar windows must have a time zone. */
  private[sparkwindowing] def grids: Seq[SliceGrid] = assigners.flatMap(_._2.slices)

  /** The same names with other windows, for those that the function knows. */
  private[sparkwindowing] def map(other: PartialFunction[WindowAssigner[Any], WindowAssigner[Any]]): NamedWindows =
    new NamedWindows(assigners.map { case (name, windows) =>
      name -> other.applyOrElse(windows, identity[WindowAssigner[Any]])
    })

  def assignWindows(element: Any, timestamp: Long, processingTime: Long, windows: WindowCollector): Unit =
    assigners.foreach(_._2.assignWindows(element, timestamp, processingTime, windows))

  override def spec: Spec =
    PartSpec("NamedWindows", options = assigners.map { case (name, windows) => name -> windows.spec })

  override def children: Seq[Part] = assigners.map(_._2)

  override def withChildren(children: Seq[Part]): Part =
    new NamedWindows(names.zip(children.map(_.asInstanceOf[WindowAssigner[Any]])))
}

object NamedWindows {

  /** @param assigners
    *   names and windows: tumbling, sliding, cumulative or calendar windows by event time
    * @throws java.lang.IllegalArgumentException
    *   if there are none, or a name is empty or comes twice
    * @throws java.lang.UnsupportedOperationException
    *   for windows that are not on a grid without gaps
    */
  def of(assigners: (String, WindowAssigner[Any])*): NamedWindows = {
    if (assigners.isEmpty)
      throw new IllegalArgumentException(
        "windows takes at least one name with its windows, such as minute=TumblingEventTimeWindows.of(\"1 minute\")"
      )
    assigners.foreach { case (name, windows) =>
      if (name == null || name.trim.isEmpty)
        throw new IllegalArgumentException(s"windows: $windows has no name: give it one, such as minute")
      checkGrid(name, windows)
    }
    val twice = assigners.map(_._1).diff(assigners.map(_._1).distinct)
    twice.headOption.foreach { name =>
      throw new IllegalArgumentException(s"windows: the name '$name' comes twice: give each of the windows its own")
    }
    new NamedWindows(assigners)
  }

  private def checkGrid(name: String, windows: WindowAssigner[Any]): Unit = windows match {
    case _: CalendarWindows      => ()
    case w if w.slices.isDefined => ()
    case other                   =>
      val why = other match {
        case s: StaggeredWindowAssigner[_] if s.isStaggered => "their grid begins at another time at each start"
        case _: SlidingEventTimeWindows => "there are gaps between them, a slide longer than the size"
        case _                          => "they are on no grid of event time"
      }
      throw new UnsupportedOperationException(
        s"windows: $name is $other, and $why: take TumblingEventTimeWindows, SlidingEventTimeWindows, " +
          "CumulativeEventTimeWindows or CalendarWindows, or declare these windows alone, by .window(..)"
      )
  }
}
