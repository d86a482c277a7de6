package dev.sparkwindowing.spark.checkpoint

import org.apache.hadoop.fs.Path
import org.apache.spark.TaskContext
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.execution.streaming.state.{
  StateStoreConf,
  StateStoreId,
  StateStoreProvider,
  StateStoreProviderId,
  UnsafeRowPair
}
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.{DataFrame, SparkSession, SparkWindowingBridge}
import org.apache.spark.util.SerializableConfiguration

import java.util.UUID

/** Version of the state stores of an operator, a store for each partition.
  *
  * @param state
  *   the folder `state` of the checkpoint
  * @param ids
  *   the id of the version by partition, where versions have one
  */
private[spark] final case class StoredVersion(
    state: String,
    operator: Long,
    keys: StructType,
    values: StructType,
    version: Long,
    ids: Seq[String],
    settings: StateStoreConf,
    conf: SerializableConfiguration
) {

  /** The place of a partition. */
  def storeId(partition: Int): StateStoreId = StateStoreId(state, operator, partition)

  /** The store of a partition with all its versions, which the caller closes. */
  def provider(partition: Int): StateStoreProvider = {
    val id = StateStoreProviderId(storeId(partition), UUID.randomUUID())
    StoreAccess.provider(id, keys, values, settings, conf.value)
  }

  /** The rows of a partition, in a task. A row is valid until the next. */
  def read(partition: Int): Iterator[UnsafeRowPair] = {
    val provider = this.provider(partition)
    TaskContext.get().addTaskCompletionListener[Unit](_ => provider.close())
    val store = StoreAccess.read(provider, version, ids.lift(partition))
    TaskContext.get().addTaskCompletionListener[Unit](_ => store.abort())
    store.iterator()
  }

  /** The columns `key` and `value` of every row. */
  def frame(spark: SparkSession): DataFrame = {
    val partitions = Numbered.in(new Path(state, operator.toString), conf.value).map(_.toInt).sorted
    val rows       = spark.sparkContext
      .parallelize(partitions, math.max(partitions.size, 1))
      .mapPartitions(_.flatMap(read(_).map(pair => InternalRow(pair.key.copy(), pair.value.copy()))))
    SparkWindowingBridge.ofRows(spark, rows, new StructType().add("key", keys).add("value", values))
  }
}
