package dev.sparkwindowing.state

import dev.sparkwindowing.codec.{BlockReader, BlockWriter, ValueCodec}
import dev.sparkwindowing.pieces.KeyPieces

/** Function state of one name while its key is open. What is too large for the block is stored in pieces. */
private[state] abstract class StoredState {

  /** Its pieces, in order; none if all of it is in the block. */
  def inPieces: Seq[StatePiece]

  /** Reads the output of `encode`.
    *
    * @param stored
    *   the pieces
    */
  def read(in: BlockReader, stored: Vector[StatePiece]): Unit

  /** Stores as pieces what is too large for the block, and returns the rest.
    *
    * @param out
    *   a buffer
    */
  def encode(out: BlockWriter): Array[Byte]
}

/** One value. It is a piece if it has more bytes than the tail of a list. */
private[state] final class StoredValue[T](codec: ValueCodec[T], pieces: KeyPieces) extends StoredState {
  private[this] var piece: StatePiece = _

  var value: T = _

  def inPieces: Seq[StatePiece] = if (piece == null) Nil else Seq(piece)

  def read(in: BlockReader, stored: Vector[StatePiece]): Unit = {
    piece = if (stored.isEmpty) null else stored.head
    value = codec.read(if (piece == null) in else piece.read(pieces))
  }

  // A function may have changed the value in place, so it is encoded also if it was only read.
  def encode(out: BlockWriter): Array[Byte] = {
    out.reset()
    codec.write(value, out)
    val isLarge = pieces.canWrite && out.size > pieces.sizes.tail
    if (piece != null && !(isLarge && piece.holds(out, pieces))) {
      piece.release(pieces)
      piece = null
    }
    if (isLarge && piece == null) piece = StatePiece.of(out, 1, pieces)
    if (isLarge) Array.emptyByteArray else out.toBytes
  }
}
