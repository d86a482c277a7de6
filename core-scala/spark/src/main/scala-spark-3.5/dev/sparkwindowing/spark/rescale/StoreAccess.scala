package dev.sparkwindowing.spark.rescale

import org.apache.hadoop.conf.Configuration
import org.apache.spark.sql.execution.streaming.state._
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.{SparkSession, StoredTypes}

import java.util.UUID
import scala.annotation.unused

/** State stores of a checkpoint, as Spark 3.5 opens them. */
private[rescale] object StoreAccess {

  /** The types of keys and of values. */
  def types(@unused spark: SparkSession, id: StateStoreId, conf: Configuration): (StructType, StructType) =
    StoredTypes.of(StateStoreProviderId(id, UUID.randomUUID()), conf)

  def provider(
      id: StateStoreProviderId,
      keys: StructType,
      values: StructType,
      settings: StateStoreConf,
      conf: Configuration
  ): StateStoreProvider = StateStoreProvider.createAndInit(id, keys, values, numColsPrefixKey = 0, settings, conf)

  /** A store without rows, whose commit is version 1. */
  def empty(provider: StateStoreProvider): StateStore = provider.getStore(0)

  def read(provider: StateStoreProvider, version: Long, @unused id: Option[String]): ReadStateStore =
    provider.getReadStore(version)

  /** The id of what was committed, where versions have one. */
  def committed(@unused store: StateStore): Option[String] = None
}
