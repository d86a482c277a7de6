package dev.sparkwindowing.conformance

import scala.annotation.tailrec
import scala.util.{Success, Try}

/** Runs a case on both operators side by side and compares after every event.
  *
  * @param distort
  *   what is changed in this project's specification: the identity, or an error that must be found
  * @param alter
  *   what is changed in its triggers
  * @param compareTimers
  *   whether the numbers of timers are compared too, besides what comes out
  */
final class CaseRun(
    distort: Setup => Setup = identity,
    compareTimers: Boolean = true,
    alter: OurSide.Alter = (_, trigger) => trigger
) {

  def run(c: RandomCase): CaseResult =
    (
      Try(OurSide(distort(c.setup), c.clock, onlyDue = c.seed % 2 == 0, alter)),
      Try(new FlinkSide(c.setup, c.clock))
    ) match {
      case (Success(ours), Success(flink)) =>
        try play(c, ours, flink, 0, Tally())
        finally flink.close()
      case (ours, flink) =>
        flink.foreach(_.close())
        refused(ours.failed.toOption, flink.failed.toOption, c.setup)
    }

  private def refused(ours: Option[Throwable], flink: Option[Throwable], setup: Setup): CaseResult = {
    val agree = ours.exists(a => flink.exists(new Comparison(setup, joined = false, compareTimers).sameFailure(a, _)))
    if (agree) CaseResult.Agreed(Tally(refusals = 1))
    else CaseResult.Differed(-1, "refusal", Answer.failed(ours.orNull), Answer.failed(flink.orNull))
  }

  @tailrec
  private def play(c: RandomCase, ours: OurHost[_ <: AnyRef], flink: Side, i: Int, tally: Tally): CaseResult =
    if (i == c.events.size) CaseResult.Agreed(tally)
    else if (ours.leavesOut(c.setup, c.events(i))) CaseResult.Agreed(tally.copy(leftOut = 1))
    else {
      val event  = c.events(i)
      val a      = ours.take(event)
      val b      = flink.take(event)
      val joined = ours.joins > 0
      val now    = tally.add(event, b).copy(joins = ours.joins)
      if (LeftOut.lastElementOpen(c.setup, joined)) CaseResult.Agreed(now.copy(leftOut = 1))
      else
        new Comparison(c.setup, joined, compareTimers).difference(event, a, b) match {
          case Some(what)                  => CaseResult.Differed(i, what, a, b)
          case None if b.failure.isDefined => CaseResult.Agreed(now)
          case None                        => play(c, ours, flink, i + 1, now)
        }
    }

  /** `c`, which differs, without the events that can be left out one by one. */
  def shrink(c: RandomCase): RandomCase = {
    val cut = run(c) match {
      case CaseResult.Differed(at, _, _, _) => c.copy(events = c.events.take(at + 1))
      case CaseResult.Agreed(_)             => c
    }
    val smaller = cut.events.indices.reverse.foldLeft(cut) { (now, i) =>
      val candidate = now.copy(events = now.events.patch(i, Nil, 1))
      if (differs(candidate)) candidate else now
    }
    if (smaller.events.size < c.events.size) shrink(smaller) else smaller
  }

  private def differs(c: RandomCase): Boolean = run(c) match {
    case _: CaseResult.Differed => true
    case _: CaseResult.Agreed   => false
  }

  /** A case that differs, shrunk, for a person to read. */
  def report(original: RandomCase): String = {
    val c = shrink(original)
    run(c) match {
      case CaseResult.Agreed(_)                       => s"seed ${c.seed} differs no more after shrinking"
      case CaseResult.Differed(at, what, ours, flink) =>
        val lines = c.events.zipWithIndex.map { case (e, i) => (if (i == at) "  --> " else "      ") + e }
        s"""they differ in: $what; run again with SBT_OPTS="-Dseed=${c.seed} -Dcases=1"
           |${c.setup}, clock ${c.clock}
           |${lines.mkString("\n")}
           |ours:  $ours
           |Flink: $flink""".stripMargin
    }
  }
}

sealed trait CaseResult extends Product with Serializable

object CaseResult {
  final case class Agreed(tally: Tally) extends CaseResult

  /** @param at the position of the event that told, -1 if one of the two was not even built */
  final case class Differed(at: Int, what: String, ours: Answer, flink: Answer) extends CaseResult
}
