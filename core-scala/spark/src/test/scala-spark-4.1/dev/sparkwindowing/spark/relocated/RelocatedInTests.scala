package dev.sparkwindowing.spark.relocated

import org.apache.spark.sql.execution.streaming.runtime
import org.apache.spark.sql.{Encoder, SparkSession}

/** Names that tests use and that differ between Spark versions, as in Spark 4.1 and later. */
object RelocatedInTests {
  type MemoryStream[A]       = runtime.MemoryStream[A]
  type StreamingQueryWrapper = runtime.StreamingQueryWrapper

  def memoryStream[A](encoder: Encoder[A], spark: SparkSession): MemoryStream[A] =
    runtime.MemoryStream[A](encoder, spark)

  /** A stream that Spark reads in so many partitions. */
  def memoryStream[A](encoder: Encoder[A], spark: SparkSession, partitions: Int): MemoryStream[A] =
    runtime.MemoryStream[A](spark, partitions)(encoder)
}
