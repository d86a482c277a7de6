package dev.sparkwindowing.spark.checkpoint

import org.apache.hadoop.fs.Path
import org.apache.spark.sql.execution.streaming.state.StateStoreConf
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.{DataFrame, SparkSession, SparkWindowingBridge}
import org.apache.spark.util.SerializableConfiguration

/** Rows in the state store of a checkpoint, as Spark's state data source reads them. */
private[spark] object StoredRows {

  /** The columns `key` and `value` of every row of an operator.
    *
    * @param batchId
    *   as of the end of this micro-batch; None for the last one that is complete
    * @throws java.lang.IllegalArgumentException
    *   if Spark cannot read from that folder, or the micro-batch is not there
    */
  def of(spark: SparkSession, checkpoint: String, operator: Long, batchId: Option[Long]): DataFrame = {
    val path = new Path(checkpoint)
    if (path.toUri.toString != path.toString)
      throw new IllegalArgumentException(
        s"Spark's reader of state finds no checkpoint with a space or another sign in its path that an address writes " +
          s"otherwise: $checkpoint. Copy the folder to one with another name while its query stands still"
      )
    val logs     = new BatchLogs(path, SparkWindowingBridge.hadoopConf(spark))
    val complete = logs.complete
    complete.maxOption.filter(logs.stateIds(_, operator).nonEmpty).fold(read(spark, checkpoint, operator, batchId)) {
      last =>
        val number = batchId.getOrElse(last)
        if (!complete.contains(number))
          throw new IllegalArgumentException(
            s"batch_id is $number, and the micro-batches of $checkpoint are ${complete.min} to $last"
          )
        val ids = logs.stateIds(number, operator)
        byIds(spark, checkpoint, operator, number, ids, BatchLogs.storeSettings(logs.settings(number), ids))
    }
  }

  private def read(spark: SparkSession, checkpoint: String, operator: Long, batchId: Option[Long]) = {
    // Makes the coordinator of state stores, which the reader needs. A session has none before its first stream.
    val _ = spark.streams
    spark.read
      .format("statestore")
      .option("operatorId", operator)
      .options(batchId.map(b => "batchId" -> b.toString).toMap)
      .load(checkpoint)
  }

  // Checkpoint format 2. The reader finds such a version only if its session has the format too, that of Spark 4.0 not
  // even then; the stores find it.
  private def byIds(
      spark: SparkSession,
      checkpoint: String,
      operator: Long,
      batch: Long,
      ids: Seq[String],
      settings: Map[String, String]
  ) = {
    val own = SparkWindowingBridge.cloned(spark)
    settings.foreach { case (name, value) => own.conf.set(name, value) }
    val columns            = read(own, checkpoint, operator, Some(batch)).schema
    def typed(row: String) = columns(row).dataType.asInstanceOf[StructType]
    StoredVersion(
      new Path(checkpoint, "state").toString,
      operator,
      typed("key"),
      typed("value"),
      version = batch + 1,
      ids,
      new StateStoreConf(SparkWindowingBridge.settings(spark, settings)),
      new SerializableConfiguration(SparkWindowingBridge.hadoopConf(spark))
    ).frame(spark)
  }
}
