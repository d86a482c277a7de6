package dev.sparkwindowing.pieces

import dev.sparkwindowing.codec.{BlockReader, BlockWriter, CorruptBlockException}

import scala.collection.mutable

/** The pieces of the key that an operator is opened on.
  *
  * A piece that is released can be read until the key is stored, since rows of a firing that still need it may be taken
  * later than the window is removed.
  */
final class KeyPieces {
  private[this] var store: PieceStore = _
  private[this] var next              = 0L
  private[this] val released          = mutable.ArrayBuffer.empty[Long]

  // That a piece could not be read, while the key is open: a user's function may have caught it.
  private[this] var failure: CorruptBlockException = _

  /** Number of pieces that the state needs, and of their bytes. */
  var count: Int  = 0
  var bytes: Long = 0L

  /** Changes when a key is opened or left. */
  var openings: Long = 0L

  /** Opens a key that has none yet.
    *
    * @param store
    *   null if the host stores no pieces
    */
  def open(store: PieceStore): Unit = {
    this.store = store
    openings += 1
    clear()
  }

  /** Forgets the pieces of the key: those that were released stay where they are. */
  def clear(): Unit = {
    next = 0L
    count = 0
    bytes = 0L
    failure = null
    if (hasReleased) released.clear()
  }

  // `isEmpty` of a buffer is not cheap, and this runs for every key.
  private[this] def hasReleased: Boolean = released.length > 0

  def isEmpty: Boolean = count == 0

  /** False if the host stores no pieces. */
  def canWrite: Boolean = store != null

  def sizes: PieceSizes = store.sizes

  /** Stores a piece, and returns its number. */
  def write(piece: Array[Byte]): Long = {
    val number = next
    store.write(number, piece)
    next += 1
    count += 1
    bytes += piece.length
    number
  }

  /** The bytes of a piece.
    *
    * @throws CorruptBlockException
    *   if they are not there, or are not `length` bytes with this checksum
    */
  def read(number: Long, length: Int, checksum: Int): Array[Byte] = {
    val piece = store.read(number)
    if (piece == null) failure = new CorruptBlockException(s"its piece $number is missing")
    else if (piece.length != length || BlockReader.checksum(piece) != checksum)
      failure = new CorruptBlockException(
        s"its piece $number, of ${piece.length} bytes, is not the one of $length bytes that was written with it"
      )
    if (failure != null) throw failure
    piece
  }

  /** Refuses what a piece holds: the key is not stored, whatever becomes of the error. */
  def refuse(what: String): Nothing = {
    failure = new CorruptBlockException(what)
    throw failure
  }

  /** The state no longer needs a piece of this many bytes. */
  def release(number: Long, length: Int): Unit = {
    released += number
    count -= 1
    bytes -= length
  }

  /** Removes what was released, when the key has been stored. */
  def removeReleased(): Unit = if (hasReleased) {
    released.foreach(store.remove)
    released.clear()
  }

  /** Leaves the key: the store can be one of a task that has ended.
    *
    * @throws CorruptBlockException
    *   if a piece could not be read
    */
  def close(): Unit = {
    if (failure != null) throw failure
    removeReleased()
    store = null
    openings += 1
  }

  def writeTo(out: BlockWriter): Unit = {
    out.unsigned(next)
    out.unsigned(count.toLong)
    out.unsigned(bytes)
  }

  /** Reads the output of `writeTo`.
    *
    * @throws CorruptBlockException
    *   if it makes no sense, or if the host stores no pieces
    */
  def readFrom(in: BlockReader): Unit = {
    if (store == null)
      throw new CorruptBlockException("it has pieces beside its block, which are not stored here")
    next = in.unsigned()
    val pieces = in.unsigned()
    bytes = in.unsigned()
    if (pieces <= 0 || pieces > Int.MaxValue || next < pieces || bytes < 0)
      throw new CorruptBlockException(s"$pieces pieces of $bytes bytes before number $next")
    count = pieces.toInt
  }
}
