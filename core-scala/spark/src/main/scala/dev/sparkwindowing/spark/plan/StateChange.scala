package dev.sparkwindowing.spark.plan

import dev.sparkwindowing.triggers._

import scala.util.matching.Regex

/** A difference between a query and the one that kept the state of its checkpoint, which that state can be taken over
  * from.
  *
  * @param newTrigger
  *   whether the trigger is another one, so that its timers must be set
  */
private[spark] final case class StateChange(newTrigger: Boolean)

private[spark] object StateChange {

  /** Whether the state can be taken over where a line of the specification has changed. */
  def isSafe(name: String, was: String, is: String): Boolean = name match {
    case "allowed lateness" => isLonger(was, is)
    case "trigger"          => (isMemoryless(was) && isMemoryless(is)) || (isTimed(is) && isLonger(was, is))
    case _                  => false
  }

  /** What must be done with the state after safe changes. */
  def of(changes: Seq[(String, String, String)]): StateChange =
    StateChange(changes.exists { case (name, was, is) => name == "trigger" && isMemoryless(was) && isMemoryless(is) })

  private val memoryless: Set[String] =
    Seq(EventTimeTrigger.create(), ProcessingTimeTrigger.create(), NeverTrigger.create())
      .flatMap(trigger => Seq(trigger, PurgingTrigger.of(trigger)))
      .map(PartText.of)
      .toSet

  private def isMemoryless(trigger: String): Boolean = memoryless(trigger)

  // Those that remember when they fire next, and find the time after that by the interval.
  private def isTimed(trigger: String): Boolean =
    Seq("AfterWatermark", "ContinuousEventTimeTrigger", "ContinuousProcessingTimeTrigger").exists { name =>
      trigger.startsWith(s"$name(") || trigger.startsWith(s"PurgingTrigger($name(")
    }

  private val Time: Regex = """(\d+) (ms|s|min|h|d)\b""".r

  private val Units = Map("ms" -> 1L, "s" -> 1000L, "min" -> 60000L, "h" -> 3600000L, "d" -> 86400000L)

  /** Whether the texts differ in times alone, and none of them has become shorter. */
  private def isLonger(was: String, is: String): Boolean =
    Time.replaceAllIn(was, "_") == Time.replaceAllIn(is, "_") &&
      times(was).zip(times(is)).forall { case (before, now) => now >= before }

  private def times(text: String): Seq[BigInt] =
    Time.findAllMatchIn(text).map(m => BigInt(m.group(1)) * Units(m.group(2))).toSeq
}
