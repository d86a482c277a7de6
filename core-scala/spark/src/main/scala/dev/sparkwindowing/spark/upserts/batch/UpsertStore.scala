package dev.sparkwindowing.spark.upserts.batch

import org.apache.spark.sql.types.StructType

/** A table that keeps one row for each key and window: what differs between stores. */
private[sparkwindowing] trait UpsertStore {

  /** The table, as errors name it. Two upserts to the same place have the same text. */
  def place: String

  /** Creates the table if it does not exist, and checks that it can be written.
    *
    * @throws java.lang.IllegalArgumentException
    *   if the session lacks the store, or the table does not fit
    */
  def create(result: StructType, keys: Seq[String]): Unit

  /** Writes the changes of a micro-batch in one transaction.
    *
    * @param batch
    *   its number, which is written in the same transaction; a micro-batch that is there changes nothing. None for rows
    *   of no query.
    */
  def write(changes: Changes, batch: Option[WrittenBatch]): Unit
}
