package dev.sparkwindowing.spark

import dev.sparkwindowing.spark.checkpoint.LocalCheckpointFs
import org.apache.spark.sql.SparkSession

/** One session of two cores for all suites of the JVM. */
trait SharedSpark {
  lazy val spark: SparkSession = SharedSpark.session
}

object SharedSpark {
  lazy val session: SparkSession = {
    val made = SparkSession
      .builder()
      .master("local[2, 2]") // a task that fails runs once more
      .appName("spark-windowing tests")
      .config("spark.ui.enabled", "false")
      .config("spark.sql.shuffle.partitions", "3")
      .config("spark.sql.session.timeZone", "UTC")
      .config("spark.sql.ansi.enabled", "true") // not the default of Spark 3.5
      .config(LocalCheckpointFs.Setting, classOf[LocalCheckpointFs].getName)
      // By default Spark 4 asks the driver for every name that its compiler of generated code looks up.
      .config("spark.sql.artifact.isolation.enabled", "false")
      .getOrCreate()
    made.range(1).schema // as a user's session, whose analyzer is made before it is told of windows
    made
  }
}
