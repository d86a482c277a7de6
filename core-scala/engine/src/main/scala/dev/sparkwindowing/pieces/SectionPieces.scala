package dev.sparkwindowing.pieces

/** The pieces of one section of a key, among those of the key: the number of a piece is that in its section times the
  * number of sections, plus that of the section.
  */
final class SectionPieces(section: Int, sections: Int) extends PieceStore {
  private[this] var all: PieceStore = _

  /** The pieces of the section in those of a key, null if the host stores none. */
  def in(all: PieceStore): PieceStore = {
    this.all = all
    if (all == null) null else this
  }

  override def sizes: PieceSizes = all.sizes

  def read(number: Long): Array[Byte]               = all.read(numberOf(number))
  def write(number: Long, bytes: Array[Byte]): Unit = all.write(numberOf(number), bytes)
  def remove(number: Long): Unit                    = all.remove(numberOf(number))

  /** The number among the pieces of the key. */
  def numberOf(number: Long): Long = number * sections + section
}
