package dev.sparkwindowing.testing

import scala.util.control.NonFatal

/** Where a scenario and the operator disagree.
  *
  * @param kind
  *   fires, late, cleared, timers, reaches or error
  * @param steps
  *   the steps that were played together
  */
final case class Mismatch(kind: String, steps: Seq[Int], expected: Any, got: Any)

/** Plays a scenario in one way and compares. */
object ScenarioRun {

  /** The first mismatch, None if the scenario holds. */
  def check(s: Scenario, kept: Kept[_ <: AnyRef], replay: Replay): Option[Mismatch] = checkKept(s, kept, replay)

  private def checkKept[C <: AnyRef](s: Scenario, kept: Kept[C], replay: Replay): Option[Mismatch] =
    (attempt(kept.operator(s)), s.error) match {
      case (Left(got), expected)      => errorMismatch(Nil, expected, Some(got))
      case (Right(_), Some(expected)) => errorMismatch(Nil, Some(expected), None)
      case (Right(operator), None)    =>
        val player = replay.player(operator, kept, Shown.of(s))
        played(s, if (s.isCompound) new CompoundPlayer(player, s) else player, replay.groups(s.steps))
    }

  /** The first mismatch when the steps are played in these groups. */
  def played(s: Scenario, player: Player, groups: Seq[Seq[Int]]): Option[Mismatch] = {
    // Behind an expected error nothing is played.
    val end = groups.indexWhere(_.exists(s.steps(_).error.nonEmpty))
    (if (end < 0) groups else groups.take(end + 1)).iterator
      .map(group => play(s, player, group))
      .collectFirst { case Some(mismatch) => mismatch }
  }

  private def play(s: Scenario, player: Player, group: Seq[Int]): Option[Mismatch] = {
    val steps         = group.map(s.steps)
    val expectedError = steps.flatMap(_.error).headOption
    attempt(player.play(steps)) match {
      case Left(got)                          => errorMismatch(group, expectedError, Some(got))
      case Right(_) if expectedError.nonEmpty => errorMismatch(group, expectedError, None)
      case Right(happened)                    => compare(group, steps, happened, player)
    }
  }

  private def compare(
      group: Seq[Int],
      steps: Seq[ScenarioStep],
      happened: Happened,
      player: Player
  ): Option[Mismatch] = {
    def lines(kind: String, expected: Seq[String], got: Seq[String]): Option[Mismatch] =
      if (byKey(expected) == byKey(got)) None else Some(Mismatch(kind, group, expected, got))
    lines("fires", steps.flatMap(_.fires), happened.fires)
      .orElse(lines("late", steps.flatMap(_.late), happened.late))
      .orElse {
        val expected = steps.flatMap(_.cleared)
        if (expected.isEmpty) None else lines("cleared", expected.flatten, happened.cleared)
      }
      .orElse(steps.last.timers.filter(_ != player.timers).map(t => Mismatch("timers", group, t, player.timers)))
      .orElse {
        steps.last.reaches.filter(_ != player.watermark).map(w => Mismatch("reaches", group, w, player.watermark))
      }
  }

  // The order of keys is open, the order within a key is not.
  private def byKey(lines: Seq[String]): Map[String, Seq[String]] = lines.groupBy(_.takeWhile(_ != ' '))

  private def errorMismatch(group: Seq[Int], expected: Option[String], got: Option[Throwable]): Option[Mismatch] =
    (expected, got) match {
      case (Some(text), Some(e)) if String.valueOf(e.getMessage).contains(text) => None
      case _ => Some(Mismatch("error", group, expected.getOrElse("none"), got.fold("none")(_.toString)))
    }

  private def attempt[T](body: => T): Either[Throwable, T] =
    try Right(body)
    catch { case NonFatal(e) => Left(e) }

  /** The steps of a scenario with the failing ones marked. */
  def explain(s: Scenario, how: String, mismatch: Mismatch): String = {
    val steps = s.steps.zipWithIndex.map { case (step, i) =>
      (if (mismatch.steps.contains(i)) "--> " else "    ") + step.text
    }
    val head = s""""${s.name}" (rule ${s.rule}), $how: ${mismatch.kind} differ"""
    (head +: steps :+ s"expected: ${show(mismatch.expected)}" :+ s"got:      ${show(mismatch.got)}").mkString("\n")
  }

  private def show(value: Any): String = value match {
    case Nil           => "nothing"
    case lines: Seq[_] => lines.mkString(", ")
    case other         => other.toString
  }
}
