package dev.sparkwindowing.spark.relocated

import org.apache.spark.sql.execution.streaming
import org.apache.spark.sql.{Encoder, SparkSession}

/** Names that tests use and that differ between Spark versions, as in Spark 3.5. */
object RelocatedInTests {
  type MemoryStream[A]       = streaming.MemoryStream[A]
  type StreamingQueryWrapper = streaming.StreamingQueryWrapper

  def memoryStream[A](encoder: Encoder[A], spark: SparkSession): MemoryStream[A] =
    streaming.MemoryStream[A](encoder, spark.sqlContext)

  /** A stream that Spark reads in so many partitions. */
  def memoryStream[A](encoder: Encoder[A], spark: SparkSession, partitions: Int): MemoryStream[A] =
    streaming.MemoryStream[A](partitions)(encoder, spark.sqlContext)
}
