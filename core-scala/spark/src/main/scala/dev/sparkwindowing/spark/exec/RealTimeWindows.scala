package dev.sparkwindowing.spark.exec

import dev.sparkwindowing.spark.metrics.{LiveFigures, RunningMetrics}
import dev.sparkwindowing.spark.realtime.{
  InBandColumns,
  LiveKeys,
  LiveMemory,
  LiveRows,
  LiveTask,
  ReachedWatermark,
  RealTimePlan
}
import dev.sparkwindowing.spark.relocated.Relocated.{EventTimeWatermarkExec, FlatMapGroupsWithStateExec, StateData}
import dev.sparkwindowing.spark.task.{
  CompletedIterator,
  StateSizes,
  StreamBatch,
  TaskCounters,
  TaskPool,
  TimerIndex,
  WindowTask
}
import org.apache.spark.TaskContext
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.execution.metric.{SQLMetric, SQLMetrics}
import org.apache.spark.sql.execution.streaming.state.StateStore
import org.apache.spark.util.CollectionAccumulator

/** The window operator in real-time mode: what it does in place of that in a micro-batch. */
private[exec] trait RealTimeWindows extends FlatMapGroupsWithStateExec {
  import RealTimeWindows.TellEvery

  /** The payload, which tasks get. */
  protected def ours: OperatorPayload
  protected def poolKey: TaskPool.Operator
  protected def windowTask(columns: Int): WindowTask

  /** Where tasks put the watermark that they have reached. Not transient, so that tasks get it. */
  private lazy val reached: Option[CollectionAccumulator[java.lang.Long]] =
    child.collectFirst { case w: EventTimeWatermarkExec => w.eventTimeStats }.collect { case stats: ReachedWatermark =>
      stats.begin(sparkContext)
    }

  /** Called on the driver before the tasks of a micro-batch.
    *
    * @param query
    *   the whole plan of the micro-batch
    */
  protected def beginLive(query: Option[SparkPlan]): Unit = {
    query.foreach(RealTimePlan.check)
    reached
    running
    val names = TaskCounters.Names.map(name => longMetric(name).id -> name).toMap
    // A micro-batch begins with the state of its own number.
    RunningMetrics.live(
      sparkContext,
      getStateInfo.queryRunId,
      getStateInfo.storeVersion,
      new LiveFigures(names, running.id, getStateInfo.numPartitions)
    )
  }

  /** Takes rows of the store that are none of a key off Spark's count, which comes after this. */
  protected def countKeys(others: Long): Unit = if (others > 0) {
    val rows = longMetric("numTotalStateRows")
    // A metric takes no negative number.
    TaskContext.get().addTaskCompletionListener[Unit](_ => rows.set(math.max(0L, rows.value - others)))
  }

  /** The watermark of a task while it runs, which its executor tells with its heartbeats. */
  private lazy val running: SQLMetric = SQLMetrics.createMetric(sparkContext, "watermark")

  /** The work of a task. */
  protected def liveProcessor(store: StateStore, live: LiveRows): InputProcessor = new InputProcessor(store) {
    private[this] val fields = child.output.size - InBandColumns.Count
    private[this] val task   = new LiveTask(
      windowTask(if (live.numbered) fields + 1 else fields),
      groupingAttributes,
      child.output,
      new InBandColumns(child.output.take(fields).map(_.dataType).toArray),
      live.numbered,
      store,
      ours.store,
      new LiveKeys(store, live.mode.keyBytes),
      getStateInfo.storeVersion,
      TaskPool.Indexes.borrow(poolKey.of(s"real-time mode of partition ${store.id.partitionId}"))(
        new LiveMemory(new TimerIndex(groupingAttributes.size, Long.MaxValue))
      ),
      StreamBatch.watermark(eventTimeWatermarkForEviction),
      new StateSizes(ours.limits, poolKey),
      live.mode,
      () => System.currentTimeMillis()
    )

    override def processNewData(rows: Iterator[InternalRow]): Iterator[InternalRow] =
      task.rows(rows.map(told)).map { row =>
        numOutputRows += 1
        row
      }

    private[this] var toldAt = System.nanoTime

    private[this] def told(row: InternalRow): InternalRow = {
      val now = System.nanoTime
      if (now - toldAt >= TellEvery) {
        toldAt = now
        tell()
      }
      row
    }

    private[this] def tell(): Unit = {
      TaskCounters.Descriptions.zip(task.measured.values).foreach { case ((name, _), value) =>
        longMetric(name).set(value)
      }
      if (task.watermark > 0) running.set(task.watermark + 1)
    }

    override def processTimedOutState(): Iterator[InternalRow] = new CompletedIterator(Iterator.empty, () => finish())

    private[this] def finish(): Unit = {
      task.finish()
      reached.foreach(_.add(java.lang.Long.valueOf(task.watermark)))
      numUpdatedStateRows += task.updatedKeys
      numRemovedStateRows += task.removedKeys
      countKeys(task.pieces)
      tell()
    }

    override protected def callFunctionAndUpdateState(
        stateData: StateData,
        rows: Iterator[InternalRow],
        hasTimedOut: Boolean
    ): Iterator[InternalRow] = throw new IllegalStateException("the window operator runs no user function")
  }
}

private object RealTimeWindows {

  /** Nanoseconds after which a task says how far it is. */
  private val TellEvery = 500L * 1000 * 1000
}
