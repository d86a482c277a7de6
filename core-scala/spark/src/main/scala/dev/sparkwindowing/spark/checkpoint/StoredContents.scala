package dev.sparkwindowing.spark.checkpoint

import dev.sparkwindowing.codec.BlockReader
import dev.sparkwindowing.spark.computations.ContentsFormat
import org.apache.spark.sql.types.{ArrayType, DataType, StructType}

/** Decodes window contents to values for display. */
private[sparkwindowing] final class StoredContents(layout: StateLayout) extends Serializable {
  import StoredContents._

  private[this] val fields: StructType = layout.contents match {
    case ContentsFormat.Buffer(f)         => f
    case ContentsFormat.Struct(f)         => new StructType().add("kept", f)
    case ContentsFormat.LengthPrefixed(f) => f
    case ContentsFormat.Rows              => layout.rows
    case ContentsFormat.Nothing           => new StructType()
  }

  private[this] val row = new StoredRow(fields)

  /** Type of the values; None if there are no contents. */
  val dataType: Option[DataType] = layout.contents match {
    case ContentsFormat.Nothing   => None
    case ContentsFormat.Rows      => Some(ArrayType(row.shown))
    case ContentsFormat.Struct(f) => Some(f)
    case _                        => Some(row.shown)
  }

  /** The number of elements, if they are stored, and the value for display.
    *
    * @throws dev.sparkwindowing.codec.CorruptBlockException
    *   if the bytes are not such contents
    */
  def read(bytes: Array[Byte]): (Option[Long], Any) = layout.contents match {
    case ContentsFormat.Nothing           => (None, null)
    case ContentsFormat.Buffer(f)         => (None, row.read(bytes, f.length))
    case ContentsFormat.Struct(_)         => (None, row.read(bytes, 1).get(0))
    case ContentsFormat.LengthPrefixed(f) =>
      (None, row.read(new BlockReader().open(bytes, 0, bytes.length).block(), f.length))
    case ContentsFormat.Rows =>
      val in    = new BlockReader().open(bytes, 0, bytes.length)
      val count = in.count(1)
      val first = Seq.fill(math.min(count, Most)) {
        in.signed()
        row.read(in.block(), layout.rowWidth)
      }
      (Some(count.toLong), first)
  }
}

private[sparkwindowing] object StoredContents {

  /** Maximum number of elements of a window that are shown. */
  val Most = 100
}
