package dev.sparkwindowing.spark.task

/** Iterator over `rows` that calls `onEnd` once when they are exhausted. */
private[sparkwindowing] final class CompletedIterator[A](rows: Iterator[A], onEnd: () => Unit) extends Iterator[A] {
  private[this] var ended = false

  def hasNext: Boolean = {
    val more = rows.hasNext
    if (!more && !ended) {
      ended = true
      onEnd()
    }
    more
  }

  def next(): A = rows.next()
}
