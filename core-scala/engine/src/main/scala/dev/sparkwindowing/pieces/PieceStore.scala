package dev.sparkwindowing.pieces

/** Storage of the pieces of one key's state, beside its block, in a host.
  *
  * A number is not written again before it is removed. What is written in a step that fails is not there after it.
  */
trait PieceStore {

  /** From which sizes on state is stored in pieces. */
  def sizes: PieceSizes = PieceSizes.Default

  /** The bytes of a piece, null if there is none. They may be changed by the caller. */
  def read(number: Long): Array[Byte]

  def write(number: Long, bytes: Array[Byte]): Unit

  def remove(number: Long): Unit
}

/** Sizes of the pieces of a list, in bytes.
  *
  * @param tail
  *   maximum number of bytes of the newest elements, which stay in the block
  * @param chunk
  *   a chunk has no more bytes than this and one element
  */
final case class PieceSizes(tail: Int, chunk: Int)

object PieceSizes {
  val Default: PieceSizes = PieceSizes(tail = 64 << 10, chunk = 256 << 10)
}
