package dev.sparkwindowing.contents

import dev.sparkwindowing.codec.{BlockReader, BlockWriter, CorruptBlockException, ValueCodec}
import dev.sparkwindowing.pieces.KeyPieces

/** Reads and writes the chunks of all lists of an operator. It holds one chunk decoded, the last that was read. */
private[contents] final class ChunkStore[E](codec: ValueCodec[E], pieces: KeyPieces) {
  private[this] val out      = new BlockWriter
  private[this] var written  = 0
  private[this] var least    = Long.MaxValue
  private[this] var greatest = Long.MinValue

  private[this] var decoded: Chunk = _
  private[this] var elements       = Array.empty[Any]
  private[this] var times          = Array.emptyLongArray

  /** Maximum number of bytes that a list has in the block, and of a chunk. */
  def tailBytes: Int  = pieces.sizes.tail
  def chunkBytes: Int = pieces.sizes.chunk

  /** False if the host stores no pieces. */
  def canWrite: Boolean = pieces.canWrite

  /** Adds an element to the chunk that is being written. True if that is full: it must be taken. */
  def add(element: E, timestamp: Long): Boolean = {
    if (written == 0) {
      out.reset()
      least = Long.MaxValue
      greatest = Long.MinValue
    }
    out.signed(timestamp)
    codec.write(element, out)
    least = math.min(least, timestamp)
    greatest = math.max(greatest, timestamp)
    written += 1
    out.size >= chunkBytes
  }

  /** Stores the chunk that is being written; null if no element was added. */
  def take(): Chunk =
    if (written == 0) null
    else {
      val piece = out.toBytes
      val chunk = new Chunk(pieces.write(piece), written, 0, piece.length, out.checksum, least, greatest)
      written = 0
      chunk
    }

  def release(chunk: Chunk): Unit = pieces.release(chunk.number, chunk.bytes)

  /** An element of a chunk, and its timestamp; `i` counts those that are left, from 0. */
  def element(chunk: Chunk, i: Int): E = {
    decode(chunk)
    elements(chunk.skipped + i).asInstanceOf[E]
  }

  def timestamp(chunk: Chunk, i: Int): Long = {
    decode(chunk)
    times(chunk.skipped + i)
  }

  private[this] def decode(chunk: Chunk): Unit = if (chunk.origin ne decoded) {
    decoded = null // if it cannot be read
    val in = piece(chunk)
    if (elements.length < chunk.count) {
      elements = new Array[Any](chunk.count)
      times = new Array[Long](chunk.count)
    }
    read(chunk, in, elements, times)
    decoded = chunk.origin
  }

  /** The elements that are left in a chunk, in order. */
  def elementsOf(chunk: Chunk): Array[Any] = {
    val in  = piece(chunk)
    val all = new Array[Any](chunk.count)
    read(chunk, in, all, null)
    if (chunk.skipped == 0) all else all.drop(chunk.skipped)
  }

  private[this] def piece(chunk: Chunk): BlockReader = {
    val piece = pieces.read(chunk.number, chunk.bytes, chunk.checksum)
    new BlockReader().open(piece, 0, piece.length)
  }

  private[this] def read(chunk: Chunk, in: BlockReader, elements: Array[Any], times: Array[Long]): Unit = {
    var i = 0
    while (i < chunk.count) {
      val time = in.signed()
      if (times != null) times(i) = time
      elements(i) = codec.read(in)
      i += 1
    }
    if (in.remaining > 0)
      throw new CorruptBlockException(s"its piece ${chunk.number} has more than ${chunk.count} elements")
  }
}
