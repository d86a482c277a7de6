package dev.sparkwindowing.spark.exec

import dev.sparkwindowing.spark.relocated.SinceSpark4
import dev.sparkwindowing.spark.task.StateRow
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.execution.streaming.state.StateStoreProvider
import org.apache.spark.sql.types.StructType

import java.nio.file.{Files, Path}
import scala.jdk.CollectionConverters._

/** Reads and changes by hand what a stopped query has left in its checkpoint. */
object StoredBlocks {

  /** Changes the block of every key as of the last micro-batch, whose number is `batch`. */
  def change(spark: SparkSession, checkpoint: Path, batch: Long, keys: StructType)(
      to: Array[Byte] => Array[Byte]
  ): Unit = {
    val rows = eachPartition(spark, checkpoint, keys) { provider =>
      val kept  = stored(provider, batch)
      val store = provider.getStore(batch)
      kept.foreach { case (key, row) => store.put(key, changed(row, to)) }
      store.commit()
      kept
    }
    require(rows.nonEmpty, s"no state in $checkpoint")
  }

  /** Keys and rows as of a micro-batch. */
  def rows(spark: SparkSession, checkpoint: Path, batch: Long, keys: StructType): Seq[(UnsafeRow, UnsafeRow)] =
    eachPartition(spark, checkpoint, keys)(stored(_, batch))

  private def eachPartition[A](spark: SparkSession, checkpoint: Path, keys: StructType)(
      work: StateStoreProvider => Seq[A]
  ): Seq[A] = {
    val folder     = checkpoint.resolve("state/0")
    val partitions = Files.list(folder).iterator.asScala.flatMap(_.getFileName.toString.toIntOption).toSeq
    partitions.flatMap { partition =>
      val provider = SinceSpark4.stateOf(spark, folder.getParent.toString, partition, keys)
      try work(provider)
      finally provider.close()
    }
  }

  private def stored(provider: StateStoreProvider, batch: Long): Seq[(UnsafeRow, UnsafeRow)] = {
    val store = provider.getStore(batch + 1)
    try store.iterator().map(pair => (pair.key.copy(), pair.value.copy())).toList
    finally store.abort()
  }

  private def changed(row: UnsafeRow, to: Array[Byte] => Array[Byte]): UnsafeRow = {
    val counts = row.getStruct(0, StateRow.Value.size)
    new StateRow.Writer()(
      to(StateRow.block(row)),
      StateRow.eventTimer(row),
      StateRow.processingTimer(row),
      counts.getInt(2),
      counts.getInt(3),
      counts.getInt(4)
    )
  }
}
