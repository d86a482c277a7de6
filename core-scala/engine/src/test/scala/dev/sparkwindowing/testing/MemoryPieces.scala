package dev.sparkwindowing.testing

import dev.sparkwindowing.pieces.{PieceSizes, PieceStore}
import dev.sparkwindowing.state.KeyStateCodec

import scala.collection.mutable

/** The pieces of one key in memory. */
final class MemoryPieces(override val sizes: PieceSizes = MemoryPieces.Small) extends PieceStore {
  val stored: mutable.LinkedHashMap[Long, Array[Byte]] = mutable.LinkedHashMap.empty

  /** Numbers that were read, in order. */
  val reads: mutable.ArrayBuffer[Long] = mutable.ArrayBuffer.empty

  def read(number: Long): Array[Byte] = {
    reads += number
    stored.get(number).fold[Array[Byte]](null)(_.clone())
  }

  def write(number: Long, bytes: Array[Byte]): Unit = {
    require(!stored.contains(number), s"piece $number is written again")
    stored(number) = bytes
  }

  def remove(number: Long): Unit =
    require(stored.remove(number).isDefined, s"piece $number is removed, and is not there")

  /** Checks that exactly the pieces of a block are there, null for none. */
  def requireThoseOf(block: Array[Byte]): Unit = {
    val expected = if (block == null) 0L else KeyStateCodec.pieceBytes(block)
    val found    = stored.values.map(_.length.toLong).sum
    require(found == expected, s"pieces of $found bytes are stored, the block has $expected")
  }
}

object MemoryPieces {

  /** Chunks of about three elements of two letters, and no pages. */
  val Small: PieceSizes = PieceSizes(tail = 30, chunk = 45, windows = 1 << 20, page = 12)

  /** The same, and pages of about two windows. */
  val SmallPages: PieceSizes = Small.copy(windows = 20)
}
