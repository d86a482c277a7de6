package dev.sparkwindowing.spark.upserts

import dev.sparkwindowing.spark.advice.Face
import dev.sparkwindowing.spark.outputs.WindowColumns
import dev.sparkwindowing.spark.upserts.batch.{Changes, WrittenBatch}
import org.apache.spark.sql.DataFrame
import org.apache.spark.storage.StorageLevel

/** One row a key and window of a result in a table.
  *
  * @param keys
  *   the key columns of the result
  * @param face
  *   in which errors write what to type
  */
private[sparkwindowing] final class Upsert(val options: UpsertOptions, val keys: Seq[String], face: Face) {

  /** Writes a micro-batch, which is computed once. A static DataFrame is one, too.
    *
    * @throws java.lang.IllegalArgumentException
    *   if it is not of the result, or is written to the table twice
    */
  def write(batch: DataFrame, id: Long): Unit = face.use {
    val store   = options.open(batch.sparkSession)
    val changes = Changes.of(options.function, keys, batch)
    changes.frame.persist(StorageLevel.MEMORY_AND_DISK)
    try
      WrittenBatch.once(WrittenBatch.of(batch, id), store.place, options.function)(store.write(changes, _))
    finally changes.frame.unpersist()
  }
}

private[sparkwindowing] object Upsert {

  /** Creates the table for a result if it does not exist, and checks both.
    *
    * @throws java.lang.IllegalArgumentException
    *   if the rows of the result do not show which firing of which window they are, the session lacks the store, or the
    *   table does not fit
    */
  def of(result: DataFrame, options: UpsertOptions): Upsert = {
    val keys = keysOf(result)
    options.open(result.sparkSession).create(result.schema, keys)
    new Upsert(options, keys, Face.inUse)
  }

  /** The key columns of a result. */
  def keysOf(result: DataFrame): Seq[String] = WindowColumns.of(result).init

  /** An upsert whose table is there. */
  def again(options: UpsertOptions, keys: Seq[String]): Upsert = new Upsert(options, keys, Face.inUse)
}
