package dev.sparkwindowing.spark.relocated

import dev.sparkwindowing.spark.Timed
import dev.sparkwindowing.spark.checkpoint.StateRow
import org.apache.spark.sql.execution.streaming.state._
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.{Column, DataFrame, KeyValueGroupedDataset, SparkSession, SparkTestBridge}

import java.util.UUID
import scala.annotation.unused

/** Parts of Spark 4 that tests use: none in Spark 3.5. */
object SinceSpark4 {
  def collated(@unused text: Column): Option[Column] = None

  val transformWithState: Option[(KeyValueGroupedDataset[String, Timed], Boolean) => DataFrame] = None

  /** The store of a partition of the first operator in a checkpoint. */
  def stateOf(spark: SparkSession, state: String, partition: Int, keys: StructType): StateStoreProvider =
    StateStoreProvider.createAndInit(
      StateStoreProviderId(StateStoreId(state, 0, partition), UUID.randomUUID()),
      keys,
      StateRow.Schema,
      numColsPrefixKey = 0,
      SparkTestBridge.stateConf(spark),
      SparkTestBridge.hadoopConf(spark)
    )
}
