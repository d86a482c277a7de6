package dev.sparkwindowing.simulation

import dev.sparkwindowing.assigners.LimitedSessionWindows
import dev.sparkwindowing.operator.KeyedPlan
import dev.sparkwindowing.triggers.PurgingTrigger
import dev.sparkwindowing.windows.{GlobalWindow, TimeWindow, Window}

/** Membership of elements in the windows of a run, and in their firings. */
private[simulation] final class WhyMembers(plan: KeyedPlan.Windowed[_]) {
  private[this] val isMerging = plan.assigner.isMerging
  private[this] val isLimited = (plan.assigner: Any).isInstanceOf[LimitedSessionWindows[_]]

  /** The windows of an element. Of over windows of rows it is that of the element itself.
    *
    * @param missed
    *   if it was late, the newest window that it was late for, if there is one
    * @param since
    *   the events of its key from the element on
    */
  def windowsOf(note: ElementNote, missed: Option[Option[Window]], since: Seq[TraceEvent]): Seq[Window] = plan match {
    case _ if missed.nonEmpty && (isMerging || isOver) => missed.flatten.orElse(note.windows.headOption).toSeq
    case KeyedPlan.Over(over, _, _, _, _, _)           =>
      val seen = (since.filter(_.kind == "fired").flatMap(_.window) ++ openIn(since)).filter(holds(_, note))
      if (over.countsRows) seen.filter(w => note.place.contains(w.maxTimestamp)).lastOption.toSeq
      else seen.distinct.sortBy(_.maxTimestamp)
    case _ if isMerging && note.windows.nonEmpty =>
      val (before, ended) = since.filter(isOfSession(note, _)).span(_.kind != "cleared")
      val session         = ended.headOption
        .flatMap(_.window)
        .orElse(openIn(since).find(holds(_, note)))
        .orElse(before.lastOption.flatMap(_.window))
      Seq(session.getOrElse(note.windows.head))
    case _ => note.windows.sortBy(_.maxTimestamp)
  }

  private[this] def isOver = plan.isInstanceOf[KeyedPlan.Over[_]]

  // A firing or the end of a session that has the element.
  private[this] def isOfSession(note: ElementNote, event: TraceEvent) =
    (event.kind == "fired" || event.kind == "cleared") && event.window.exists(holds(_, note))

  /** Whether the time of an element is in a window. */
  def holds(window: Window, note: ElementNote): Boolean = window match {
    case TimeWindow(start, end) => note.place.exists(t => start <= t && t < end)
    case GlobalWindow           => true
  }

  /** Whether an event is of a window, of which an element is one. A session that has merged fired with other bounds
    * before.
    */
  def isOf(event: TraceEvent, window: Window, note: Option[ElementNote]): Boolean =
    event.window.exists(w => w == window || isMerging && note.exists(holds(w, _)))

  /** Whether an element that was taken is in a window. */
  def isIn(note: ElementNote, window: Window): Boolean =
    if (isOver || isMerging) holds(window, note) && (isOver || note.windows.nonEmpty) else note.windows.contains(window)

  /** The windows of a key that are open at the end, as the events of the key say. */
  def openIn(events: Seq[TraceEvent]): Seq[Window] =
    events.drop(events.lastIndexWhere(_.kind == "key") + 1).filter(_.kind == "open").flatMap(_.window)

  /** The firings that had an element, and whether that is certain: of those behind it the first, if each firing purges.
    */
  def firings(fired: Seq[TraceEvent], ofElement: Boolean): Seq[Why.Firing] = {
    val (all, isCertain) = plan.trigger match {
      case PurgingTrigger(inner) if !inner.purges && ofElement => (fired.take(1), true)
      case trigger                                             => (fired, !ofElement || !trigger.purges)
    }
    val keeps = !ofElement || plan.evictor.isEmpty && !isLimited
    all.map(e => Why.Firing(e.step, e.detail.getOrElse(""), isCertain && keeps))
  }
}
