package dev.sparkwindowing.spark.metrics

import dev.sparkwindowing.spark.links.{LinkedFeature, SparkLinks}
import dev.sparkwindowing.spark.relocated.Relocated.StreamExecution
import org.apache.spark.SparkContext
import org.apache.spark.scheduler.{SparkListener, SparkListenerExecutorMetricsUpdate}
import org.apache.spark.sql.streaming.StreamingQueryListener
import org.apache.spark.sql.streaming.StreamingQueryListener._
import org.apache.spark.sql.{SparkSession, SparkWindowingBridge, WindowMetricsSource, WindowsTab}

import java.util.UUID
import scala.collection.mutable

/** Figures of the queries that run: in a tab of Spark's UI, and, if `spark.sql.streaming.metricsEnabled` is set as for
  * Spark's own, in Spark's metrics system under `spark.windowing.<name or id of the query>.windows`.
  */
private[spark] object RunningMetrics {
  private val Enabled = "spark.sql.streaming.metricsEnabled"

  private final class Running(
      val id: UUID,
      val name: String,
      val metrics: QueryMetrics,
      val source: Option[WindowMetricsSource]
  )

  private val running = mutable.LinkedHashMap.empty[UUID, Running]

  /** Called when a query with windows starts. */
  def started(query: StreamExecution): Unit = {
    val session  = query.sparkSession
    val context  = session.sparkContext
    val isWanted = session.conf.get(Enabled, "false").toBoolean && SparkLinks.allows(LinkedFeature.Metrics)
    // Of a class that is not shared another session may have its own, with other queries.
    val isSeen = context.uiWebUrl.isDefined && SparkWindowingBridge.isShared(session, getClass) &&
      SparkLinks.allows(LinkedFeature.WindowsInUi)
    if (isSeen) WindowsTab.attach(context, () => WindowsTables.of(ofAll))
    if (isWanted || isSeen) {
      listen(session)
      val metrics = new QueryMetrics(() => query.triggerClock.getTimeMillis())
      add(query) { name =>
        // Spark removes all names that begin with that of a source: none is the beginning of another one.
        def source = new WindowMetricsSource(context, s"spark.windowing.$name.windows", metrics.figures.registry)
        new Running(query.id, name, metrics, if (isWanted) Some(source) else None)
      }
    }
  }

  /** Those of a run; None if they are not wanted. */
  def of(runId: UUID): Option[QueryMetrics] = synchronized(running.get(runId).map(_.metrics))

  /** Called before the tasks of a micro-batch in real-time mode, whose progress comes when it has ended.
    *
    * @param batch
    *   its number
    * @param figures
    *   those of its tasks
    */
  def live(context: SparkContext, runId: UUID, batch: Long, figures: => LiveFigures): Unit = of(runId).foreach {
    metrics =>
      metrics.beginLive(batch, figures)
      synchronized {
        if (!listened.contains(context)) context.addSparkListener(Heartbeats)
        listened = Some(context)
      }
  }

  private var listened: Option[SparkContext] = None

  private def ofAll: Seq[(String, Map[String, Long])] =
    synchronized(running.values.toList).map(query => query.name -> query.metrics.figures.values)

  // Queries start at once, and a listener that is there twice counts twice.
  private def listen(session: SparkSession): Unit = synchronized {
    if (!session.streams.listListeners().contains(Listener)) session.streams.addListener(Listener)
  }

  private def add(query: StreamExecution)(made: String => Running): Unit = synchronized {
    // Of the run before the end may not yet have been told.
    running.collect { case (run, other) if other.id == query.id => run }.toList.foreach(remove)
    val name    = Option(query.name).getOrElse(query.id.toString)
    val isTaken = running.values.exists(_.name == name) // by a query of another session
    val added   = made(if (isTaken) s"$name-${query.id}" else name)
    running(query.runId) = added
    added.source.foreach(_.register())
  }

  private def remove(runId: UUID): Unit = synchronized(running.remove(runId).foreach(_.source.foreach(_.remove())))

  private object Heartbeats extends SparkListener {
    override def onExecutorMetricsUpdate(event: SparkListenerExecutorMetricsUpdate): Unit = {
      val all = RunningMetrics.synchronized(running.values.map(_.metrics).toList)
      if (all.nonEmpty) event.accumUpdates.foreach { case (task, _, _, updates) =>
        val values = updates.iterator.map(a => a.id -> a.update).collect { case (id, Some(value: Long)) => id -> value }
        val byId   = values.toMap
        all.foreach(_.heartbeat(task, byId))
      }
    }
  }

  private object Listener extends StreamingQueryListener {
    override def onQueryStarted(event: QueryStartedEvent): Unit   = ()
    override def onQueryProgress(event: QueryProgressEvent): Unit =
      of(event.progress.runId).foreach(_.update(event.progress))
    override def onQueryTerminated(event: QueryTerminatedEvent): Unit = remove(event.runId)
  }
}
