package dev.sparkwindowing.spark.exec

import dev.sparkwindowing.spark.exec.BatchWindowExec.greatest
import dev.sparkwindowing.spark.plan.WindowProgram
import dev.sparkwindowing.spark.task.{CompletedIterator, ProgramInTask, TaskCounters, WindowTask}
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Ascending, Attribute, AttributeSet, SortOrder}
import org.apache.spark.sql.catalyst.plans.physical.Distribution
import org.apache.spark.sql.execution.metric.{SQLMetric, SQLMetrics}
import org.apache.spark.sql.execution.{GroupedIterator, SortExec, SparkPlan, UnaryExecNode, WholeStageCodegenExec}

/** The window operator on a static DataFrame. Takes all rows of a key, in order of event time, to the microsecond, and
  * then of arrival if the result depends on the order, then the end of input, which ends every event-time window.
  * Processing time does not advance.
  */
private[spark] final case class BatchWindowExec(
    program: WindowProgram,
    ordered: Boolean,
    output: Seq[Attribute],
    child: SparkPlan
) extends UnaryExecNode {

  private def keys: Seq[Attribute] = child.output.take(program.input.keyCount)

  override def producedAttributes: AttributeSet             = AttributeSet(output)
  override def requiredChildDistribution: Seq[Distribution] = Seq(ClusteredByKeys(keys))

  override def requiredChildOrdering: Seq[Seq[SortOrder]] = {
    val order = if (ordered) Seq(child.output(program.input.orderOrdinal), child.output.last) else Nil
    Seq((keys ++ order).map(SortOrder(_, Ascending)))
  }

  override lazy val metrics: Map[String, SQLMetric] =
    (("numOutputRows" -> "number of output rows") +: TaskCounters.Descriptions).map { case (name, description) =>
      name -> SQLMetrics.createMetric(sparkContext, description)
    }.toMap

  override protected def doExecute(): RDD[InternalRow] = {
    val figures    = TaskCounters.Descriptions.map { case (name, _) => longMetric(name) }
    val outputRows = longMetric("numOutputRows")
    val task       = program.started(_.drawShift(System.currentTimeMillis()))
    val keyColumns = keys
    val columns    = child.output
    val last       = lastTime
    child.execute().mapPartitions { rows =>
      val window  = new WindowTask(new ProgramInTask(task, columns.size), rowsFirst = false)
      val results = GroupedIterator(rows, keyColumns, columns).flatMap { case (key, group) =>
        window.runBounded(key, group, last)
      }
      val counted = results.map { row =>
        outputRows += 1
        row
      }
      new CompletedIterator(counted, () => figures.zip(window.counters.values).foreach { case (f, v) => f += v })
    }
  }

  // The greatest event time of all keys, which windows without rows need. A job of its own, over the rows of the last
  // exchange, which Spark keeps.
  private def lastTime: Long =
    if (program.plan.emptyWindows.isEmpty) Long.MaxValue
    else {
      val time   = program.input.timeOrdinal
      val unsort = child match {
        case WholeStageCodegenExec(sort: SortExec) => sort.child
        case sort: SortExec                        => sort.child
        case other                                 => other
      }
      unsort.execute().mapPartitions(rows => Iterator(greatest(rows, time))).collect().foldLeft(Long.MinValue)(math.max)
    }

  override protected def withNewChildInternal(newChild: SparkPlan): BatchWindowExec = copy(child = newChild)
}

private object BatchWindowExec {

  // Rows without event time are in no window.
  private def greatest(rows: Iterator[InternalRow], time: Int): Long =
    rows.foldLeft(Long.MinValue)((last, row) => if (row.isNullAt(time)) last else math.max(last, row.getLong(time)))
}
