package dev.sparkwindowing.spark.exec

import dev.sparkwindowing.spark.task.StreamBatch
import dev.sparkwindowing.watermarks.IngestionTime
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.SparkWindowingBridge
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Attribute, AttributeSet, Literal, UnsafeProjection}
import org.apache.spark.sql.execution.{SparkPlan, UnaryExecNode}
import org.apache.spark.sql.types.TimestampType

/** Stamps the rows of a micro-batch with its processing time. If processing time went back, it uses the first time that
  * is late neither for this operator nor for Spark's own.
  */
private[spark] final case class IngestionTimeStampExec(stamp: Attribute, child: SparkPlan) extends UnaryExecNode {
  override def output: Seq[Attribute]           = child.output :+ stamp
  override def producedAttributes: AttributeSet = AttributeSet(stamp)

  override protected def doExecute(): RDD[InternalRow] = {
    val time = SparkWindowingBridge
      .microBatch(session)
      .map(batch => IngestionTime.stamp(batch.processingTime, StreamBatch.watermark(Some(batch.watermark))))
      .getOrElse(throw new IllegalStateException("ingestion time on a stream, outside a micro-batch"))
    val columns = child.output
    child.execute().mapPartitions { rows =>
      rows.map(UnsafeProjection.create(columns :+ Literal(time * 1000, TimestampType), columns))
    }
  }

  override protected def withNewChildInternal(newChild: SparkPlan): IngestionTimeStampExec = copy(child = newChild)
}
