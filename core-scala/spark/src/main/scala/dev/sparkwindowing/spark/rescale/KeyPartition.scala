package dev.sparkwindowing.spark.rescale

import org.apache.spark.sql.catalyst.expressions.{BoundReference, UnsafeProjection, UnsafeRow}
import org.apache.spark.sql.catalyst.plans.physical.HashPartitioning
import org.apache.spark.sql.types.StructType

/** The partition of a key, as Spark's exchange before the operator chooses it. The row of a piece is that of its key
  * with some bytes behind it, and has the partition of the key.
  */
private[rescale] final class KeyPartition(keys: StructType, partitions: Int) {
  private[this] val columns = keys.zipWithIndex.map { case (f, i) => BoundReference(i, f.dataType, f.nullable) }
  private[this] val number  = UnsafeProjection.create(Seq(HashPartitioning(columns, partitions).partitionIdExpression))

  def apply(key: UnsafeRow): Int = number(key).getInt(0)
}
