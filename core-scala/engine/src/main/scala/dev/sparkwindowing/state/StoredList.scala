package dev.sparkwindowing.state

import dev.sparkwindowing.codec.{BlockReader, BlockWriter, ValueCodec}
import dev.sparkwindowing.pieces.KeyPieces

/** Values of a list. The oldest are in chunks, pieces that are written once, when the others have become too many for
  * the block; one chunk is in memory at a time.
  */
private[state] final class StoredList[T](codec: ValueCodec[T], pieces: KeyPieces) extends StoredState {
  private[this] var chunks = Vector.empty[StatePiece]

  // The first values of the tail, encoded until they are asked for, and how many these are.
  private[this] var source  = Array.emptyByteArray
  private[this] var pending = 0
  private[this] var tail    = Vector.empty[T]

  def inPieces: Seq[StatePiece] = chunks

  /** The values as they are now. Those in chunks can be read until the key is left. */
  def get: Seq[T] = {
    decode()
    if (chunks.isEmpty) tail else new StoredList.Values(chunks, tail, codec, pieces)
  }

  def add(value: T): Unit             = tail :+= value
  def addAll(values: Vector[T]): Unit = tail ++= values

  /** The values can be those of `get`. */
  def replace(values: Vector[T]): Unit = {
    chunks.foreach(_.release(pieces))
    chunks = Vector.empty
    forgetSource()
    tail = values
  }

  def read(in: BlockReader, stored: Vector[StatePiece]): Unit = {
    chunks = stored
    pending = in.count(1)
    source = in.raw(in.remaining)
  }

  private[this] def decode(): Unit = if (pending > 0) {
    val in = new BlockReader().open(source, 0, source.length)
    tail = Vector.fill(pending)(codec.read(in)) ++ tail
    forgetSource()
  }

  private[this] def forgetSource(): Unit = {
    source = Array.emptyByteArray
    pending = 0
  }

  def encode(out: BlockWriter): Array[Byte] = {
    out.reset()
    writeTail(out)
    if (pieces.canWrite && out.size > pieces.sizes.tail) {
      cut(out)
      writeTail(out)
    }
    out.toBytes
  }

  private[this] def writeTail(out: BlockWriter): Unit = {
    out.unsigned(pending.toLong + tail.size)
    out.raw(source, 0, source.length)
    tail.foreach(codec.write(_, out))
  }

  private[this] def cut(out: BlockWriter): Unit = {
    decode()
    var count             = 0
    def takeChunk(): Unit = {
      chunks :+= StatePiece.of(out, count, pieces)
      out.reset()
      count = 0
    }
    out.reset()
    tail.foreach { value =>
      codec.write(value, out)
      count += 1
      if (out.size >= pieces.sizes.chunk) takeChunk()
    }
    if (count > 0) takeChunk()
    tail = Vector.empty
  }
}

private[state] object StoredList {

  /** Values of which the first are in chunks. Access in order is fast, access in any other order is not. */
  private final class Values[T](chunks: Vector[StatePiece], tail: Vector[T], codec: ValueCodec[T], pieces: KeyPieces)
      extends scala.collection.AbstractSeq[T]
      with scala.collection.immutable.Seq[T] {
    private[this] val starts  = chunks.scanLeft(0)(_ + _.count).toArray
    private[this] val inTail  = starts(chunks.size)
    private[this] val opening = pieces.openings

    // The chunk that was read last.
    private[this] var at     = -1
    private[this] var values = Vector.empty[T]

    def length: Int           = inTail + tail.size
    def iterator: Iterator[T] = Iterator.range(0, length).map(apply)

    def apply(i: Int): T =
      if (i >= inTail) tail(i - inTail)
      else {
        if (i < 0) throw new IndexOutOfBoundsException(s"value $i of a list")
        if (at < 0 || i < starts(at) || i >= starts(at + 1)) open(i)
        values(i - starts(at))
      }

    private[this] def open(i: Int): Unit = {
      if (pieces.openings != opening)
        throw new IllegalStateException(
          "the values of a ListState were read after the call that asked for them; copy them with .toVector to keep them"
        )
      val chunk = java.util.Arrays.binarySearch(starts, i) match {
        case found if found >= 0 => found
        case missed              => -missed - 2
      }
      val in = chunks(chunk).read(pieces)
      values = Vector.fill(chunks(chunk).count)(codec.read(in))
      at = chunk
    }
  }
}
