package dev.sparkwindowing.spark.rescale

import dev.sparkwindowing.spark.checkpoint.{StateRow, StoreAccess, StoredVersion}
import dev.sparkwindowing.spark.task.SavedIndex
import org.apache.hadoop.fs.Path
import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.execution.streaming.state.StateStore

/** Partition as it was written.
  *
  * @param id
  *   of the version, where versions have one
  * @param taken
  *   sums of its rows as they came, if they were rewritten
  * @param kept
  *   those of the rows that were committed
  */
private[rescale] final case class WrittenPartition(id: Option[String], taken: RowSums, kept: RowSums)

/** The state stores of one operator in a checkpoint, one for each partition, in tasks.
  *
  * @param isNative
  *   whether they are those of the native operator
  */
private[spark] final case class OperatorStore(of: StoredVersion, isNative: Boolean) {
  import of.{conf, keys, provider, storeId, values, version}

  /** The rows of a partition, but for what it says of its keys, which is true of no other partition. A row is valid
    * until the next.
    */
  def read(partition: Int): Iterator[(UnsafeRow, UnsafeRow)] =
    of.read(partition).map(pair => (pair.key, pair.value)).filterNot { case (_, value) => isSummary(value) }

  /** Writes all rows of a partition as the only version of its state.
    *
    * @param rewrite
    *   what is done with them before they are committed
    */
  def write(
      partition: Int,
      rows: Iterator[(Array[Byte], Array[Byte])],
      rewrite: Option[StateStore => Unit]
  ): WrittenPartition = {
    val made = provider(partition)
    try {
      val store = StoreAccess.empty(made)
      val key   = new UnsafeRow(keys.length)
      val value = new UnsafeRow(values.length)
      var sums  = (RowSums.Zero, RowSums.Zero)
      try {
        rows.foreach { case (k, v) =>
          key.pointTo(k, k.length)
          value.pointTo(v, v.length)
          store.put(key, value)
        }
        rewrite.foreach { change =>
          val before = sumsOf(store)
          change(store)
          sums = (before, sumsOf(store))
        }
        store.commit()
      } finally if (!store.hasCommitted) store.abort()
      val id = StoreAccess.committed(store)
      if (version != 1) renumber(partition, id)
      WrittenPartition(id, sums._1, sums._2)
    } finally made.close()
  }

  private def sumsOf(store: StateStore) = RowSums.of(store.iterator().map(pair => (pair.key, pair.value)))

  // Spark has written version 1. The file of a store that has no other version is called by the version that it is of:
  // what it holds is all that there is, as in a snapshot.
  private def renumber(partition: Int, id: Option[String]): Unit = {
    val folder = storeId(partition).storeCheckpointLocation()
    val files  = folder.getFileSystem(conf.value)
    val suffix = id.fold("")("_" + _)
    for ((written, name) <- Seq("delta" -> "snapshot", "zip" -> "zip")) {
      val from = new Path(folder, s"1$suffix.$written")
      val to   = new Path(folder, s"$version$suffix.$name")
      // Another attempt of the task may have written the same.
      if (files.exists(from) && files.exists(to)) { val _ = files.delete(from, false) }
      else if (files.exists(from) && !files.rename(from, to) && !files.exists(to))
        throw new java.io.IOException(s"$from cannot be renamed to $to")
    }
  }

  private def isSummary(value: UnsafeRow): Boolean =
    isNative && StateRow.isPiece(value) && StateRow.processingTimer(value) == SavedIndex.Piece
}
