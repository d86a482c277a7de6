package dev.sparkwindowing.spark.exec

import dev.sparkwindowing.spark.checkpoint.StateRow
import dev.sparkwindowing.spark.relocated.SinceSpark4
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
    val found = rewrite(spark, checkpoint, batch, keys) { (_, row) =>
      Some(if (StateRow.isPiece(row)) row else changed(row, to))
    }
    require(found > 0, s"no state in $checkpoint")
  }

  /** Changes, as of micro-batch `batch`, the pieces with this number: to other bytes, or removes them. */
  def changePieces(spark: SparkSession, checkpoint: Path, batch: Long, keys: StructType)(
      number: Long,
      to: Option[Array[Byte]]
  ): Unit = {
    def isIt(row: UnsafeRow) = StateRow.isPiece(row) && StateRow.processingTimer(row) == number
    val rows                 = rewrite(spark, checkpoint, batch, keys) { (_, row) =>
      if (isIt(row)) to.map(bytes => changed(row, _ => bytes)) else Some(row)
    }
    require(rows > 0, s"no state in $checkpoint")
  }

  /** Puts another row for each key and each piece, as of micro-batch `batch`; none removes it.
    *
    * @return
    *   number of rows that there were
    */
  def rewrite(spark: SparkSession, checkpoint: Path, batch: Long, keys: StructType)(
      to: (UnsafeRow, UnsafeRow) => Option[UnsafeRow]
  ): Int = eachPartition(spark, checkpoint, keys) { provider =>
    val kept  = stored(provider, batch)
    val store = provider.getStore(batch)
    kept.foreach { case (key, row) => to(key, row).fold(store.remove(key))(store.put(key, _)) }
    store.commit()
    kept
  }.size

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
