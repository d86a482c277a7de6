package dev.sparkwindowing.spark.realtime

import dev.sparkwindowing.spark.plan.RealTimeMode
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Attribute, AttributeSet}
import org.apache.spark.sql.execution.{SparkPlan, UnaryExecNode}

/** The operator's input in real-time mode, with the watermarks of each source task between its rows.
  *
  * @param timeOrdinal
  *   position of the event time in milliseconds
  * @param delay
  *   of the watermark, in milliseconds; None without one
  * @param partitions
  *   number of the operator's partitions
  * @param inBand
  *   the columns of watermarks, of which the first is the salt of the exchange
  */
private[spark] final case class InBandWatermarksExec(
    timeOrdinal: Int,
    delay: Option[Long],
    partitions: Int,
    mode: RealTimeMode,
    heartbeat: Long,
    inBand: Seq[Attribute],
    child: SparkPlan
) extends UnaryExecNode {

  override def output: Seq[Attribute]           = child.output.map(_.withNullability(true)) ++ inBand
  override def producedAttributes: AttributeSet = AttributeSet(inBand)

  override protected def doExecute(): RDD[InternalRow] = {
    val columns                = new InBandColumns(child.output.map(_.dataType).toArray)
    val rows                   = child.execute()
    val tasks                  = rows.getNumPartitions
    val (time, behind, number) = (timeOrdinal, delay, partitions)
    val (settings, every)      = (mode, heartbeat)
    rows.mapPartitionsWithIndex { (task, rows) =>
      val withColumns = columns.withoutWatermark()
      new InBandRows(
        new HandOver(rows.map(withColumns), s"rows of source task $task"),
        new columns.Watermarks(task, tasks, number),
        time,
        behind,
        settings,
        every,
        SourceSilence.ofTask(task, tasks),
        () => System.nanoTime / 1000000L
      )
    }
  }

  override protected def withNewChildInternal(newChild: SparkPlan): InBandWatermarksExec = copy(child = newChild)
}
