package dev.sparkwindowing.spark.exec

import dev.sparkwindowing.spark.plan.WindowProgram
import dev.sparkwindowing.spark.task.{CompletedIterator, ProgramInTask, TaskCounters, WindowTask}
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Ascending, Attribute, AttributeSet, SortOrder}
import org.apache.spark.sql.catalyst.plans.physical.Distribution
import org.apache.spark.sql.execution.metric.{SQLMetric, SQLMetrics}
import org.apache.spark.sql.execution.{GroupedIterator, SparkPlan, UnaryExecNode}

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
    child.execute().mapPartitions { rows =>
      val window  = new WindowTask(new ProgramInTask(task, columns.size), rowsFirst = false)
      val results = GroupedIterator(rows, keyColumns, columns).flatMap { case (key, group) =>
        window.runBounded(key, group)
      }
      val counted = results.map { row =>
        outputRows += 1
        row
      }
      new CompletedIterator(counted, () => figures.zip(window.counters.values).foreach { case (f, v) => f += v })
    }
  }

  override protected def withNewChildInternal(newChild: SparkPlan): BatchWindowExec = copy(child = newChild)
}
