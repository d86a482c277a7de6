package dev.sparkwindowing.conformance

/** What both operators are built from, as plain values; times are milliseconds.
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

  /** Every part in a word or two, without its numbers: what the random cases should cover. */
  def kinds: Seq[String] = Seq(
    assigner.kind,
    "trigger " + trigger.fold("default")(_.kind),
    "evictor " + evictor.fold("none")(_.kind),
    if (lateness == 0) "no lateness" else if (lateness > 1000000L) "huge lateness" else "lateness",
    contents.toString,
    if (lateOutput) "late output" else "no late output"
  )
}

sealed abstract class AssignerSetup(val kind: String) extends Product with Serializable

object AssignerSetup {
  final case class TumblingEventTime(size: Long, offset: Long)             extends AssignerSetup("tumbling")
  final case class SlidingEventTime(size: Long, slide: Long, offset: Long) extends AssignerSetup("sliding")
  final case class Session(gap: Long)                                      extends AssignerSetup("session")
  final case class TumblingProcessingTime(size: Long, offset: Long) extends AssignerSetup("tumbling by the clock")
  case object Global                                                extends AssignerSetup("global")
}

sealed abstract class TriggerSetup(val kind: String) extends Product with Serializable

object TriggerSetup {
  case object EventTime                          extends TriggerSetup("event time")
  case object ProcessingTime                     extends TriggerSetup("processing time")
  case object Never                              extends TriggerSetup("never")
  final case class Count(n: Long)                extends TriggerSetup("count")
  final case class Purging(nested: TriggerSetup) extends TriggerSetup(s"purging ${nested.kind}")
}

final case class EvictorSetup(keep: Long, after: Boolean) {
  def kind: String = if (after) "count after" else "count before"
}

sealed trait ContentsSetup extends Product with Serializable

object ContentsSetup {

  /** All elements, handed to a WindowFunction. */
  case object Apply extends ContentsSetup

  /** All elements, handed to a ProcessWindowFunction, which also tells of clean-ups. */
  case object Process extends ContentsSetup

  /** Count, sum and number of merges, handed to a ProcessWindowFunction. */
  case object Aggregate extends ContentsSetup
}
