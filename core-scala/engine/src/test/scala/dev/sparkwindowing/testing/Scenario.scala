package dev.sparkwindowing.testing

import dev.sparkwindowing.assigners.WindowAssigner
import dev.sparkwindowing.evictors.Evictor
import dev.sparkwindowing.triggers.Trigger

/** A time line of tests/scenarios: what happens to a windowed stream, and what must come out of it. */
final case class Scenario(
    name: String,
    rule: String,
    window: () => WindowAssigner[String],
    trigger: Option[() => Trigger[String]],
    evictor: Option[() => Evictor[String]],
    allowedLateness: Long,
    error: Option[String],
    mustFail: Option[String],
    sameInBatches: Boolean,
    engineOnly: Boolean,
    withPane: Boolean,
    collapseFirings: Boolean,
    fillEmpty: Option[Long],
    watermarks: Option[WatermarkSetup],
    steps: IndexedSeq[ScenarioStep]
) {

  /** True if a step is more than one event for the operator. */
  def isCompound: Boolean = watermarks.isDefined || steps.exists(_.event.isInstanceOf[ScenarioEvent.Batch])
}

/** One step and what it must bring. None where nothing is expected to be looked at. `reaches` is the watermark after
  * it, Long.MinValue for none yet.
  */
final case class ScenarioStep(
    text: String,
    event: ScenarioEvent,
    fires: Seq[String],
    late: Seq[String],
    cleared: Option[Seq[String]],
    timers: Option[TimerCounts],
    error: Option[String],
    reaches: Option[Long] = None
)

/** Timers that are set after a step, of all keys. */
final case class TimerCounts(event: Int, clock: Int)

sealed trait ScenarioEvent

object ScenarioEvent {

  /** `at` is Long.MinValue for a row without a timestamp; `proves` is what a generator reads out of it. */
  final case class Row(key: String, value: String, at: Long, input: Int = 0, proves: Option[Long] = None)
      extends ScenarioEvent
  final case class Watermark(time: Long) extends ScenarioEvent
  final case class Clock(time: Long)     extends ScenarioEvent
  case object Restore                    extends ScenarioEvent

  /** Processing time advances and every input is probed. */
  final case class Probe(time: Long)                 extends ScenarioEvent
  final case class Idle(input: Int)                  extends ScenarioEvent
  final case class Batch(events: Seq[ScenarioEvent]) extends ScenarioEvent
}
