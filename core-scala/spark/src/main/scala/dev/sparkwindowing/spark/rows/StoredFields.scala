package dev.sparkwindowing.spark.rows

import org.apache.spark.sql.types._

/** Marks on fields of stored rows that are displayed in another form than they are stored. */
private[sparkwindowing] object StoredFields {
  private val Opaque = "spark_windowing.opaque"
  private val Hidden = "spark_windowing.hidden"
  private val Millis = "spark_windowing.millis"

  /** Display of bytes that only their function or codec can read: the number of bytes. */
  val Size: StructType = new StructType().add("bytes", LongType)

  /** A field of such bytes. */
  def opaque(name: String): StructField = marked(StructField(name, BinaryType), Opaque)

  /** A copy that is not displayed. */
  def hidden(f: StructField): StructField = marked(f, Hidden)

  /** A field of milliseconds, displayed as a TIMESTAMP. */
  def millis(name: String): StructField = marked(StructField(name, LongType), Millis)

  def isOpaque(f: StructField): Boolean = f.metadata.contains(Opaque)
  def isHidden(f: StructField): Boolean = f.metadata.contains(Hidden)
  def isMillis(f: StructField): Boolean = f.metadata.contains(Millis)

  /** The field as displayed. */
  def shown(f: StructField): StructField = {
    val as = if (isOpaque(f)) Size else if (isMillis(f)) TimestampType else f.dataType
    StructField(f.name, as)
  }

  private def marked(f: StructField, mark: String): StructField =
    StructField(f.name, f.dataType, f.nullable, new MetadataBuilder().putBoolean(mark, true).build())
}
