package dev.sparkwindowing.contents

import dev.sparkwindowing.codec.{BlockReader, BlockWriter}

/** What is kept of the elements of a window, and how: one value of type `C` a window.
  *
  * The engine never looks into an element or into `C`; the host says here how they are added, merged, written and read.
  * An instance belongs to one task and may reuse buffers. `add` and `merge` may change their first argument in place
  * and give it back.
  */
trait WindowContents[E, C <: AnyRef] {

  /** The contents of a window before its first element. */
  def empty(): C

  /** `contents` with `element` added. The element may be a reused buffer: copy what is kept. */
  def add(contents: C, element: E, timestamp: Long): C

  /** The contents of two windows that became one: `kept` first. `merged` is not used again. */
  def merge(kept: C, merged: C): C

  def write(contents: C, out: BlockWriter): Unit

  /** Reads what `write` wrote; `in` holds exactly those bytes. They stay unchanged until the key is closed. */
  def read(in: BlockReader): C
}
