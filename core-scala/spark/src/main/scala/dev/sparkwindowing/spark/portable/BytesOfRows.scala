package dev.sparkwindowing.spark.portable

import dev.sparkwindowing.spark.plan.InputLayout
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical.{LeafNode, Statistics}
import org.apache.spark.sql.execution.{SparkPlan, UnaryExecNode}
import org.apache.spark.sql.types.{BinaryType, DataType, TimestampType}

/** Rows that are planned already, in a logical plan over them. */
private[spark] final case class PlannedRows(output: Seq[Attribute], rows: SparkPlan) extends LeafNode {
  override def isStreaming: Boolean       = true
  override def computeStats(): Statistics = Statistics(sizeInBytes = conf.defaultSizeInBytes)
}

/** The operator's rows as bytes: key, row, and a null with the mark of a watermark. Spark asks for such a column where
  * there are timeouts of event time, and drops a row whose time there is late: none.
  *
  * @param keyCount
  *   number of columns of the key, which come first
  */
private[portable] final case class BytesOfRowsExec(keyCount: Int, output: Seq[Attribute], child: SparkPlan)
    extends UnaryExecNode {
  override def producedAttributes: AttributeSet = AttributeSet(output)

  override protected def doExecute(): RDD[InternalRow] = {
    val types = child.output.map(_.dataType).toArray
    val keys  = keyCount
    child.execute().mapPartitions { rows =>
      val toKey   = UnsafeProjection.create(types.take(keys))
      val toRow   = UnsafeProjection.create(types)
      val bytes   = new GenericInternalRow(3)
      val written = UnsafeProjection.create(Array[DataType](BinaryType, BinaryType, TimestampType))
      rows.map { row =>
        bytes.update(0, toKey(row).getBytes)
        // Rows come from the exchange as they are stored, and from other nodes as they may be.
        val stored = row match {
          case unsafe: UnsafeRow => unsafe
          case other             => toRow(other)
        }
        bytes.update(1, stored.getBytes)
        written(bytes)
      }
    }
  }

  override protected def withNewChildInternal(newChild: SparkPlan): BytesOfRowsExec = copy(child = newChild)
}

private[portable] object BytesOfRowsExec {

  /** Name of the column of keys. */
  val Key = "key"

  def of(keyCount: Int, rows: SparkPlan): BytesOfRowsExec = {
    val output = Seq(
      AttributeReference(Key, BinaryType, nullable = false)(),
      AttributeReference("row", BinaryType, nullable = false)(),
      AttributeReference("no_time", TimestampType, nullable = true, InputLayout.Marked)()
    )
    BytesOfRowsExec(keyCount, output, rows)
  }
}

/** The operator's results from their bytes. */
private[portable] final case class RowsOfBytesExec(output: Seq[Attribute], child: SparkPlan) extends UnaryExecNode {
  override def producedAttributes: AttributeSet = AttributeSet(output)

  override protected def doExecute(): RDD[InternalRow] = {
    val size = output.size
    child.execute().mapPartitions { rows =>
      val row = new UnsafeRow(size)
      rows.map { result =>
        val bytes = result.getBinary(0)
        row.pointTo(bytes, bytes.length)
        row
      }
    }
  }

  override protected def withNewChildInternal(newChild: SparkPlan): RowsOfBytesExec = copy(child = newChild)
}
