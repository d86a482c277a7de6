package dev.sparkwindowing.spark.checkpoint

import dev.sparkwindowing.pieces.PieceStore

/** Pieces that are only looked at, by number; null for none. */
private[checkpoint] final class ReadPieces(pieces: collection.Map[Long, Array[Byte]]) extends PieceStore {
  def read(number: Long): Array[Byte] = if (pieces == null) null else pieces.getOrElse(number, null)

  def write(number: Long, bytes: Array[Byte]): Unit = none()
  def remove(number: Long): Unit                    = none()

  private def none(): Nothing = throw new UnsupportedOperationException("the state is only looked at")
}
