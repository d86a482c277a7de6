package dev.sparkwindowing.spark.inside

import dev.sparkwindowing.codec.CorruptBlockException
import org.apache.spark.sql.Row
import org.apache.spark.sql.catalyst.CatalystTypeConverters
import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.types.StructType

import java.time.Instant
import java.time.temporal.ChronoUnit

/** Rows that lie in the state as Spark's bytes, as rows to show.
  *
  * @param stored
  *   its first fields, marked as [[StoredFields]] says
  */
private[inside] final class StoredRow(stored: StructType) extends Serializable {
  import StoredRow._

  private[this] val visible = stored.indices.filterNot(i => StoredFields.isHidden(stored(i))).toArray

  @transient private[this] lazy val converters =
    stored.fields.map(f => CatalystTypeConverters.createToScalaConverter(f.dataType))

  /** The fields that are shown. */
  val shown: StructType = StructType(visible.map(i => StoredFields.shown(stored(i))))

  /** @param width
    *   how many fields the row has
    * @throws dev.sparkwindowing.codec.CorruptBlockException
    *   if these are not the bytes of such a row
    */
  def read(bytes: Array[Byte], width: Int): Row = {
    if (bytes.length % UnsafeRow.WORD_SIZE != 0) throw new CorruptBlockException(s"a row of ${bytes.length} bytes")
    val row = new UnsafeRow(width)
    row.pointTo(bytes, bytes.length)
    check(row)
    Row.fromSeq(visible.toSeq.map { i =>
      val f = stored(i)
      if (row.isNullAt(i)) null
      else if (StoredFields.isOpaque(f)) sizeOf(row.getBinary(i))
      else if (StoredFields.isMillis(f)) instant(row.getLong(i))
      else converters(i)(row.get(i, f.dataType))
    })
  }

  // Spark reads without looking at the end of the bytes.
  private[this] def check(row: UnsafeRow): Unit = {
    val size         = row.getSizeInBytes
    val fixed        = UnsafeRow.calculateBitSetWidthInBytes(row.numFields) + UnsafeRow.WORD_SIZE * stored.length
    def isIn(i: Int) = UnsafeRow.isFixedLength(stored(i).dataType) || row.isNullAt(i) || {
      val at = row.getLong(i) >>> 32
      at >= fixed && at + (row.getLong(i) & 0xffffffffL) <= size
    }
    if (row.numFields < stored.length || size < fixed || !stored.indices.forall(isIn))
      throw new CorruptBlockException(
        s"$size bytes are no row of ${row.numFields} fields that begins with ${stored.catalogString}"
      )
  }
}

private[inside] object StoredRow {

  def sizeOf(bytes: Array[Byte]): Row = Row(bytes.length.toLong)

  /** A time as Spark takes it; one that does not fit becomes the most that does. */
  def instant(millis: Long): Instant = {
    val micros =
      if (millis > Long.MaxValue / 1000) Long.MaxValue
      else if (millis < Long.MinValue / 1000) Long.MinValue
      else millis * 1000
    Instant.EPOCH.plus(micros, ChronoUnit.MICROS)
  }
}
