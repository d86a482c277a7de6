package dev.sparkwindowing.spark

/** Of many like cases the suite runs a share, and `make test-long` all: it sets `-Dlong=true`. */
object Cases {
  val areAll: Boolean = sys.props.get("long").contains("true")

  /** Every nth of them in the suite, from the first one on. */
  def each[A](n: Int)(all: Seq[A]): Seq[A] =
    if (areAll) all else all.zipWithIndex.collect { case (one, i) if i % n == 0 => one }

  /** So many rounds in the suite, and so many of all. */
  def rounds(some: Int, all: Int): Range = 1 to (if (areAll) all else some)
}
