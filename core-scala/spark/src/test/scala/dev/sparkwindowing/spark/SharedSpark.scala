package dev.sparkwindowing.spark

import org.apache.spark.sql.SparkSession

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
      .getOrCreate()
}
