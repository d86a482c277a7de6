package dev.sparkwindowing.state

import dev.sparkwindowing.pieces.{PieceStore, SectionPieces}

/** Reads blocks of several sections. */
private[state] final class SectionsReader(sections: Seq[KeyStateReader]) {
  private[this] val blocks = new SectionedBlock(sections.size)
  private[this] val pieces = sections.indices.map(new SectionPieces(_, sections.size))

  /** The windows of the sections, one section after the other; the numbers of pieces are those of the key. */
  def read(block: Array[Byte], all: PieceStore): KeyView = {
    val parts   = blocks.split(block)
    val views   = sections.indices.filter(parts(_) != null).map(i => i -> sections(i).read(parts(i), pieces(i).in(all)))
    val windows =
      for ((i, view) <- views; w <- view.windows)
        yield w.copy(state = ofKey(i, w.state), section = Some(i))
    val own = for ((i, view) <- views; own <- view.own) yield own.copy(state = ofKey(i, own.state))
    KeyView(
      windows,
      own.reduceOption { (a, b) =>
        OwnView(
          a.state ++ b.state,
          (a.eventTimers ++ b.eventTimers).sorted,
          (a.processingTimers ++ b.processingTimers).sorted
        )
      }
    )
  }

  private[this] def ofKey(section: Int, state: Map[String, StateView]): Map[String, StateView] =
    state.map { case (name, view) => name -> view.withPiece(view.piece.map(pieces(section).numberOf)) }
}
