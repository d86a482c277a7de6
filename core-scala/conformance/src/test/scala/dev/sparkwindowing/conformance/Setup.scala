package dev.sparkwindowing.conformance

import dev.sparkwindowing.functions.JoinKind

/** Plain values from which both operators are built; times are milliseconds.
  *
  * @param trigger
  *   None for the assigner's default
  * @param lateOutput
  *   whether late elements go to a side output; else they are only counted
  */
final case class Setup(
    assigner: AssignerSetup,
    trigger: Option[TriggerSetup],
    evictor: Option[EvictorSetup],
    lateness: Long,
    contents: ContentsSetup,
    lateOutput: Boolean
) {

  /** Every part in a few words, without its numbers: what the random cases should cover. */
  def kinds: Seq[String] = Seq(
    "assigner " + assigner.kind,
    "trigger " + trigger.fold("default")(_.chain.mkString(" ")),
    "evictor " + evictor.fold("none")(_.kind),
    "lateness " + (if (lateness == 0) "none" else if (lateness > 1000000L) "huge" else "some"),
    "contents " + contents,
    "late elements " + (if (lateOutput) "output" else "counted")
  )

  /** The kinds, with a nested trigger as one kind for each of its parts. */
  def parts: Seq[String] =
    kinds.filterNot(_.startsWith("trigger ")) ++ trigger.fold(Seq("default"))(_.chain).distinct.map("trigger " + _)

  /** True if the trigger, or one nested in it, is of this kind. */
  def hasTrigger(kind: String): Boolean = trigger.exists(_.chain.contains(kind))
}

/** @param isMerging
  *   whether its windows are sessions
  */
sealed abstract class AssignerSetup(val kind: String, val isEventTime: Boolean, val isMerging: Boolean = false)
    extends Product
    with Serializable {
  def isGlobal: Boolean = false
}

object AssignerSetup {
  final case class TumblingEventTime(size: Long, offset: Long) extends AssignerSetup("tumbling", isEventTime = true)
  final case class SlidingEventTime(size: Long, slide: Long, offset: Long)
      extends AssignerSetup("sliding", isEventTime = true)
  final case class CumulativeEventTime(step: Long, steps: Long, offset: Long)
      extends AssignerSetup("cumulative", isEventTime = true)
  final case class Session(gap: Long) extends AssignerSetup("session", isEventTime = true, isMerging = true)
  final case class DynamicSession(gaps: Gaps)
      extends AssignerSetup("dynamic session", isEventTime = true, isMerging = true)
  final case class TumblingProcessingTime(size: Long, offset: Long)
      extends AssignerSetup("tumbling by the clock", isEventTime = false)
  final case class SlidingProcessingTime(size: Long, slide: Long, offset: Long)
      extends AssignerSetup("sliding by the clock", isEventTime = false)
  final case class ProcessingTimeSession(gap: Long)
      extends AssignerSetup("session by the clock", isEventTime = false, isMerging = true)
  final case class DynamicProcessingTimeSession(gaps: Gaps)
      extends AssignerSetup("dynamic session by the clock", isEventTime = false, isMerging = true)

  /** @param firesAtEnd whether its default trigger is that of the end of the stream */
  final case class Global(firesAtEnd: Boolean)
      extends AssignerSetup(if (firesAtEnd) "global until the end of the stream" else "global", isEventTime = false) {
    override def isGlobal: Boolean = true
  }
}

/** Gaps that depend on the value of an element: `least` up to `most` milliseconds. */
final case class Gaps(least: Long, most: Long) {
  def of(value: Long): Long = least + value * 7 % (most - least + 1)
}

/** Distance between two values.
  *
  * @param signed
  *   whether a step downwards is negative, so that the order of the two matters
  */
final case class Distance(signed: Boolean) {
  private def height(value: Long): Double = (value * 7 % 11) / 2.0

  def between(old: Long, value: Long): Double = {
    val step = height(value) - height(old)
    if (signed) step else math.abs(step)
  }
}

sealed abstract class TriggerSetup(val kind: String) extends Product with Serializable {

  /** Its kind, and those of the triggers that are nested in it. */
  def chain: List[String] = List(kind)
}

object TriggerSetup {
  case object EventTime                                         extends TriggerSetup("event time")
  case object ProcessingTime                                    extends TriggerSetup("processing time")
  case object Never                                             extends TriggerSetup("never")
  case object EndOfStream                                       extends TriggerSetup("end of stream")
  final case class Count(n: Long)                               extends TriggerSetup("count")
  final case class ContinuousEventTime(interval: Long)          extends TriggerSetup("continuous event time")
  final case class ContinuousProcessingTime(interval: Long)     extends TriggerSetup("continuous processing time")
  final case class Delta(threshold: Double, distance: Distance) extends TriggerSetup("delta")

  final case class Purging(nested: TriggerSetup) extends TriggerSetup("purging") {
    override def chain: List[String] = kind :: nested.chain
  }

  final case class Timeout(nested: TriggerSetup, timeout: Long, reset: Boolean, clear: Boolean)
      extends TriggerSetup("timeout") {
    override def chain: List[String] = kind :: nested.chain
  }
}

sealed abstract class EvictorSetup(name: String) extends Product with Serializable {

  /** True if it evicts after the function instead of before it. */
  def after: Boolean
  def kind: String = s"$name ${if (after) "after" else "before"}"
}

object EvictorSetup {
  final case class Count(keep: Long, after: Boolean)                            extends EvictorSetup("count")
  final case class Time(size: Long, after: Boolean)                             extends EvictorSetup("time")
  final case class Delta(threshold: Double, distance: Distance, after: Boolean) extends EvictorSetup("delta")
}

sealed trait ContentsSetup extends Product with Serializable

object ContentsSetup {

  /** All elements, handed to a WindowFunction. */
  case object Apply extends ContentsSetup

  /** All elements, handed to a ProcessWindowFunction, which also tells of clean-ups. */
  case object Process extends ContentsSetup

  /** Count, sum and number of merges, handed to a ProcessWindowFunction. */
  case object Aggregate extends ContentsSetup

  /** The pairs of the elements with even and with odd values, handed to a JoinFunction or, for what Flink has no join
    * for, to a CoGroupFunction.
    */
  final case class Join(kind: JoinKind) extends ContentsSetup
}
