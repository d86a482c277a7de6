package dev.sparkwindowing.live

import dev.sparkwindowing.spark.checkpoint.LocalCheckpointFs
import dev.sparkwindowing.spark.plan.RealTimeMode
import org.apache.spark.sql.SparkSession

/** One session for all suites of the JVM, with the settings of real-time mode, short micro-batches and a watermark
  * behind each row. All tasks of a query run at once, so it has more slots than the machine has cores.
  */
trait LiveSpark {
  lazy val spark: SparkSession = LiveSpark.session
}

object LiveSpark {
  lazy val session: SparkSession = {
    val settings = Map(
      "spark.executor.heartbeatInterval"                          -> "100ms",
      "spark.ui.enabled"                                          -> "false",
      "spark.sql.shuffle.partitions"                              -> "2",
      "spark.sql.session.timeZone"                                -> "UTC",
      LocalCheckpointFs.Setting                                   -> classOf[LocalCheckpointFs].getName,
      RealTimeMode.Setting                                        -> "true",
      RealTimeMode.IntervalSetting                                -> "0 ms",
      RealTimeMode.BufferSetting                                  -> "1",
      "spark.sql.streaming.realTimeMode.allowlistCheck"           -> "false",
      "spark.sql.streaming.realTimeMode.minBatchDuration"         -> "100",
      "spark.sql.streaming.stateStore.providerClass"              -> RocksDb,
      "spark.sql.streaming.stateStore.checkpointFormatVersion"    -> "2",
      "spark.sql.streaming.verifyCheckpointDirectoryEmptyOnStart" -> "false",
      // By default Spark 4 asks the driver for every name that its compiler of generated code looks up.
      "spark.sql.artifact.isolation.enabled" -> "false"
    )
    val builder = SparkSession.builder().master("local[16]").appName("real-time tests")
    val made    = settings.foldLeft(builder) { case (b, (name, value)) => b.config(name, value) }.getOrCreate()
    made.sparkContext.setLogLevel("OFF")
    made
  }

  private def RocksDb = "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"
}
