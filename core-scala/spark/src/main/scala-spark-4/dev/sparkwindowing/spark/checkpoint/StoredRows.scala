package dev.sparkwindowing.spark.checkpoint

import org.apache.hadoop.fs.Path
import org.apache.spark.sql.{DataFrame, SparkSession}

/** Rows in the state store of a checkpoint, as Spark's state data source reads them. */
private[spark] object StoredRows {

  /** The columns `key` and `value` of every row of an operator.
    *
    * @param batchId
    *   as of the end of this micro-batch; None for the last one that is complete
    * @throws java.lang.IllegalArgumentException
    *   if Spark cannot read from that folder
    */
  def of(spark: SparkSession, checkpoint: String, operator: Long, batchId: Option[Long]): DataFrame = {
    val path = new Path(checkpoint)
    if (path.toUri.toString != path.toString)
      throw new IllegalArgumentException(
        s"Spark's reader of state finds no checkpoint with a space or another sign in its path that an address writes " +
          s"otherwise: $checkpoint. Copy the folder to one with another name while its query stands still"
      )
    // Makes the coordinator of state stores, which the reader needs. A session has none before its first stream.
    val _ = spark.streams
    spark.read
      .format("statestore")
      .option("operatorId", operator)
      .options(batchId.map(b => "batchId" -> b.toString).toMap)
      .load(checkpoint)
  }
}
