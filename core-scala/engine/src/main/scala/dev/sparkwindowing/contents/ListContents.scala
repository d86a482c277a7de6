package dev.sparkwindowing.contents

import dev.sparkwindowing.codec.{BlockReader, BlockWriter, ValueCodec}
import dev.sparkwindowing.pieces.KeyPieces

/** Contents with all elements, for functions that need them one by one, and for evictors.
  *
  * @param codec
  *   codec of an element
  * @param copy
  *   makes a copy that may be kept of an element that may be a reused buffer
  */
final class ListContents[E](codec: ValueCodec[E], copy: E => E) extends WindowContents[E, ElementList[E]] {
  private[this] var store: ChunkStore[E] = _

  override def attach(pieces: KeyPieces): Unit = store = new ChunkStore[E](codec, pieces)

  def empty(): ElementList[E] = new ElementList[E](codec, store)

  /** A list that is never stored. */
  def inMemory(): ElementList[E] = new ElementList[E](codec)

  def add(contents: ElementList[E], element: E, timestamp: Long): ElementList[E] = {
    contents.add(copy(element), timestamp)
    contents
  }

  def merge(kept: ElementList[E], merged: ElementList[E]): ElementList[E] = {
    kept.addAll(merged)
    kept
  }

  override def seal(contents: ElementList[E]): Unit = contents.sealLongTail()

  override def pieceBytes(contents: ElementList[E]): Long = contents.pieceBytes

  override def release(contents: ElementList[E]): Unit = contents.release()

  def write(contents: ElementList[E], out: BlockWriter): Unit = contents.write(out)

  def read(in: BlockReader): ElementList[E] = empty().open(in)
}
