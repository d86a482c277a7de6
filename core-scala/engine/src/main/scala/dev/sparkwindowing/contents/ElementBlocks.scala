package dev.sparkwindowing.contents

import dev.sparkwindowing.codec.ValueCodec

/** The elements of a list as they were when it was asked, whatever has become of it, in blocks that can be in memory
  * when the list is too large for that.
  */
final class ElementBlocks[E] private[contents] (
    codec: ValueCodec[E],
    store: ChunkStore[E],
    chunks: Array[Chunk],
    tail: Array[Any]
) {

  /** Number of blocks, one at least. */
  def size: Int = chunks.length + 1

  /** About the bytes of an element, one at least. */
  def sizeOf(element: E): Int = math.max(1, codec.sizeOf(element))

  /** The elements of a block in order of arrival. Blocks are in this order too. */
  def foreach(block: Int)(f: E => Unit): Unit =
    (if (block < chunks.length) store.elementsOf(chunks(block)) else tail).foreach(e => f(e.asInstanceOf[E]))
}
