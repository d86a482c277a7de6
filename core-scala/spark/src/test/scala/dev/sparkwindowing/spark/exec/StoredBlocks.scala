package dev.sparkwindowing.spark.exec

import dev.sparkwindowing.spark.relocated.SinceSpark4
import dev.sparkwindowing.spark.task.StateRow
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.types.StructType

import java.nio.file.{Files, Path}
import scala.jdk.CollectionConverters._

/** Changes by hand what a stopped query has left in its checkpoint. */
object StoredBlocks {

  /** Changes the block of every key as of the last micro-batch, whose number is `batch`. */
  def change(spark: SparkSession, checkpoint: Path, batch: Long, keys: StructType)(
      to: Array[Byte] => Array[Byte]
  ): Unit = {
    val folder     = checkpoint.resolve("state/0")
    val partitions = Files.list(folder).iterator.asScala.flatMap(_.getFileName.toString.toIntOption).toSeq
    partitions.foreach { partition =>
      val provider = SinceSpark4.stateOf(spark, folder.getParent.toString, partition, keys)
      try {
        val kept = provider.getStore(batch + 1)
        val rows = kept.iterator().map(pair => (pair.key.copy(), pair.value.copy())).toList
        kept.abort()
        val store = provider.getStore(batch)
        rows.foreach { case (key, row) => store.put(key, changed(row, to)) }
        store.commit()
      } finally provider.close()
    }
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
