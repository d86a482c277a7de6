package dev.sparkwindowing.conformance

/** Finds the difference between two answers to the same event, as far as Flink guarantees anything.
  *
  * @param setup
  *   the setup of the operators
  * @param joined
  *   whether live sessions have merged so far: then the order of their elements is undefined, and with it which of them
  *   an evictor removes, and what remains of them
  */
final class Comparison(setup: Setup, joined: Boolean, compareTimers: Boolean) {

  /** The difference, None if they agree. */
  def difference(event: Event, ours: Answer, flink: Answer): Option[String] = (ours.failure, flink.failure) match {
    case (Some(a), Some(b)) => if (sameFailure(a, b)) None else Some("failure")
    case (None, None)       =>
      Seq(
        "firings"           -> (firings(event, ours) == firings(event, flink)),
        "late elements"     -> lateAgree(ours, flink),
        "cleared windows"   -> (!tellsClears || ours.cleared.sorted == flink.cleared.sorted),
        "event-time timers" -> timersAgree(ours.eventTimers, flink.eventTimers),
        "processing timers" -> timersAgree(ours.processingTimers, flink.processingTimers)
      ).collectFirst { case (what, false) => what }
    case _ => Some("failure")
  }

  /** True if this project failed with the same kind of error as Flink. */
  def sameFailure(ours: Throwable, flink: Throwable): Boolean = flink.getClass.isInstance(ours)

  private def timersAgree(ours: Int, flink: Int): Boolean =
    !compareTimers || (if (LeftOut.staleTimers(setup)) ours <= flink else ours == flink)

  // Only a process function hears of it.
  private def tellsClears: Boolean = setup.contents match {
    case ContentsSetup.Apply | _: ContentsSetup.Join     => false
    case ContentsSetup.Process | ContentsSetup.Aggregate => true
  }

  // Without a late output Flink only counts.
  private def lateAgree(ours: Answer, flink: Answer): Boolean =
    if (setup.lateOutput) ours.late == flink.late && flink.dropped == 0
    else ours.late.size == flink.dropped && flink.late.isEmpty

  // Windows of one element fire in the assigner's order. Timers of a key fire in the order of their times; order among
  // equal ones, and among keys, is open.
  private def firings(event: Event, answer: Answer): Any = {
    val shown = answer.firings.map(showValues)
    event match {
      case _: Event.Element => shown
      case _                => shown.groupBy(_.key).map { case (key, list) => key -> runs(list) }
    }
  }

  private def runs(list: Seq[Firing]): Seq[Seq[Firing]] =
    if (list.isEmpty) Nil
    else {
      val (run, rest) = list.span(_.timer == list.head.timer)
      run.sortBy(f => (f.start, f.end, f.values.mkString(" "))) +: runs(rest)
    }

  private def showValues(f: Firing): Firing =
    if (!joined) f
    else
      setup.contents match {
        // The number of elements is what is left to compare, and of a join that it fired: which of them were left decides
        // how many pairs there are.
        case _: ContentsSetup.Join if setup.evictor.isDefined   => f.copy(values = Nil)
        case ContentsSetup.Aggregate if setup.evictor.isDefined => f.copy(values = f.values.take(1))
        case _ if setup.evictor.isDefined                       => f.copy(values = Seq(f.values.size.toLong))
        case _: ContentsSetup.Join   => f.copy(values = f.values.grouped(2).toSeq.sortBy(p => (p.head, p.last)).flatten)
        case ContentsSetup.Aggregate => f
        case _                       => f.copy(values = f.values.sorted)
      }
}
