package dev.sparkwindowing.spark

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.execution.streaming.checkpointing.FileSystemBasedCheckpointFileManager

/** One `local[2]` session for all suites of the JVM. */
trait SharedSpark {
  lazy val spark: SparkSession = SharedSpark.session
}

object SharedSpark {
  private lazy val session: SparkSession =
    SparkSession
      .builder()
      .master("local[2]")
      .appName("spark-windowing tests")
      .config("spark.ui.enabled", "false")
      .config("spark.sql.shuffle.partitions", "3")
      .config("spark.sql.session.timeZone", "UTC")
      // Spark's usual one starts a process for each chmod of a checkpoint on a local disk.
      .config("spark.sql.streaming.checkpointFileManagerClass", classOf[FileSystemBasedCheckpointFileManager].getName)
      .getOrCreate()
}
