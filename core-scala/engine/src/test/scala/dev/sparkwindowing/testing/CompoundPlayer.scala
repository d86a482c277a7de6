package dev.sparkwindowing.testing

import dev.sparkwindowing.testing.ScenarioEvent._
import dev.sparkwindowing.watermarks.{IngestionTime, WatermarkInputs}

/** Plays steps that are several events for the operator: batches, and those of a strategy, whose generators and valve
  * make the watermarks.
  */
final class CompoundPlayer(operator: Player, s: Scenario) extends Player {
  private[this] var clock  = Long.MinValue
  private[this] val inputs = {
    def highest(event: ScenarioEvent): Int = event match {
      case r: Row        => r.input
      case Idle(input)   => input
      case Batch(events) => events.map(highest).max
      case _             => 0
    }
    s.watermarks.map { setup =>
      val count = s.steps.map(step => highest(step.event)).max + 1
      new WatermarkInputs[Row](Vector.fill(count)(setup.generator(() => clock)))
    }
  }

  def timers: TimerCounts = operator.timers
  def watermark: Long     = operator.watermark

  def play(steps: Seq[ScenarioStep]): Happened =
    steps.flatMap(step => play(step, step.event)).foldLeft(Happened(Nil, Nil, Nil)) { (all, h) =>
      Happened(all.fires ++ h.fires, all.late ++ h.late, all.cleared ++ h.cleared)
    }

  private def play(step: ScenarioStep, event: ScenarioEvent): Seq[Happened] = {
    def together(events: Seq[ScenarioEvent]): Seq[Happened] =
      if (events.isEmpty) Nil else Seq(operator.play(events.map(e => step.copy(event = e))))
    def risen: Seq[ScenarioEvent] = inputs.map(_.watermark).filter(_ != watermark).map(Watermark(_)).toSeq
    event match {
      case row: Row =>
        val stamped = stamp(row)
        val taken   = together(Seq(stamped))
        inputs.foreach(_.element(row.input, row, stamped.at))
        taken ++ together(risen)
      case Probe(time) =>
        clock = time
        inputs.foreach(_.probe())
        together(risen :+ Clock(time))
      case Clock(time) =>
        clock = time
        together(Seq(event))
      case Idle(input) =>
        inputs.foreach(_.idle(input))
        together(risen)
      case Batch(events) =>
        val (rows, times) = events.partition(_.isInstanceOf[Row])
        times.foreach { case Clock(time) => clock = time; case _ => () }
        val moved   = together(times.sortBy(_.isInstanceOf[Clock])) // timers of event time first
        val stamped = rows.collect { case row: Row => stamp(row) }
        val taken   = together(stamped)
        stamped.foreach(row => inputs.foreach(_.element(row.input, row, row.at)))
        inputs.foreach(_.probe())
        moved ++ taken ++ together(risen)
      case Watermark(_) | Restore => together(Seq(event))
    }
  }

  private def stamp(row: Row): Row =
    if (s.watermarks.exists(_.isIngestionTime)) row.copy(at = IngestionTime.stamp(clock, watermark)) else row
}
