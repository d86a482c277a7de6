package dev.sparkwindowing.spark.exec

import dev.sparkwindowing.operator.Step
import dev.sparkwindowing.spark.checkpoint.{LayoutFile, Specification, SpecificationFile, StateLayout}
import dev.sparkwindowing.spark.metrics.RunningMetrics
import dev.sparkwindowing.spark.plan.{
  StartCheck,
  StateLimits,
  StateStoreRules,
  StatefulInput,
  WatermarkTiming,
  WindowNode,
  WindowProgram
}
import dev.sparkwindowing.spark.realtime.{CauseFirst, LiveRows}
import dev.sparkwindowing.spark.relocated.Relocated.{
  StateData,
  StateStoreSaveExec,
  StatefulOperatorCustomMetric,
  StatefulOperatorCustomSumMetric
}
import dev.sparkwindowing.spark.rows.RowsBehind
import dev.sparkwindowing.spark.task.{
  CompletedIterator,
  ProgramInTask,
  StateSizes,
  StoreTask,
  StreamBatch,
  TaskCounters,
  TaskPool,
  TimerIndex,
  WindowTask
}
import org.apache.hadoop.conf.Configuration
import org.apache.spark.sql.SparkWindowingBridge
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical.{LogicalGroupState, LogicalPlan}
import org.apache.spark.sql.catalyst.plans.physical.{Distribution, StatefulOpClusteredDistribution}
import org.apache.spark.sql.execution.streaming.state.StateStore
import org.apache.spark.sql.streaming.{OutputMode, StateOperatorProgress}
import org.apache.spark.sql.types.{StructField, StructType}
import org.apache.spark.util.CollectionAccumulator

import scala.jdk.CollectionConverters._

/** Payload passed in place of Spark's user function, which is never called.
  *
  * @param node
  *   stays on the driver
  * @param rows
  *   the operator's input; its plan stays on the driver
  */
private[exec] final class OperatorPayload(@transient val node: WindowNode, val rows: OperatorRows)
    extends ((Any, Iterator[Any], LogicalGroupState[Any]) => Iterator[Any])
    with Serializable {

  /** True if the input comes from another stateful operator. */
  val rowsFirst: Boolean = StatefulInput.isIn(node.child)

  /** Size limits for the state of a key. */
  val limits: StateLimits = StateLimits.ofSession

  /** What the state store of the query is known to do. */
  val store: StateStoreRules = StateStoreRules.ofSession

  def apply(key: Any, rows: Iterator[Any], state: LogicalGroupState[Any]): Iterator[Any] =
    throw new IllegalStateException("the window operator runs no user function")
}

/** The window operator on a stream: what it does in place of Spark's FlatMapGroupsWithStateExec. Timers in event time
  * and processing time, no row dropped by Spark, rows instead of objects, an output watermark, and a next micro-batch
  * only when a timer is due.
  */
