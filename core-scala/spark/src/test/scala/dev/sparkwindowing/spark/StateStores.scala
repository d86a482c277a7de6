package dev.sparkwindowing.spark

import org.apache.spark.sql.SparkSession

/** The state stores of Spark, and sessions that use them. */
object StateStores {
  private val RocksDb = "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"

  val all: Seq[(String, Map[String, String])] = Seq(
    "HDFS"                   -> Map.empty,
    "RocksDB"                -> Map("providerClass" -> RocksDb),
    "RocksDB with changelog" -> Map("providerClass" -> RocksDb, "rocksdb.changelogCheckpointing.enabled" -> "true")
  )

  def session(spark: SparkSession, settings: Map[String, String]): SparkSession = {
    val own = spark.newSession()
    settings.foreach { case (name, value) => own.conf.set(s"spark.sql.streaming.stateStore.$name", value) }
    own
  }
}
