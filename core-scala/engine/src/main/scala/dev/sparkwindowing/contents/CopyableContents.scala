package dev.sparkwindowing.contents

/** Contents that can be merged more than once: what is kept of a slice goes into every window that the slice is in.
  *
  * `merge` must be associative and commutative, as slices are merged in any order. It may still change `kept` and give
  * it back, but here `merged` is used again: it must stay as it is, and share nothing that can be changed with what is
  * given back.
  */
trait CopyableContents[E, C <: AnyRef] extends WindowContents[E, C] {

  /** Contents equal to these that share nothing with them that `add` or `merge` changes. */
  def copy(contents: C): C
}