private[exec] trait StreamWindows extends RealTimeWindows {

  protected def ours: OperatorPayload = func.asInstanceOf[OperatorPayload]

  // The program as declared.
  private def program: WindowProgram = ours.node.program

  override def output: Seq[Attribute]           = ours.node.output
  override def producedAttributes: AttributeSet = AttributeSet(output)

  private def live: Option[LiveRows] = ours.rows.live

  override def requiredChildDistribution: Seq[Distribution] = live.fold(super.requiredChildDistribution) { rows =>
    StatefulOpClusteredDistribution(groupingAttributes :+ rows.salt, getStateInfo.numPartitions) +:
      super.requiredChildDistribution.tail
  }

  // Rows in real-time mode come as they come.
  override def requiredChildOrdering: Seq[Seq[SortOrder]] =
    live.fold(super.requiredChildOrdering)(_ => super.requiredChildOrdering.map(_ => Nil))

  // The operator handles late rows itself: Spark drops none.
  override lazy val watermarkPredicateForDataForLateEvents: Option[BasePredicate] = None

  // Results are stamped with the last millisecond of their window, which the watermark has passed.
  override def produceOutputWatermark(inputWatermarkMs: Long): Option[Long] = Some(math.max(0L, inputWatermarkMs - 1))

  /** The time before which no key of a task has a timer in processing time. It is one of Spark's own classes, since a
    * jar added to a running session is not visible where task results are read. Not transient, so that tasks get it.
    */
  private lazy val pendingTimers: CollectionAccumulator[java.lang.Long] =
    sparkContext.collectionAccumulator[java.lang.Long]("earliest processing-time timers")

  // In real-time mode one follows the other.
  override def shouldRunAnotherBatch(newInputWatermark: Long): Boolean =
    live.isEmpty && (newInputWatermark > next.observed || isProcessingTimerDue)

  private def isProcessingTimerDue: Boolean = {
    val pending = pendingTimers.value.asScala
    pending.nonEmpty && query.exists { query =>
      // A query that ends by itself would never end if its own results set new timers.
      !query.trigger.getClass.getSimpleName.startsWith("AvailableNow") &&
      pending.exists(_.longValue <= query.triggerClock.getTimeMillis() - 1)
    }
  }

  private def query = stateInfo.flatMap(info => SparkWindowingBridge.activeQuery(session, info.queryRunId))

  override def customStatefulOperatorMetrics: Seq[StatefulOperatorCustomMetric] =
    (TaskCounters.Descriptions ++ ours.rows.behind.toSeq.flatMap(_ => RowsBehind.Descriptions)).map {
      case (name, description) => StatefulOperatorCustomSumMetric(name, description)
    }

  override def getProgress(): StateOperatorProgress = {
    ours.rows.behind.toSeq.flatMap(_.values).zip(RowsBehind.Names).foreach { case (n, name) => longMetric(name).set(n) }
    super.getProgress()
  }

  /** Compares the query with the checkpoint, and notes the layout of its state there. */
  protected def checkState(hadoopConf: Configuration, batchId: Long): Unit = {
    val spec = Specification.of(program, ours.rows.path, timing)
    ours.rows.batch.stateChange =
      program.face.use(specificationFile(hadoopConf).check(batchId, spec, program.allowsStateChange))
    val layout = StateLayout.of(
      ours.rows.program,
      live.fold(child.schema)(rows =>
        StructType(rows.columns.map { a =>
          StructField(a.name, a.dataType, a.nullable)
        })
      )
    )
    LayoutFile.keep(getStateInfo.checkpointLocation, getStateInfo.operatorId, hadoopConf, layout)
  }

  private def specificationFile(hadoopConf: Configuration) =
    new SpecificationFile(getStateInfo.checkpointLocation, getStateInfo.operatorId, hadoopConf)

  /** The program that tasks run. Not transient, so that tasks get it. */
  private lazy val started: WindowProgram = ours.rows.program.started { assigner =>
    specificationFile(session.sessionState.newHadoopConf()).shift(assigner.drawShift(batchTimestampMs.getOrElse(0L)))
  }

  // The micro-batch's plan, which has the watermarks of the whole query.
  private def execution = query.flatMap(q => Option(q.lastExecution))

  private def timing: Option[WatermarkTiming] =
    WatermarkTiming.of(ours.node, execution.fold[LogicalPlan](ours.node)(_.logical))

  /** The watermark of the next micro-batch. Not transient, so that tasks get it. */
  private lazy val next: NextWatermark = {
    val current = eventTimeWatermarkForEviction.getOrElse(0L)
    val isEarly = live.isEmpty && timing.contains(WatermarkTiming.SameBatch)
    val query   = if (isEarly) execution.map(_.executedPlan) else None
    query.fold(new NextWatermark(None, current))(NextWatermark.of(child, _, current))
  }

  override protected def doExecute(): org.apache.spark.rdd.RDD[InternalRow] = {
    refuseUpdates()
    pendingTimers // registers it on the driver
    started
    next
    if (live.nonEmpty) beginLive(execution.map(_.executedPlan))
    reportInputs()
    measureRows()
    ours.rows.batch.watermark = Step.judging(ours.rowsFirst, watermark, previousWatermark)
    ours.rows.batch.pool = Some(poolKey)
    val results = super.doExecute()
    if (live.nonEmpty) new CauseFirst(results) else results
  }

  private def reportInputs(): Unit = for {
    info    <- stateInfo
    metrics <- RunningMetrics.of(info.queryRunId)
    plan    <- execution
  } metrics.begin(NextWatermark.inputs(plan.executedPlan))

  // Spark's only watermark is the delay behind the greatest event time so far, or behind that of the slowest partition.
  private def measureRows(): Unit = ours.rows.behind.foreach { rows =>
    val delay = execution.map(plan => NextWatermark.inputs(plan.executedPlan)).collect { case Seq(one) => one.delayMs }
    rows.begin(
      sparkContext,
      delay.map(ms => eventTimeWatermarkForEviction.filter(_ > 0).fold(Long.MinValue)(_ + ms))
    )
  }

  // Refused when the query starts, unless Spark's check is disabled in the session.
  private def refuseUpdates(): Unit =
    if (child.exists { case s: StateStoreSaveExec => !s.outputMode.contains(OutputMode.Append()); case _ => false })
      throw new IllegalArgumentException(StartCheck.UpdatedAggregates)

  private def watermark: Long         = StreamBatch.watermark(eventTimeWatermarkForEviction)
  private def previousWatermark: Long = StreamBatch.watermark(eventTimeWatermarkForLateEvents)

  private def batch: StreamBatch = new StreamBatch(
    watermark = watermark,
    previousWatermark = previousWatermark,
    nextWatermark = next.value,
    processingTime = batchTimestampMs.getOrElse(0L)
  )

  protected def poolKey: TaskPool.Operator = TaskPool.Operator(getStateInfo.queryRunId, getStateInfo.operatorId)

  protected def windowTask(columns: Int): WindowTask = {
    def made  = new ProgramInTask(started, columns)
    val parts = if (started.computation.isReusable) TaskPool.OfExecutor.borrow(poolKey.of("operator"))(made) else made
    new WindowTask(parts, ours.rowsFirst)
  }

  override def createInputProcessor(store: StateStore): InputProcessor =
    live.fold(processor(store))(liveProcessor(store, _))

  private def processor(store: StateStore): InputProcessor = new InputProcessor(store) {
    private[this] val task =
      new StoreTask(
        windowTask(child.output.size),
        groupingAttributes,
        child.output,
        ours.rows.numbered,
        store,
        ours.store,
        getStateInfo.storeVersion,
        TaskPool.Indexes.borrow(poolKey.of(s"timers of partition ${store.id.partitionId}"))(
          new TimerIndex(groupingAttributes.size, ours.limits.timerIndex)
        ),
        ours.limits.savedFrom,
        batch,
        new StateSizes(ours.limits, poolKey)
      )

    override def processNewData(rows: Iterator[InternalRow]): Iterator[InternalRow] = {
      ours.rows.batch.stateChange.foreach(task.resume)
      task.rows(rows).map(counted)
    }

    override def processTimedOutState(): Iterator[InternalRow] =
      new CompletedIterator(task.dueTimers().map(counted), () => publish())

    private[this] def counted(row: InternalRow): InternalRow = {
      numOutputRows += 1
      row
    }

    private[this] def publish(): Unit = {
      numUpdatedStateRows += task.updatedKeys
      numRemovedStateRows += task.removedKeys
      TaskCounters.Descriptions.zip(task.counters.values).foreach { case ((name, _), value) =>
        longMetric(name) += value
      }
      countKeys(task.otherRows)
      task.earliestProcessingTimer.foreach(t => pendingTimers.add(java.lang.Long.valueOf(t)))
    }

    override protected def callFunctionAndUpdateState(
        stateData: StateData,
        rows: Iterator[InternalRow],
        hasTimedOut: Boolean
    ): Iterator[InternalRow] = throw new IllegalStateException("the window operator runs no user function")
  }
}
