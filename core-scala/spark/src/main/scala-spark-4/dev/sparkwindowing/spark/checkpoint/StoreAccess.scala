package dev.sparkwindowing.spark.checkpoint

import dev.sparkwindowing.spark.relocated.Relocated.StreamExecution
import org.apache.hadoop.conf.Configuration
import org.apache.spark.sql.execution.streaming.state._
import org.apache.spark.sql.types.StructType

import java.lang.reflect.InvocationTargetException

/** State stores of a checkpoint, as Spark 4 opens them. */
private[spark] object StoreAccess {

  def provider(
      id: StateStoreProviderId,
      keys: StructType,
      values: StructType,
      settings: StateStoreConf,
      conf: Configuration
  ): StateStoreProvider = {
    val own = new Configuration(conf)
    own.set(StreamExecution.RUN_ID_KEY, id.queryRunId.toString)
    StateStoreProvider.createAndInit(
      id,
      keys,
      values,
      NoPrefixKeyStateEncoderSpec(keys),
      useColumnFamilies = false,
      settings,
      own,
      useMultipleValuesPerKey = false,
      stateSchemaProvider = None
    )
  }

  /** A store without rows, whose commit is version 1. */
  def empty(provider: StateStoreProvider): StateStore = {
    // Spark 4.2 has two flags more than 4.1, which one jar runs on.
    val flags = Seq.fill(GetStore.getParameterCount - 2)(java.lang.Boolean.FALSE)
    try GetStore.invoke(provider, Seq(java.lang.Long.valueOf(0L), None) ++ flags: _*).asInstanceOf[StateStore]
    catch { case e: InvocationTargetException => throw e.getCause }
  }

  private lazy val GetStore =
    classOf[StateStoreProvider].getMethods.filter(_.getName == "getStore").maxBy(_.getParameterCount)

  def read(provider: StateStoreProvider, version: Long, id: Option[String]): ReadStateStore =
    provider.getReadStore(version, id)

  /** The id of what was committed, where versions have one. */
  def committed(store: StateStore): Option[String] = store.getStateStoreCheckpointInfo().stateStoreCkptId
}
