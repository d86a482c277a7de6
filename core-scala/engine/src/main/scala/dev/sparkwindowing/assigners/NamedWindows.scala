package dev.sparkwindowing.assigners

import dev.sparkwindowing.declaration.{Part, PartSpec, Spec}
import dev.sparkwindowing.triggers.EventTimeTrigger
import dev.sparkwindowing.windows.{SliceGrid, WindowCollector}

/** Windows of several kinds side by side, each with a name: an element is in the windows of all of them. They are
  * windows by event time, and windows of a number of elements.
  *
  * Each result has the name of its windows, and is the same as if these were declared alone. Build it with
  * [[NamedWindows.of]].
  *
  * @param assigners
  *   the names and the windows, in the order in which windows with one end fire
  */
final case class NamedWindows private (assigners: Seq[(String, WindowAssigner[Any])]) extends EventTimeAssigner[Any] {

  def names: Seq[String] = assigners.map(_._1)

  /** The grids in the order of the names, of those that have one; calendar windows must have a time zone. */
  private[sparkwindowing] def grids: Seq[SliceGrid] = assigners.flatMap(_._2.slices)

  override def isMerging: Boolean = assigners.exists(_._2.isMerging)

  override private[sparkwindowing] def hasFixedBounds: Boolean = assigners.forall(_._2.hasFixedBounds)

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

  // That of all names, unless another is set.
  private val defaultTrigger = EventTimeTrigger.create()

  /** @param assigners
    *   names, and windows by event time or [[CountWindows]]
    * @throws java.lang.IllegalArgumentException
    *   if there are none, or a name is empty or comes twice
    * @throws java.lang.UnsupportedOperationException
    *   for windows by processing time, over windows, the global window, and those with a stagger or a trigger of their
    *   own
    */
  def of(assigners: (String, WindowAssigner[Any])*): NamedWindows = {
    if (assigners.isEmpty)
      throw new IllegalArgumentException(
        "windows takes at least one name with its windows, such as minute=TumblingEventTimeWindows.of(\"1 minute\")"
      )
    assigners.foreach { case (name, windows) =>
      if (name == null || name.trim.isEmpty)
        throw new IllegalArgumentException(s"windows: $windows has no name: give it one, such as minute")
      check(name, windows)
    }
    val twice = assigners.map(_._1).diff(assigners.map(_._1).distinct)
    twice.headOption.foreach { name =>
      throw new IllegalArgumentException(s"windows: the name '$name' comes twice: give each of the windows its own")
    }
    new NamedWindows(assigners)
  }

  private def check(name: String, windows: WindowAssigner[Any]): Unit = {
    def refuse(why: String) = throw new UnsupportedOperationException(
      s"windows: $name is $windows, and $why: take windows by event time or CountWindows, or declare these alone, by .window(..)"
    )
    windows match {
      case s: StaggeredWindowAssigner[_] if s.isStaggered => refuse("their grid begins at another time at each start")
      case _: CountWindows                                => ()
      case _: OverEventTimeWindows                        => refuse("each of them is that of a row")
      case _: GlobalWindows                               => refuse("there is one, which never ends")
      case _: NamedWindows                                => refuse("they have names of their own")
      case w if !w.isEventTime                            => refuse("they end by processing time")
      case w if w.defaultTrigger != defaultTrigger => refuse(s"they have a trigger of their own, ${w.defaultTrigger}")
      case _                                       => ()
    }
  }
}
