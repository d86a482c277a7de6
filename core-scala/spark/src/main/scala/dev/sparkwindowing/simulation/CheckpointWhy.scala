package dev.sparkwindowing.simulation

import dev.sparkwindowing.functions.TimeDomain
import dev.sparkwindowing.operator.KeyedPlan
import dev.sparkwindowing.spark.advice.Code
import dev.sparkwindowing.spark.checkpoint.{CheckpointTime, StateFrame}
import dev.sparkwindowing.spark.task.{Failures, StreamBatch}
import dev.sparkwindowing.windows.{GlobalWindow, TimeWindow, Window}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{And, EqualNullSafe, Expression, GetStructField, Literal}
import org.apache.spark.sql.catalyst.plans.logical.{EventTimeWatermark, Filter}
import org.apache.spark.sql.functions.{col, unix_millis}
import org.apache.spark.sql.{DataFrame, Row, SparkWindowingBridge}

/** Answers from the checkpoint of a stream what became of a row: the state has the windows that are open; what has
  * fired before is not kept.
  *
  * @param result
  *   the result of the query on its streams
  */
private[sparkwindowing] final class CheckpointWhy(result: DataFrame, checkpoint: String, operatorId: Option[Long]) {
  import CheckpointWhy.Stored

  private[this] val node = Simulation.operatorOf(result, "why")
  private[this] val plan = WhyPlan.of(node.program)
  refuseUnknown()

  private[this] val spark    = result.sparkSession
  private[this] val keyTypes = node.program.output.keys.map(_.dataType)

  private[this] def refuseUnknown(): Unit = plan match {
    case _ if plan.clock.contains(TimeDomain.ProcessingTime) =>
      throw new UnsupportedOperationException(
        s"why cannot tell the windows of a row in ${plan.assigner} from a checkpoint: they are those of the time at which it " +
          s"came, which no checkpoint keeps. Look at the windows of its key, ${Code.call("sw.read_state", Code.dots)}"
      )
    case KeyedPlan.Over(over, _, _, _, _, _) if over.countsRows =>
      throw new UnsupportedOperationException(
        s"why cannot tell from a checkpoint which rows a window of $over has: ask a run of simulate"
      )
    case _ => ()
  }

  /** @param element
    *   the row, in a DataFrame with the columns of the input
    * @throws java.lang.IllegalArgumentException
    *   if the checkpoint has no window operator, or no complete micro-batch
    */
  def of(element: DataFrame): Why = {
    val come      = CheckpointTime.of(checkpoint, SparkWindowingBridge.hadoopConf(spark))
    val supplied  = new SimulatedElements(node, element)
    val text      = WhyText.in(spark)
    val row       = supplied.rows.head
    val time      = Some(supplied.timeOf(row)).filter(_ != Long.MinValue)
    val watermark = StreamBatch.watermark(come.watermark)
    val waits     = new WhyWaits(plan, watermark, held(come), text)
    val stored    = stateOf(row)
    val windows   = windowsOf(row, time, stored).map(fact(_, stored, waits))
    val said      = arrival(row, time, come, watermark, text) +: windows.map { case (of, state) =>
      s"${text.window(of.window)}: ${line(of, state, waits.cleanup(of.window), text)}"
    }
    new Why(time, None, None, None, windows.map(_._1), said.mkString("\n"))
  }

  // Of several watermarks it is not kept which of them is the slowest.
  private[this] def held(come: CheckpointTime): Option[String] = {
    val marks = node.child.collect { case w: EventTimeWatermark => w }.size
    if (come.slowest.isEmpty || marks > 1) None else Some(come.slowest.map(p => s"partition $p").mkString(" and "))
  }

  private[this] def arrival(
      row: InternalRow,
      time: Option[Long],
      come: CheckpointTime,
      watermark: Long,
      text: WhyText
  ): String = {
    val of = if (keyTypes.isEmpty) "" else s" of the key ${Failures.keyText(keyOf(row), node.program.output)}"
    val at = if (watermark == Long.MinValue) "without a watermark" else s"at the watermark ${text.time(watermark)}"
    val is = time match {
      case Some(t)                  => s"the event time ${text.time(t)}"
      case None if plan.isEventTime => "no event time, and no window takes it"
      case None                     => "no event time"
    }
    s"The row$of has $is. The checkpoint is that of micro-batch ${come.batch}, $at."
  }

  private[this] def keyOf(row: InternalRow): InternalRow =
    InternalRow.fromSeq(keyTypes.zipWithIndex.map { case (t, i) => row.get(i, t) })

  // The state of the key of a row: a row for each window or slice.
  private[this] def stateOf(row: InternalRow): Seq[Stored] = {
    val state = SparkWindowingBridge.analyzedPlan(StateFrame.of(spark, checkpoint, operatorId, None))
    val key   = state.output.find(_.name == "key").get
    val same  = keyOf(row).toSeq(keyTypes).zip(keyTypes).zipWithIndex.map { case ((value, t), i) =>
      EqualNullSafe(GetStructField(key, i), Literal(value, t)): Expression
    }
    val of     = same.reduceOption(And(_, _)).fold(state)(Filter(_, state))
    val timers = Seq("next_event_timer", "next_processing_timer").map(name => unix_millis(col(name)))
    val bounds = Seq("window.start", "window.end").map(name => unix_millis(col(name)))
    SparkWindowingBridge
      .toDataFrame(spark, of)
      .where("kind != 'key'")
      .select(Seq(col("kind"), col("elements"), col("contents")) ++ bounds ++ timers: _*)
      .collect()
      .toSeq
      .map(Stored.of)
  }

  // Sessions as they are after merging, and of over windows that of the row itself.
  private[this] def windowsOf(row: InternalRow, time: Option[Long], stored: Seq[Stored]): Seq[Window] = plan match {
    case KeyedPlan.Over(over, _, _, _, _, _) => time.toSeq.map(t => TimeWindow(t - over.length, t + 1))
    case _                                   =>
      val assigned = ElementNote.windowsOf(node.program, row, time, Long.MinValue).sortBy(_.maxTimestamp)
      if (plan.assigner.isMerging) assigned.map(w => stored.map(_.window).reverse.find(holds(_, time)).getOrElse(w))
      else assigned
  }

  private[this] def holds(window: Window, time: Option[Long]): Boolean = window match {
    case TimeWindow(start, end) => time.exists(t => start <= t && t < end)
    case GlobalWindow           => true
  }

  private[this] def fact(window: Window, all: Seq[Stored], waits: WhyWaits): (Why.OfWindow, Option[Stored]) = {
    val last = Some(window.maxTimestamp)
    // A query decides at its start whether it keeps slices, so the state says it.
    val slices = all.filter(_.isSlice)
    val found  = plan match {
      case _: KeyedPlan.Over[_] => all.find(s => holds(s.window, last) && s.elements.nonEmpty)
      case _ if slices.nonEmpty => slices.find(s => isWithin(s.window, window))
      case _                    => all.find(_.window == window)
    }
    val isShared = slices.nonEmpty || plan.isInstanceOf[KeyedPlan.Over[_]]
    // State of later windows stays. A timer of this one has not fired.
    val isDue = all.flatMap(_.timer).exists(_ <= window.maxTimestamp)
    val state =
      if (found.nonEmpty && !(waits.isOver(window) && isShared && !isDue)) "open"
      else if (waits.isOver(window)) "cleared"
      else "unknown"
    val timer   = if (isShared) None else found.flatMap(_.timer)
    val waiting = if (state == "open") Some(waits.of(window, timer, found.flatMap(_.processingTimer))) else None
    Why.OfWindow(window, state, Nil, waiting) -> found.filterNot(_ => isShared)
  }

  private[this] def isWithin(slice: Window, window: Window): Boolean = (slice, window) match {
    case (TimeWindow(s, e), TimeWindow(start, end)) => start <= s && e <= end
    case _                                          => false
  }

  private[this] def line(of: Why.OfWindow, state: Option[Stored], cleanup: Long, text: WhyText): String =
    of.state match {
      case "open" =>
        val contents = state.flatMap(s => s.contents.orElse(s.elements.map(n => s"$n rows")))
        s"it is open${contents.fold("")(c => s", with $c")}. It waits for ${of.waitsFor.mkString}"
      case "cleared" =>
        s"it was cleaned up when the watermark reached ${text.time(cleanup)}. Whether it had the row is unknown: a " +
          "checkpoint does not keep what has fired"
      case _ =>
        "the state has no such window: no row of it has been taken yet, or a trigger has purged it, which is unknown"
    }
}

private object CheckpointWhy {

  /** A row of the state; times in milliseconds. */
  final case class Stored(
      isSlice: Boolean,
      window: Window,
      elements: Option[Long],
      contents: Option[String],
      timer: Option[Long],
      processingTimer: Option[Long]
  )

  object Stored {
    def of(row: Row): Stored = {
      def number(i: Int) = if (row.isNullAt(i)) None else Some(row.getLong(i))
      val window         = number(3).fold[Window](GlobalWindow)(start => TimeWindow(start, row.getLong(4)))
      Stored(row.getString(0) == "slice", window, number(1), Option(row.getString(2)), number(5), number(6))
    }
  }
}
