package dev.sparkwindowing.spark.checkpoint

import org.apache.hadoop.fs.Path
import org.apache.spark.sql.execution.streaming.state._
import org.apache.spark.sql.execution.streaming.{CommitLog, OffsetSeqLog}
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
    val batch          = chosen(spark, checkpoint, batchId)
    val conf           = SparkWindowingBridge.hadoopConf(spark)
    val state          = new Path(checkpoint, "state").toString
    val (keys, values) = StoredTypes.of(StateStoreProviderId(StateStoreId(state, operator, 0), UUID.randomUUID()), conf)
    val settings       = storeConf(spark, checkpoint, batch)
    StoredVersion(state, operator, keys, values, batch + 1, Nil, settings, new SerializableConfiguration(conf))
      .frame(spark)
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
}
