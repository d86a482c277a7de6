package dev.sparkwindowing.spark.history

import dev.sparkwindowing.spark.advice.Code
import dev.sparkwindowing.spark.checkpoint.{BatchLogs, LogFile, SourcesCheck}
import dev.sparkwindowing.spark.plan.StartedWith
import dev.sparkwindowing.spark.relocated.Relocated.StreamExecution
import org.apache.hadoop.fs.Path
import org.apache.spark.sql.catalyst.plans.logical.{LocalRelation, LogicalPlan}
import org.apache.spark.sql.streaming.StreamingQueryListener._
import org.apache.spark.sql.streaming.{StreamingQueryListener, Trigger}
import org.apache.spark.sql.{SparkSession, SparkWindowingBridge}

import java.io.IOException
import java.util.UUID
import java.util.concurrent.ConcurrentHashMap
import scala.util.{Failure, Success, Try}

/** Gives a new query the state of its history, before its first micro-batch.
  *
  * Another query with the same operators takes the history as one micro-batch, in a folder of its own in the
  * checkpoint, with a mark that stays until all is there. Its state becomes that of the new query, which goes on behind
  * it as after a restart, with all of the stream still to come. If anything fails before the mark is gone, the next
  * start begins anew, and no result has left.
  */
private[spark] object HistoryStart {
  private val Folder = "_window_history"

  /** Refuses a query in which another stream has no history.
    *
    * @throws java.lang.UnsupportedOperationException
    *   by name
    */
  def refuse(query: LogicalPlan): Unit = if (isIn(query)) {
    val others = SourcesCheck.sources(query.transform { case s: StartedWith => LocalRelation(s.output) })
    if (others.nonEmpty)
      throw new UnsupportedOperationException(
        s"${Code.name("starting_with")} on one of several streams of a query, of which ${others.size} without a history. Give " +
          "each one its own, if need be an empty DataFrame with its columns"
      )
  }

  /** Has queries of a session begin with their histories. */
  def watch(session: SparkSession): Unit =
    if (!session.streams.listListeners().contains(Starts)) session.streams.addListener(Starts)

  /** Called on the thread of a query before its first micro-batch.
    *
    * @throws java.lang.Throwable
    *   why its history could not be taken
    */
  def check(query: StreamExecution): Unit = if (isIn(query.analyzedPlan))
    Option(taken.remove(query.runId)).fold {
      throw new IllegalStateException(
        s"the history of ${Code.name("starting_with")} was not read: its listener is no longer among those of the session. " +
          "Declare the windows again, and start the query"
      )
    }(_.get)

  private def isIn(plan: LogicalPlan): Boolean = plan.exists(_.isInstanceOf[StartedWith])

  private val taken = new ConcurrentHashMap[UUID, Try[Unit]]

  // On a thread of its own: a plan that is copied on the query's is taken for that of its first micro-batch.
  private def aside(work: => Unit): Try[Unit] = {
    @volatile var result: Try[Unit] = Success(())
    val thread                      = new Thread(
      () =>
        try work
        catch { case e: Throwable => result = Failure(e) },
      "history of a query"
    )
    thread.start()
    try {
      thread.join()
      result
    } catch {
      case e: InterruptedException => // the query is stopped; with the flag set, Spark would remove the listener
        thread.interrupt()
        thread.join()
        Failure(e)
    }
  }

  // A query tells its start on its own thread, before it looks into its checkpoint. What fails here it would not see.
  private object Starts extends StreamingQueryListener {
    override def onQueryStarted(event: QueryStartedEvent): Unit =
      SparkWindowingBridge.currentQuery().filter(q => q.runId == event.runId && isIn(q.analyzedPlan)).foreach { query =>
        taken.put(query.runId, aside(new HistoryStart(query).run()))
      }
    override def onQueryProgress(event: QueryProgressEvent): Unit     = ()
    override def onQueryTerminated(event: QueryTerminatedEvent): Unit = { val _ = taken.remove(event.runId) }
  }
}

private final class HistoryStart(query: StreamExecution) {
  private[this] val conf       = SparkWindowingBridge.hadoopConf(query.sparkSession)
  private[this] val checkpoint = new Path(query.resolvedCheckpointRoot)
  private[this] val files      = checkpoint.getFileSystem(conf)
  private[this] val folder     = new Path(checkpoint, HistoryStart.Folder)
  // Who deletes it last has done all. A state store may make its folder once more.
  private[this] val mark         = new Path(folder, "begun")
  private[this] val state        = new Path(checkpoint, "state")
  private[this] lazy val session = SparkWindowingBridge.cloned(query.sparkSession)
  private[this] lazy val history = new HistoryPlan(session, query.analyzedPlan)

  /** Does nothing if the query has a state. */
  def run(): Unit = if (files.exists(mark) || new BatchLogs(checkpoint, conf).isEmpty) begin()

  private def begin(): Unit = {
    (folder +: state +: BatchLogs.Folders.map(new Path(checkpoint, _))).foreach(files.delete(_, true))
    LogFile.write(mark, query.runId.toString, conf)
    take()
    if (!files.rename(new Path(folder, "state"), state))
      throw new IOException(s"$folder/state cannot be renamed to $state")
    val taken = new BatchLogs(folder, conf)
    FileSinkLog.addEmpty(query.sink, batches = taken.lastBatch("starting_with") + 1)
    taken.beginOther(
      new BatchLogs(checkpoint, conf),
      sources = SourcesCheck.sources(query.analyzedPlan).size,
      history.watermark
    )
    // With the mark the next start would begin anew, whatever this one has put out.
    if (!files.delete(mark, false)) throw new IOException(s"$mark cannot be deleted")
    val _ = files.delete(folder, true)
  }

  // In a session of its own, so that who waits for the queries of this one does not see it end.
  private def take(): Unit = {
    val taking = SparkWindowingBridge
      .toDataFrame(session, history.plan)
      .writeStream
      .format("noop")
      .queryName(s"history of ${Option(query.name).getOrElse(query.id)}")
      .outputMode(query.outputMode)
      .option("checkpointLocation", folder.toString)
      .trigger(Trigger.AvailableNow())
      .start()
    try taking.awaitTermination()
    finally taking.stop()
  }
}
