package dev.sparkwindowing.state

import dev.sparkwindowing.codec.{BlockReader, BlockWriter, CorruptBlockException}
import dev.sparkwindowing.pieces.SectionPieces

/** The block of a key with several sections, each a block of its own.
  *
  * {{{
  * version     1 byte: 4
  * pieces      0, then the number of pieces of all sections and of their bytes
  * sections    their number, then for each the number of its bytes, 0 if it has no state
  * blocks      those of the sections
  * checksum    4 bytes, as at the end of each block
  * }}}
  */
final class SectionedBlock(sections: Int, maxSize: Int = BlockWriter.MaxSize) {
  private[this] val out    = new BlockWriter(maxSize = maxSize)
  private[this] val reader = new BlockReader

  /** One block of those of the sections, null for a section without state.
    *
    * @throws dev.sparkwindowing.codec.BlockTooLargeException
    *   if it has more than `maxSize` bytes
    */
  def join(blocks: Array[Array[Byte]]): Array[Byte] = {
    val all = blocks.filter(_ != null)
    out.reset()
    out.byte(KeyStateCodec.WithSections)
    out.unsigned(0L)
    out.unsigned(all.map(KeyStateCodec.pieces).sum)
    out.unsigned(all.map(KeyStateCodec.pieceBytes).sum)
    out.unsigned(sections.toLong)
    blocks.foreach(block => out.unsigned(if (block == null) 0L else block.length.toLong))
    all.foreach(block => out.raw(block, 0, block.length))
    out.seal()
    out.toBytes
  }

  /** The blocks of the sections, null for one without state.
    *
    * @param block
    *   null for a key without state
    * @throws dev.sparkwindowing.codec.CorruptBlockException
    *   if it is damaged, or has other sections
    */
  def split(block: Array[Byte]): Array[Array[Byte]] =
    if (block == null) new Array[Array[Byte]](sections)
    else {
      val read = SectionedBlock.read(reader.open(block, 0, block.length))
      if (read.length != sections)
        throw new CorruptBlockException(s"it has ${read.length} sections, and this query keeps $sections")
      read
    }
}

object SectionedBlock {

  private def read(in: BlockReader): Array[Array[Byte]] = {
    val version = in.byte()
    if (version != KeyStateCodec.WithSections) throw KeyStateCodec.otherVersion(version)
    in.unseal(0)
    (0 until 3).foreach(_ => in.unsigned())
    val lengths = Array.fill(in.count(1))(in.count(1))
    lengths.map(length => if (length == 0) null else in.raw(length))
  }

  /** The numbers of the pieces of a key that are pages of windows, with sections or without.
    *
    * @throws dev.sparkwindowing.codec.CorruptBlockException
    *   if the block is damaged
    */
  def pages(block: Array[Byte]): Seq[Long] =
    if (block.length == 0 || block(0) != KeyStateCodec.WithSections) KeyStateCodec.pages(block)
    else {
      val blocks = read(new BlockReader().open(block, 0, block.length))
      for {
        (section, i) <- blocks.toSeq.zipWithIndex if section != null
        page         <- KeyStateCodec.pages(section)
      } yield new SectionPieces(i, blocks.length).numberOf(page)
    }
}
