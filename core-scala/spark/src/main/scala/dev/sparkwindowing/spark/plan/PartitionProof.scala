package dev.sparkwindowing.spark.plan

import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.functions._
import org.apache.spark.sql.types.{Metadata, MetadataBuilder}
import org.apache.spark.sql.{Column, DataFrame}

/** A watermark that the slowest partition determines, as the column that Spark's watermark node reads.
  *
  * The column is a struct of the partition and the watermark that the row gives. The time is its field `end`, since
  * Spark takes a struct with such a field, that of its own windows, as an event time.
  *
  * @param column
  *   the SQL of the column of partitions
  * @param idleTimeout
  *   milliseconds without rows after which a partition is idle
  */
private[spark] final case class PartitionProof(column: String, idleTimeout: Option[Long])

private[spark] object PartitionProof {
  private val ColumnKey  = "spark_windowing.partitions.column"
  private val TimeoutKey = "spark_windowing.partitions.idle_timeout"

  /** Adds the column `name`. */
  def add(df: DataFrame, name: String, partition: Column, time: Column, idleTimeout: Option[Long]): DataFrame = {
    val text     = coalesce(partition.cast("string"), lit(""))
    val metadata = new MetadataBuilder().putString(ColumnKey, partition.toString)
    idleTimeout.foreach(metadata.putLong(TimeoutKey, _))
    df.withColumn(name, struct(text.as("partition"), time.as("end"))).withMetadata(name, metadata.build())
  }

  /** Column and timeout of the column of a watermark node; None for any other column. */
  def of(time: Attribute): Option[PartitionProof] = {
    val metadata: Metadata = time.metadata
    if (!metadata.contains(ColumnKey)) None
    else
      Some(
        PartitionProof(
          metadata.getString(ColumnKey),
          if (metadata.contains(TimeoutKey)) Some(metadata.getLong(TimeoutKey)) else None
        )
      )
  }
}
