package dev.sparkwindowing.simulation

import dev.sparkwindowing.operator.KeyedPlan
import dev.sparkwindowing.spark.checkpoint.{CheckpointTime, StateFrame}
import dev.sparkwindowing.spark.task.{Failures, StreamBatch}
import dev.sparkwindowing.windows.{GlobalWindow, TimeWindow, Window}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{And, EqualNullSafe, Expression, GetStructField, Literal}
import org.apache.spark.sql.catalyst.plans.logical.Filter
import org.apache.spark.sql.{DataFrame, Row, SparkWindowingBridge}

/** Answers from the checkpoint of a stream what became of a row: the state has the windows that are open; what has
  * fired before is not kept.
  *
  * @param result
  *   the result of the query on its streams
  */
private[sparkwindowing] final class CheckpointWhy(result: DataFrame, checkpoint: String, operatorId: Option[Long]) {
  private[this] val node = Simulation.operatorOf(result, "why")
  private[this] val plan = node.program.plan match {
    case windowed: KeyedPlan.Windowed[InternalRow] => windowed
    case _                                         =>
      throw new UnsupportedOperationException("why is asked of windows, and a function without windows has none")
  }

  private[this] val spark = result.sparkSession

  /** @param element
    *   the row, in a DataFrame with the columns of the input
    * @throws java.lang.IllegalArgumentException
    *   if the checkpoint has no window operator, or no complete micro-batch
    */
  def of(element: DataFrame): Why = {
    val come      = CheckpointTime.of(checkpoint, SparkWindowingBridge.hadoopConf(spark))
    val supplied  = new SimulatedElements(node, element)
    val text      = new WhyText(supplied.zone)
    val row       = supplied.rows.head
    val time      = Some(supplied.timeOf(row)).filter(_ != Long.MinValue)
    val watermark = StreamBatch.watermark(come.watermark)
    val held      = come.slowest.map(p => s"partition $p")
    val waits     = new WhyWaits(plan, watermark, if (held.isEmpty) None else Some(held.mkString(" and ")), text)
    val open      = stateOf(row)
    val assigned  = ElementNote.windowsOf(node.program, row, time, System.currentTimeMillis)
    val windows   = merged(assigned, time, open).map(w => w -> fact(w, open, waits))
    val shown     =
      if (node.program.output.keys.isEmpty) "" else s" of the key ${Failures.keyText(keyOf(row), node.program.output)}"
    val at   = if (watermark == Long.MinValue) "without a watermark" else s"at the watermark ${text.time(watermark)}"
    val when = time.fold("no event time, and no window takes it")(t => s"the event time ${text.time(t)}")
    val said = s"The row$shown has $when. The checkpoint is that of micro-batch ${come.batch}, $at." +: windows.map {
      case (window, (of, contents)) => s"${text.window(window)}: ${line(of, contents, waits.cleanup(window), text)}"
    }
    new Why(time, None, None, None, windows.map(_._2._1), said.mkString("\n"))
  }

  private[this] val keyTypes = node.program.output.keys.map(_.dataType)

  private[this] def keyOf(row: InternalRow): InternalRow =
    InternalRow.fromSeq(keyTypes.zipWithIndex.map { case (t, i) => row.get(i, t) })

  // The state of the key of a row: a row for each window or slice.
  private[this] def stateOf(row: InternalRow): Seq[Row] = {
    val state = SparkWindowingBridge.analyzedPlan(StateFrame.of(spark, checkpoint, operatorId, None))
    val key   = state.output.find(_.name == "key").get
    val same  = keyOf(row).toSeq(keyTypes).zip(keyTypes).zipWithIndex.map { case ((value, t), i) =>
      EqualNullSafe(GetStructField(key, i), Literal(value, t)): Expression
    }
    val of = same.reduceOption(And(_, _)).fold(state)(Filter(_, state))
    SparkWindowingBridge.toDataFrame(spark, of).where("kind != 'key'").collect().toSeq
  }

  private[this] def windowOf(row: Row): Window = Option(row.getAs[Row]("window")).fold[Window](GlobalWindow) { w =>
    TimeWindow(w.getTimestamp(0).getTime, w.getTimestamp(1).getTime)
  }

  // Sessions as they are after merging, and of over windows that of the row itself.
  private[this] def merged(assigned: Seq[Window], time: Option[Long], open: Seq[Row]): Seq[Window] = plan match {
    case KeyedPlan.Over(over, _, _, _, _, _) =>
      time.toSeq.map(t => TimeWindow(if (over.countsRows) t else t - over.length, t + 1))
    case _ if plan.assigner.isMerging => assigned.map(w => open.map(windowOf).find(holds(_, time)).getOrElse(w))
    case _                            => assigned.sortBy(_.maxTimestamp)
  }

  private[this] def holds(window: Window, time: Option[Long]): Boolean = window match {
    case TimeWindow(start, end) => time.exists(t => start <= t && t < end)
    case GlobalWindow           => true
  }

  private[this] def fact(window: Window, open: Seq[Row], waits: WhyWaits): (Why.OfWindow, Option[Row]) = {
    val last = Some(window.maxTimestamp)
    // Whether a query keeps slices is known when it starts, so the state says it.
    val slices = open.filter(_.getAs[String]("kind") == "slice")
    val found  = plan match {
      case _: KeyedPlan.Over[_] => open.find(r => holds(windowOf(r), last) && !r.isNullAt(r.fieldIndex("elements")))
      case _ if slices.nonEmpty => slices.find(r => within(windowOf(r), window))
      case _                    => open.find(windowOf(_) == window)
    }
    val isOver = waits.isOver(window)
    val isOpen = found.nonEmpty && !(isOver && (slices.nonEmpty || plan.isInstanceOf[KeyedPlan.Over[_]]))
    val state  = if (isOpen) "open" else if (isOver) "cleared" else "unknown"
    val timer  = found.flatMap(r => Option(r.getAs[java.sql.Timestamp]("next_processing_timer"))).map(_.getTime)
    Why.OfWindow(window, state, Nil, if (state == "open") Some(waits.of(window, timer)) else None) -> found
  }

  private[this] def within(slice: Window, window: Window): Boolean = (slice, window) match {
    case (TimeWindow(s, e), TimeWindow(start, end)) => start <= s && e <= end
    case _                                          => false
  }

  private[this] def line(of: Why.OfWindow, row: Option[Row], cleanup: Long, text: WhyText): String = of.state match {
    case "open" =>
      val contents = row.flatMap { r =>
        val kept =
          Option(r.getAs[String]("contents")).map(c => s"with $c").filter(_ => r.getAs[String]("kind") == "window")
        kept.orElse(Option(r.getAs[java.lang.Long]("elements")).map(n => s"with rows in number $n"))
      }
      s"it is open${contents.fold("")(c => s", $c")}. It waits for ${of.waitsFor.mkString}"
    case "cleared" =>
      s"it was cleaned up when the watermark reached ${text.time(cleanup)}. Whether it had the row is unknown: a checkpoint " +
        "does not keep what has fired"
    case _ =>
      "the state has no such window: no row of it has been taken yet, or a trigger has purged it, which is unknown"
  }
}
