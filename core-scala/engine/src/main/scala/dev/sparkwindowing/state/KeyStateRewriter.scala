package dev.sparkwindowing.state

import dev.sparkwindowing.codec.{BlockReader, BlockWriter, ValueCodec}
import dev.sparkwindowing.contents.{AccumulatorContents, TimestampContents}
import dev.sparkwindowing.pieces.{PieceStore, SectionPieces}

/** Writes blocks of keys anew with other contents of their windows, without the trigger and the functions that wrote
  * them. Timers, the memory of triggers and function state stay. One instance per task.
  *
  * @param kept
  *   kind of the state. Of over windows the merged contents of a timestamp are rewritten
  * @param convert
  *   the new contents from the old ones
  */
final class KeyStateRewriter(kept: KeyStateReader.StateKind, convert: Array[Byte] => Array[Byte]) {
  private[this] val contents = new ConvertedContents(kept match {
    case KeyStateReader.StateKind.Timestamps(_) => TimestampContents.withMerged(_)(convert)
    case _                                      => convert
  })
  private[this] val state = new KeyState[Array[Byte]](contents, KeyStateReader.MostOfATrigger, KeyStateReader.RawValues)
  private[this] val codec = new KeyStateCodec[Array[Byte]](contents)

  /** The block with the new contents. Reads and writes pages of windows, and no other piece.
    *
    * @param pieces
    *   null if the host stores no pieces
    * @throws dev.sparkwindowing.codec.CorruptBlockException
    *   if the block or a page cannot be read
    * @throws dev.sparkwindowing.codec.BlockTooLargeException
    *   if the new block is too large
    */
  def apply(block: Array[Byte], pieces: PieceStore): Array[Byte] = kept match {
    case KeyStateReader.StateKind.Sections(all) => ofSections(all.size, block, pieces)
    case _                                      => ofOne(block, pieces)
  }

  private[this] lazy val inSections = kept match {
    case KeyStateReader.StateKind.Sections(all) => all.map { case (_, kind) => new KeyStateRewriter(kind, convert) }
    case _                                      => Nil
  }

  private[this] def ofSections(count: Int, block: Array[Byte], pieces: PieceStore): Array[Byte] = {
    val blocks = new SectionedBlock(count)
    blocks.join(blocks.split(block).zip(inSections).zipWithIndex.map { case ((part, rewriter), i) =>
      if (part == null) null else rewriter(part, new SectionPieces(i, count).in(pieces))
    })
  }

  private[this] def ofOne(block: Array[Byte], pieces: PieceStore): Array[Byte] = {
    state.pieces.open(pieces)
    codec.decode(block, state)
    var i = 0
    while (i < state.size) {
      val r = state.record(i)
      if (r.hasContents) { val _ = state.contentsOf(r) }
      i += 1
    }
    val written = codec.encode(state)
    state.pieces.close()
    written
  }
}

private final class ConvertedContents(convert: Array[Byte] => Array[Byte])
    extends AccumulatorContents[Any, Array[Byte]](new ValueCodec[Array[Byte]] {
      def read(in: BlockReader): Array[Byte]                = convert(in.raw(in.remaining))
      def write(value: Array[Byte], out: BlockWriter): Unit = out.raw(value, 0, value.length)
    }) {
  def createAccumulator(): Array[Byte]                           = none()
  def add(contents: Array[Byte], element: Any): Array[Byte]      = none()
  def merge(kept: Array[Byte], merged: Array[Byte]): Array[Byte] = none()
  private def none(): Nothing = throw new UnsupportedOperationException("the state is only rewritten")
}
