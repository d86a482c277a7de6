package dev.sparkwindowing.spark.checkpoint

import dev.sparkwindowing.codec.{BlockReader, BlockWriter, ValueCodec}
import dev.sparkwindowing.contents.ListContents
import dev.sparkwindowing.pieces.{KeyPieces, PieceStore}
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

  @transient private[this] lazy val pieces = new KeyPieces

  @transient private[this] lazy val lists = {
    val lists = new ListContents[Array[Byte]](StoredContents.RowBytes, identity)
    lists.attach(pieces)
    lists
  }

  private[this] def listOf(bytes: Array[Byte]) = lists.read(new BlockReader().open(bytes, 0, bytes.length))

  /** The numbers of the pieces that `read` reads for these contents. */
  def piecesOf(bytes: Array[Byte]): Seq[Long] =
    if (layout.contents != ContentsFormat.Rows) Nil
    else {
      pieces.open(new ReadPieces(null))
      listOf(bytes).piecesOf(Most)
    }

  /** The number of elements, if they are stored, and the value for display.
    *
    * @param stored
    *   the pieces of the key
    * @throws dev.sparkwindowing.codec.CorruptBlockException
    *   if the bytes are not such contents
    */
  def read(bytes: Array[Byte], stored: PieceStore): (Option[Long], Any) = layout.contents match {
    case ContentsFormat.Nothing           => (None, null)
    case ContentsFormat.Buffer(f)         => (None, row.read(bytes, f.length))
    case ContentsFormat.Struct(_)         => (None, row.read(bytes, 1).get(0))
    case ContentsFormat.LengthPrefixed(f) =>
      (None, row.read(new BlockReader().open(bytes, 0, bytes.length).block(), f.length))
    case ContentsFormat.Rows =>
      pieces.open(stored)
      val list = listOf(bytes)
      (Some(list.size.toLong), (0 until math.min(list.size, Most)).map(i => row.read(list(i), layout.rowWidth)))
  }
}

private[sparkwindowing] object StoredContents {

  /** Maximum number of elements of a window that are shown. */
  val Most = 100

  /** The bytes of rows as elements. */
  private object RowBytes extends ValueCodec[Array[Byte]] {
    def write(row: Array[Byte], out: BlockWriter): Unit = out.block(row)
    def read(in: BlockReader): Array[Byte]              = in.block()
  }
}
