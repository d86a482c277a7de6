package dev.sparkwindowing.spark.task

/** Counters of a task. */
private[sparkwindowing] final class TaskCounters {
  var openWindows           = 0L
  var firedPanes            = 0L
  var skippedFirings        = 0L
  var numLateRecordsDropped = 0L
  var lateSideOutput        = 0L
  var rowsWithoutEventTime  = 0L
  var eventTimers           = 0L
  var processingTimers      = 0L
  var stateBytes            = 0L
  var timerIndexBytes       = 0L
  var timerIndexRebuilds    = 0L

  /** Values in the order of [[TaskCounters.Descriptions]]. */
  def values: Seq[Long] = Seq(
    openWindows,
    firedPanes,
    skippedFirings,
    numLateRecordsDropped,
    lateSideOutput,
    rowsWithoutEventTime,
    eventTimers,
    processingTimers,
    stateBytes,
    timerIndexBytes,
    timerIndexRebuilds
  )
}

private[sparkwindowing] object TaskCounters {

  /** Name and meaning of each counter in the query's progress, under `stateOperators[..].customMetrics`. */
  val Descriptions: Seq[(String, String)] = Seq(
    "openWindows"           -> "windows that are remembered",
    "firedPanes"            -> "results put out",
    "skippedFirings"        -> "firings of continuous triggers left out after a long outage",
    "numLateRecordsDropped" -> "late rows dropped",
    "lateSideOutput"        -> "rows put into the late side output",
    "rowsWithoutEventTime"  -> "rows without an event time",
    "eventTimers"           -> "event-time timers that are set",
    "processingTimers"      -> "processing-time timers that are set",
    "stateBytes"            -> "bytes of the state of all keys",
    "timerIndexBytes"       -> "bytes of the index of timers in memory",
    "timerIndexRebuilds"    -> "tasks that read all rows of the state"
  )

  /** Those that count what has happened in a micro-batch: their sums over micro-batches say something. */
  val OfEvents: Set[String] = Set(
    "firedPanes",
    "skippedFirings",
    "numLateRecordsDropped",
    "lateSideOutput",
    "rowsWithoutEventTime",
    "timerIndexRebuilds"
  )

  val Names: Set[String] = Descriptions.map(_._1).toSet
}
