package dev.sparkwindowing.contents

/** Contents that can be merged more than once: those of a slice are merged into every window that contains it.
  *
  * `merge` must be associative and commutative, as slices are merged in any order. It may change and return `kept`, but
  * `merged` is used again: it must not change, and must share no mutable part with the result.
  */
trait CopyableContents[E, C <: AnyRef] extends WindowContents[E, C] {

  /** Equal contents that share nothing with these that `add` or `merge` changes. */
  def copy(contents: C): C
}
