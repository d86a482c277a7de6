package dev.sparkwindowing.contents

import dev.sparkwindowing.codec.{BlockReader, BlockWriter}
import dev.sparkwindowing.pieces.KeyPieces

/** Storage of a window's elements, as one value of type `C` per window.
  *
  * The engine never reads an element or `C`; the host defines here how they are added, merged, written and read. An
  * instance belongs to one task and may reuse buffers. `add` and `merge` may change their first argument in place and
  * return it.
  */
trait WindowContents[E, C <: AnyRef] {

  /** Gives the pieces of each key that will be opened to contents that can be stored in pieces. Called by each operator
    * before anything else.
    */
  def attach(pieces: KeyPieces): Unit = ()

  /** The contents of a window before its first element. */
  def empty(): C

  /** `contents` with `element` added. The element may be a reused buffer: copy it to keep it. */
  def add(contents: C, element: E, timestamp: Long): C

  /** The contents of two merged windows: `kept` first. `merged` is not used again. */
  def merge(kept: C, merged: C): C

  /** Stores what is too large for the block or a page as pieces. Called before changed contents are written. */
  def seal(contents: C): Unit = ()

  /** Number of bytes of the pieces of contents. */
  def pieceBytes(contents: C): Long = 0L

  /** Releases the pieces of contents that are not used again. */
  def release(contents: C): Unit = ()

  def write(contents: C, out: BlockWriter): Unit

  /** Reads the output of `write`; `in` holds exactly those bytes. They do not change until the key is closed. */
  def read(in: BlockReader): C
}
