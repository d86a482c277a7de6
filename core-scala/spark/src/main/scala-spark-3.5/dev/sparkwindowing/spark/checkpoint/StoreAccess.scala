package dev.sparkwindowing.spark.checkpoint

import org.apache.hadoop.conf.Configuration
import org.apache.spark.sql.execution.streaming.state._
import org.apache.spark.sql.types.StructType

import scala.annotation.unused

/** State stores of a checkpoint, as Spark 3.5 opens them. */
private[spark] object StoreAccess {

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
