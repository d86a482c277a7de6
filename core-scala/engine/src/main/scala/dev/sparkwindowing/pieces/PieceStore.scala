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

/** Sizes of pieces, in bytes.
  *
  * @param tail
  *   maximum number of bytes of the newest elements of a list, which stay with their window
  * @param chunk
  *   a chunk of a list has no more bytes than this and one element
  * @param windows
  *   maximum number of bytes of all windows of a key that are in its block; those of a key with more are in pages,
  *   until they have half as many
  * @param page
  *   most pages have half to twice as many bytes as this
  */
final case class PieceSizes(tail: Int, chunk: Int, windows: Int, page: Int)

object PieceSizes {
  val Default: PieceSizes = PieceSizes(tail = 64 << 10, chunk = 256 << 10, windows = 64 << 10, page = 8 << 10)
}
