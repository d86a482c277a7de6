package dev.sparkwindowing.spark.sources

import dev.sparkwindowing.spark.relocated.Relocated.{
  EventTimeWatermarkExec,
  StreamExecution,
  StreamingExecutionRelation,
  StreamingScan,
  watermarkId
}
import org.apache.spark.sql.catalyst.plans.logical.{EventTimeWatermark, LogicalPlan}
import org.apache.spark.sql.connector.read.streaming.SparkDataStream
import org.apache.spark.sql.{SparkSession, SparkWindowingBridge}

/** A running query as one of its sources sees it, on its thread, while the next micro-batch is constructed. */
private[sources] final class RunningQuery(query: StreamExecution, source: TickStream) {

  /** True if the query ends without being stopped: when it has read what there was at its start. */
  val endsByItself: Boolean = {
    val trigger = query.trigger.getClass.getSimpleName
    trigger.startsWith("AvailableNow") || trigger.startsWith("OneTime")
  }

  /** Processing time. */
  def now: Long = query.triggerClock.getTimeMillis()

  // The input whose watermark the source raises, as far as its watermark node.
  private[this] lazy val watermarkNode: Option[EventTimeWatermark] =
    query.logicalPlan.collectFirst { case w: EventTimeWatermark if sourcesOf(w).contains(source) => w }

  // Under the policy "max" the watermark of one input is that of all, so all must be quiet.
  private[this] lazy val isMin: Boolean =
    SparkSession.active.conf.get("spark.sql.streaming.multipleWatermarkPolicy", "min").equalsIgnoreCase("min")

  private[this] lazy val siblings: Seq[SparkDataStream] =
    sourcesOf(if (isMin) watermarkNode.getOrElse(query.logicalPlan) else query.logicalPlan).filter {
      case _: TickStream => false
      case _             => true
    }

  private[this] def sourcesOf(plan: LogicalPlan): Seq[SparkDataStream] = plan.collect {
    case r: StreamingExecutionRelation => r.source
    case r: StreamingScan              => r.stream
  }.distinct

  /** Where the sources of the input's rows were when the last micro-batch was constructed, or would have been. */
  def siblingOffsets: Seq[Option[String]] = {
    val offsets = query.availableOffsets
    siblings.map(offsets.get(_).map(_.json))
  }

  /** Spark's watermark at that time; None before the first. */
  def watermark: Option[Long] = Some(SparkWindowingBridge.plannedWatermark(query)).filter(_ > 0)

  private[this] lazy val otherNodes: Seq[EventTimeWatermark] =
    if (!isMin) Nil
    else {
      val nodes = query.logicalPlan.collect { case w: EventTimeWatermark => watermarkId(w) -> w }.toMap.values.toSeq
      nodes.filterNot(w => watermarkNode.exists(own => watermarkId(own) == watermarkId(w)))
    }

  private[this] def isIdle(node: EventTimeWatermark): Boolean = sourcesOf(node).exists {
    case ticks: QuietInputTicks => ticks.isIdle
    case _                      => false
  }

  private[this] val seen = scala.collection.mutable.Map.empty[AnyRef, Long]

  /** The least watermark of the other inputs of the query that have had rows in this run, if those that have not are
    * idle.
    */
  def otherWatermarks: Option[Long] = if (otherNodes.isEmpty) None
  else {
    // No micro-batch is missed, since the next one is constructed directly after it.
    Option(query.lastExecution).foreach(_.executedPlan.foreach {
      case w: EventTimeWatermarkExec if w.eventTimeStats.value.count > 0 =>
        val proved = w.eventTimeStats.value.max - w.delayMs
        seen(watermarkId(w)) = math.max(proved, seen.getOrElse(watermarkId(w), proved))
      case _ => ()
    })
    val (heard, unheard) = otherNodes.partition(w => seen.contains(watermarkId(w)))
    if (heard.nonEmpty && unheard.forall(isIdle)) Some(heard.map(w => seen(watermarkId(w))).min) else None
  }
}

private[sources] object RunningQuery {

  /** The query whose thread calls. */
  def current(source: TickStream): RunningQuery =
    SparkWindowingBridge.currentQuery().map(new RunningQuery(_, source)).getOrElse {
      throw new IllegalStateException(s"$source is read outside a streaming query")
    }
}
