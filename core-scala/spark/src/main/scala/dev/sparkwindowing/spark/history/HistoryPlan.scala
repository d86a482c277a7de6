package dev.sparkwindowing.spark.history

import dev.sparkwindowing.spark.plan.{EventTimeMarks, StartedWith, TimestampsAndWatermarks, WindowNode}
import dev.sparkwindowing.spark.sources.HistorySource
import org.apache.spark.sql.catalyst.expressions.{Ascending, AttributeReference, SortOrder}
import org.apache.spark.sql.catalyst.plans.logical.{EventTimeWatermark, LogicalPlan, Sort}
import org.apache.spark.sql.catalyst.util.quoteIfNeeded
import org.apache.spark.sql.functions.{max, unix_millis}
import org.apache.spark.sql.{DataFrame, SparkSession, SparkWindowingBridge}

/** The plan of a query over the histories of its streams.
  *
  * @param query
  *   the plan of the query itself
  */
private[history] final class HistoryPlan(session: SparkSession, query: LogicalPlan) {
  private[this] val emits   = query.exists { case s: StartedWith => s.history.emit; case _ => false }
  private[this] val ordered = query.exists { case n: WindowNode => n.program.plan.needsOrder; case _ => false }

  /** The query with the history of each stream in its place. If its windows are to be results, the watermark does not
    * advance, so that they fire behind it.
    */
  lazy val plan: LogicalPlan = query.transform { case started: StartedWith =>
    val output = started.output.map { a =>
      AttributeReference(a.name, a.dataType, a.nullable, EventTimeMarks.removed(a.metadata))(a.exprId, a.qualifier)
    }
    val rows = HistorySource.relation(session, sorted(started), output)
    delay(started).fold(rows) { own =>
      val delay = s"${if (emits) TimestampsAndWatermarks.LongestDelay else own} milliseconds"
      val timed = SparkWindowingBridge.toDataFrame(session, rows).withWatermark(timeOf(started), delay)
      SparkWindowingBridge.analyzedPlan(timed)
    }
  }

  /** The watermark behind the history, in milliseconds, if the query itself does not find it; None if it does, or there
    * is none. Of several streams it is that which Spark's policy chooses.
    */
  def watermark: Option[Long] = if (!emits) None
  else {
    val all = query.collect { case started: StartedWith => delay(started).flatMap(highest(started, _)) }
    if (session.conf.get("spark.sql.streaming.multipleWatermarkPolicy", "min").equalsIgnoreCase("max"))
      all.flatten.reduceOption(_ max _)
    else if (all.forall(_.isDefined)) all.flatten.reduceOption(_ min _)
    else None
  }

  private def highest(started: StartedWith, delay: Long): Option[Long] = {
    val rows = frame(started)
    val row  = rows.agg(max(unix_millis(rows.col(timeOf(started))))).head()
    if (row.isNullAt(0)) None else Some(row.getLong(0) - delay)
  }

  private def frame(started: StartedWith): DataFrame = SparkWindowingBridge.toDataFrame(session, started.history.rows)

  // Rows of a key are taken in order of time.
  private def sorted(started: StartedWith): LogicalPlan = {
    val rows = started.history.rows
    timeIn(started).filter(_ => ordered).fold(rows) { i =>
      SparkWindowingBridge.analyzedPlan(
        SparkWindowingBridge.toDataFrame(session, Sort(Seq(SortOrder(rows.output(i), Ascending)), global = true, rows))
      )
    }
  }

  // The delay of the query's watermark is that of the slowest input.
  private def delay(started: StartedWith): Option[Long] = if (timeIn(started).isEmpty) None
  else
    started.child.collect { case w: EventTimeWatermark => EventTimeWatermark.getDelayMs(w.delay) }.reduceOption(_ max _)

  private def timeIn(started: StartedWith): Option[Int] =
    Some(started.output.indexWhere(_.metadata.contains(EventTimeWatermark.delayKey))).filter(_ >= 0)

  private def timeOf(started: StartedWith): String = quoteIfNeeded(started.output(timeIn(started).get).name)
}
