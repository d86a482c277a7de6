package dev.sparkwindowing.spark.rescale

import org.apache.spark.sql.catalyst.expressions.{UnsafeRow, XXH64}

/** Sums over the rows of a state, in any order, by which two states are compared.
  *
  * @param checksum
  *   the sum of a hash of each row's bytes, key and value
  */
private[spark] final case class RowSums(rows: Long, bytes: Long, checksum: Long) {
  def +(other: RowSums): RowSums = RowSums(rows + other.rows, bytes + other.bytes, checksum + other.checksum)
}

private[spark] object RowSums {
  val Zero: RowSums = RowSums(0L, 0L, 0L)

  def of(rows: Iterator[(UnsafeRow, UnsafeRow)]): RowSums = {
    var count    = 0L
    var bytes    = 0L
    var checksum = 0L
    rows.foreach { case (key, value) =>
      count += 1
      bytes += key.getSizeInBytes + value.getSizeInBytes
      checksum += hash(value, hash(key, Seed))
    }
    RowSums(count, bytes, checksum)
  }

  private val Seed = 42L

  private def hash(row: UnsafeRow, seed: Long): Long =
    XXH64.hashUnsafeBytes(row.getBaseObject, row.getBaseOffset, row.getSizeInBytes, seed)
}
