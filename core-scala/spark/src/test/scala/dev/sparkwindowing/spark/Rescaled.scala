package dev.sparkwindowing.spark

import dev.sparkwindowing.SparkWindowing
import dev.sparkwindowing.checkpoints.RescaledOperator
import org.apache.spark.sql.SparkSession

import java.nio.file.{Files, Path}

/** Rescales the checkpoint of a query, which then goes on from the new one. */
object Rescaled {
  def apply(spark: SparkSession, q: DrivenQuery, partitions: Int): Seq[RescaledOperator] = {
    q.stop()
    val to      = folder()
    val written = SparkWindowing.rescale(spark, q.checkpoint.toString, to.toString, partitions)
    q.moveTo(to)
    written
  }

  /** A place for a new checkpoint. */
  def folder(): Path = Files.createTempDirectory("rescaled").resolve("checkpoint")
}
