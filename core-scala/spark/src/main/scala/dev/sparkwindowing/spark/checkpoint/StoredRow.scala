package dev.sparkwindowing.spark.checkpoint

import dev.sparkwindowing.codec.CorruptBlockException
import dev.sparkwindowing.spark.rows.{Micros, StoredFields}
import org.apache.spark.sql.Row
import org.apache.spark.sql.catalyst.CatalystTypeConverters
import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.types.StructType

import java.time.Instant
import java.time.temporal.ChronoUnit

/** Converts rows stored in the state as Spark's bytes to rows for display.
  *
  * @param stored
  *   the first fields of the row, marked by [[StoredFields]]
  */
private[sparkwindowing] final class StoredRow(stored: StructType) extends Serializable {
  import StoredRow._

  private[this] val visible = stored.indices.filterNot(i => StoredFields.isHidden(stored(i))).toArray

  @transient private[this] lazy val converters =
    stored.fields.map(f => CatalystTypeConverters.createToScalaConverter(f.dataType))

  /** Fields for display. */
  val shown: StructType = StructType(visible.map(i => StoredFields.shown(stored(i))))

  /** @param width
    *   number of fields of the row
    * @throws dev.sparkwindowing.codec.CorruptBlockException
    *   if the bytes are not such a row
    */
  def read(bytes: Array[Byte], width: Int): Row = {
    if (bytes.length % UnsafeRow.WORD_SIZE != 0) throw new CorruptBlockException(s"a row of ${bytes.length} bytes")
    val row = new UnsafeRow(width)
    row.pointTo(bytes, bytes.length)
    check(row)
    Row.fromSeq(visible.toSeq.map { i =>
      val f = stored(i)
      if (row.isNullAt(i)) null
      else if (StoredFields.isOpaque(f)) sizeOf(row.getBinary(i).length.toLong)
      else if (StoredFields.isMillis(f)) instant(row.getLong(i))
      else converters(i)(row.get(i, f.dataType))
    })
  }

  // Spark does not check the end of the bytes on a read.
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

private[sparkwindowing] object StoredRow {

  def sizeOf(bytes: Long): Row = Row(bytes)

  /** A time as Spark represents it, limited to the range that it can represent. */
  def instant(millis: Long): Instant = Instant.EPOCH.plus(Micros.of(millis), ChronoUnit.MICROS)
}
