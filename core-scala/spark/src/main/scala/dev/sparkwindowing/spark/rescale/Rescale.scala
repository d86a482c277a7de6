package dev.sparkwindowing.spark.rescale

import dev.sparkwindowing.checkpoints.RescaledOperator
import dev.sparkwindowing.spark.advice.Code
import org.apache.spark.sql.SparkSession

/** Writes a checkpoint anew with another number of partitions. */
private[sparkwindowing] object Rescale {

  def apply(spark: SparkSession, checkpoint: String, to: String, partitions: Int): Seq[RescaledOperator] = {
    if (partitions < 1)
      throw new IllegalArgumentException(s"${Code.name("partitions")} must be 1 or more, got $partitions")
    val copy      = new CheckpointCopy(spark, checkpoint, to, "rescale")
    val batch     = copy.begin()
    val operators = copy.windowOperators()
    val settings  = copy.oldLogs.settings(batch)
    val before    = copy.partitionsOf(settings)
    copy.refuseStore(settings)
    copy.claim()
    copy.files.copyTo(copy.to, partitions)
    val move  = new StateMove(spark, before, partitions, "rescale")
    val moved = operators.map { id =>
      val (old, anew) = copy.stores(batch, settings, id)
      move(old, anew)
    }
    copy.oldLogs.copyTo(
      copy.newLogs,
      batch,
      Map(CheckpointCopy.Partitions -> s"$partitions"),
      moved.map(m => m._1.of.operator -> m._1.of.ids).toMap
    )
    copy.complete(batch)
    moved.map { case (store, sums) =>
      RescaledOperator(store.of.operator, before, partitions, sums.rows, sums.bytes, sums.checksum)
    }
  }
}
