package dev.sparkwindowing.spark.checkpoint

import dev.sparkwindowing.codec.CorruptBlockException
import dev.sparkwindowing.operator.StateCell
import dev.sparkwindowing.state.KeyStateCodec
import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.Platform
import org.apache.spark.unsafe.array.ByteArrayMethods

/** The row that the state store keeps for a key: Spark's own layout of an operator with state and a timeout. Our state
  * is the block and four numbers; the timeout is the earliest event-time timer. So a scan for due timers decodes no
  * block.
  */
private[sparkwindowing] object StateRow {

  /** `StateCell.NoTimer` stands for no timer. */
  val Value: StructType = StructType(
    Seq(
      StructField("block", BinaryType),
      StructField("processing", LongType),
      StructField("windows", IntegerType),
      StructField("eventTimers", IntegerType),
      StructField("processingTimers", IntegerType)
    )
  )

  val Schema: StructType =
    StructType(Seq(StructField("groupState", Value), StructField("timeoutTimestamp", LongType, nullable = false)))

  def eventTimer(row: UnsafeRow): Long      = row.getLong(1)
  def processingTimer(row: UnsafeRow): Long = value(row).getLong(1)
  def block(row: UnsafeRow): Array[Byte]    = value(row).getBinary(0)
  def windows(row: UnsafeRow): Int          = value(row).getInt(2)
  def eventTimers(row: UnsafeRow): Int      = value(row).getInt(3)
  def processingTimers(row: UnsafeRow): Int = value(row).getInt(4)

  /** The number of windows that marks a piece of a key; the processing-time timer is then the number of the piece. */
  val OfPiece: Int = -1

  def isPiece(row: UnsafeRow): Boolean = windows(row) == OfPiece

  /** Number of the pieces that belong to the row of a key, and of their bytes. */
  def pieces(row: UnsafeRow): Long     = ofPieces(row)(KeyStateCodec.pieces)
  def pieceBytes(row: UnsafeRow): Long = ofPieces(row)(KeyStateCodec.pieceBytes)

  // Reads the beginning of the block, and only its first byte if there are none.
  private def ofPieces(row: UnsafeRow)(f: Array[Byte] => Long): Long = {
    val inner = row.getBaseOffset + (row.getLong(0) >>> 32)
    val block = Platform.getLong(row.getBaseObject, inner + Word)
    val at    = inner + (block >>> 32)
    val size  = block.toInt
    if (size == 0 || !KeyStateCodec.hasPieces(Platform.getByte(row.getBaseObject, at))) 0L
    else {
      val head = new Array[Byte](math.min(size, KeyStateCodec.HeadBytes))
      Platform.copyMemory(row.getBaseObject, at, head, Platform.BYTE_ARRAY_OFFSET.toLong, head.length.toLong)
      // A damaged block is refused, with its key, where it is decoded.
      try f(head)
      catch { case _: CorruptBlockException => 0L }
    }
  }

  private def value(row: UnsafeRow): UnsafeRow = row.getStruct(0, Value.size)

  /** Writes such rows faster than a projection, into a reused buffer. */
  final class Writer {
    private[this] val row                = new UnsafeRow(Schema.size)
    private[this] var bytes: Array[Byte] = Array.emptyByteArray

    def apply(block: Array[Byte], next: Long, processing: Long, windows: Int, event: Int, clock: Int): UnsafeRow = {
      val padded = ByteArrayMethods.roundNumberOfBytesToNearestWord(block.length)
      val inner  = BlockAt + padded
      val size   = OuterSize + inner
      if (bytes.length < size) bytes = new Array[Byte](math.max(size, bytes.length * 2))
      if (padded > 0) putLong(size - Word, 0L) // the padding of the block must be zero
      putLong(0, 0L)
      putLong(Word, at(OuterSize, inner))
      putLong(2 * Word, next)
      putLong(OuterSize, 0L)
      putLong(OuterSize + Word, at(BlockAt, block.length))
      putLong(OuterSize + 2 * Word, processing)
      putLong(OuterSize + 3 * Word, windows & IntBits)
      putLong(OuterSize + 4 * Word, event & IntBits)
      putLong(OuterSize + 5 * Word, clock & IntBits)
      System.arraycopy(block, 0, bytes, OuterSize + BlockAt, block.length)
      row.pointTo(bytes, size)
      row
    }

    private[this] def putLong(at: Int, value: Long): Unit =
      Platform.putLong(bytes, Platform.BYTE_ARRAY_OFFSET.toLong + at, value)

    private[this] def at(offset: Int, size: Int): Long = (offset.toLong << 32) | size.toLong
  }

  private val IntBits = 0xffffffffL
  // A row of few columns begins with one word of null bits, followed by one word per column.
  private val Word      = UnsafeRow.WORD_SIZE
  private val OuterSize = Word * (1 + Schema.size)
  private val BlockAt   = Word * (1 + Value.size)

  /** A timer at or before the processed time must wait for the next advance: it is stored as one millisecond later, so
    * that the scan of the same micro-batch does not find it due.
    */
  def behind(timer: Long, done: Long): Long =
    if (timer == StateCell.NoTimer || timer > done) timer else done + 1
}
