package dev.sparkwindowing.spark.checkpoint

import org.apache.hadoop.fs.Path
import org.apache.spark.TaskContext
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.types.DataTypeUtils
import org.apache.spark.sql.execution.LogicalRDD
import org.apache.spark.sql.execution.streaming.state._
import org.apache.spark.sql.execution.streaming.{CommitLog, OffsetSeqLog}
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.{DataFrame, SparkSession, SparkWindowingBridge, StoredTypes}
import org.apache.spark.util.SerializableConfiguration

import java.util.UUID

/** Rows in the state store of a checkpoint. Spark 3.5 has no data source for them: its state stores read them. */
private[spark] object StoredRows {

  /** The columns `key` and `value` of every row of an operator.
    *
    * @param batchId
    *   as of the end of this micro-batch; None for the last one that is complete
    * @throws java.lang.IllegalArgumentException
    *   if the micro-batch is not complete, or none is
    */
  def of(spark: SparkSession, checkpoint: String, operator: Long, batchId: Option[Long]): DataFrame = {
    val batch  = chosen(spark, checkpoint, batchId)
    val conf   = SparkWindowingBridge.hadoopConf(spark)
    val folder = new Path(new Path(checkpoint, "state"), operator.toString)
    val stores = new Stores(
      folder.getParent.toString,
      operator,
      version = batch + 1,
      storeConf(spark, checkpoint, batch),
      new SerializableConfiguration(conf)
    )
    val (keys, values) = StoredTypes.of(stores.id(0), conf)
    val partitions     = Numbered.in(folder, conf).map(_.toInt).sorted
    val rows           = spark.sparkContext
      .parallelize(partitions, math.max(partitions.size, 1))
      .mapPartitions(_.flatMap(stores.read(_, keys, values)))
    val columns = new StructType().add("key", keys).add("value", values)
    SparkWindowingBridge.toDataFrame(spark, LogicalRDD(DataTypeUtils.toAttributes(columns), rows)(spark))
  }

  private def chosen(spark: SparkSession, checkpoint: String, batchId: Option[Long]): Long = {
    val complete = new CommitLog(spark, new Path(checkpoint, "commits").toString).getLatestBatchId()
    (complete, batchId) match {
      case (None, _) =>
        throw new IllegalArgumentException(s"$checkpoint holds no complete micro-batch: start the query first")
      case (Some(last), Some(id)) if id > last =>
        throw new IllegalArgumentException(
          s"batch_id is $id, and the last complete micro-batch of $checkpoint is $last"
        )
      case (Some(last), _) => batchId.getOrElse(last)
    }
  }

  // The settings of the query: the session may have another store.
  private def storeConf(spark: SparkSession, checkpoint: String, batch: Long): StateStoreConf = {
    val offsets = new OffsetSeqLog(spark, new Path(checkpoint, "offsets").toString).get(batch)
    val own     = offsets.flatMap(_.metadata).fold(Map.empty[String, String])(_.conf)
    new StateStoreConf(SparkWindowingBridge.settings(spark, own))
  }

  private final class Stores(
      state: String,
      operator: Long,
      version: Long,
      settings: StateStoreConf,
      conf: SerializableConfiguration
  ) extends Serializable {

    def id(partition: Int): StateStoreProviderId =
      StateStoreProviderId(StateStoreId(state, operator, partition), UUID.randomUUID())

    def read(partition: Int, keys: StructType, values: StructType): Iterator[InternalRow] = {
      val provider = StoreAccess.provider(id(partition), keys, values, settings, conf.value)
      val store    = StoreAccess.read(provider, version, id = None)
      TaskContext.get().addTaskCompletionListener[Unit] { _ =>
        store.abort()
        provider.close()
      }
      store.iterator().map(pair => InternalRow(pair.key.copy(), pair.value.copy()))
    }
  }
}
