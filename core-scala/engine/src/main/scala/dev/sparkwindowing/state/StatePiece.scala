package dev.sparkwindowing.state

import dev.sparkwindowing.codec.{BlockReader, BlockWriter, CorruptBlockException}
import dev.sparkwindowing.pieces.KeyPieces

import java.util.Arrays

/** A piece of the key's state that holds function state.
  *
  * @param number
  *   that of the piece
  * @param count
  *   number of values in it
  * @param bytes
  *   of the piece
  * @param checksum
  *   of the piece
  */
private[state] final class StatePiece(val number: Long, val count: Int, val bytes: Int, val checksum: Int) {

  def readAll(pieces: KeyPieces): Array[Byte] = pieces.read(number, bytes, checksum)

  def read(pieces: KeyPieces): BlockReader = new BlockReader().open(readAll(pieces), 0, bytes)

  def release(pieces: KeyPieces): Unit = pieces.release(number, bytes)

  /** True if it holds what was written to `out`. */
  def holds(out: BlockWriter, pieces: KeyPieces): Boolean =
    bytes == out.size && checksum == out.checksum && Arrays.equals(readAll(pieces), out.toBytes)
}

private[state] object StatePiece {

  // Bytes of a piece in the table.
  private val LeastBytes = 4

  /** Stores what was written to `out`, as `count` values. */
  def of(out: BlockWriter, count: Int, pieces: KeyPieces): StatePiece = {
    val bytes = out.toBytes
    new StatePiece(pieces.write(bytes), count, bytes.length, out.checksum)
  }

  def write(all: Seq[StatePiece], out: BlockWriter): Unit = {
    out.unsigned(all.size.toLong)
    all.foreach { piece =>
      out.unsigned(piece.number)
      out.unsigned(piece.count.toLong)
      out.unsigned(piece.bytes.toLong)
      out.unsigned(piece.checksum & 0xffffffffL)
    }
  }

  /** Reads the output of `write`. */
  def read(in: BlockReader): Vector[StatePiece] = {
    val all   = Vector.fill(in.count(LeastBytes))(one(in))
    val total = all.foldLeft(0L)(_ + _.count)
    if (total > Int.MaxValue) throw new CorruptBlockException(s"function state of $total values")
    all
  }

  private[this] def one(in: BlockReader): StatePiece = {
    val number   = in.unsigned()
    val count    = in.unsigned()
    val bytes    = in.unsigned()
    val checksum = in.unsigned()
    // A value in a list or map has one byte at least.
    if (number < 0 || count < 0 || bytes < count || bytes > Int.MaxValue)
      throw new CorruptBlockException(s"piece $number of $bytes bytes with $count values of function state")
    new StatePiece(number, count.toInt, bytes.toInt, checksum.toInt)
  }
}
