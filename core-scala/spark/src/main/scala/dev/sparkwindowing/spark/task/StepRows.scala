package dev.sparkwindowing.spark.task

import org.apache.spark.sql.catalyst.InternalRow

import scala.collection.mutable.ArrayBuffer

/** The rows that a step puts out, in order, and iterators of rows that are made when they are read. Rows come in
  * buffers that are reused.
  *
  * Firings have numbers, so that the rows of one can be dropped for a later one that repeats it.
  */
private[task] final class StepRows {
  private[this] val all     = new ArrayBuffer[AnyRef]
  private[this] val starts  = new ArrayBuffer[Int]
  private[this] val ends    = new ArrayBuffer[Int]
  private[this] var pulls   = false
  private[this] var dropped = false

  def clear(): Unit = {
    all.clear()
    starts.clear()
    ends.clear()
    pulls = false
    dropped = false
  }

  /** Called before a row is made, in a buffer that may hold the last one. */
  def keepLast(): Unit = if (all.nonEmpty) all.last match {
    case row: InternalRow if !pulls => all(all.size - 1) = row.copy()
    case _                          => ()
  }

  /** Adds a row. Those of an iterator before it are made in its buffer, so it is copied then. */
  def add(row: InternalRow): Unit = all += (if (pulls) row.copy() else row)

  def pull(rows: Iterator[InternalRow]): Unit = {
    keepLast()
    all += rows
    pulls = true
  }

  /** Number of firings so far. */
  def firings: Int = starts.size

  def beginFiring(): Unit = starts += all.size
  def endFiring(): Unit   = ends += all.size

  /** Drops the rows of a firing. */
  def drop(firing: Int): Unit = {
    (starts(firing) until ends(firing)).foreach(all(_) = null)
    dropped = true
  }

  /** All rows, each valid until the next one is read. */
  def iterator: Iterator[InternalRow] =
    if (all.isEmpty) Iterator.empty
    else if (pulls) kept.flatMap {
      case row: InternalRow => Iterator.single(row)
      case rows             => rows.asInstanceOf[Iterator[InternalRow]]
    }
    else if (dropped) kept.asInstanceOf[Iterator[InternalRow]]
    else {
      plain.at = 0
      plain
    }

  private[this] def kept: Iterator[AnyRef] = if (dropped) all.iterator.filter(_ != null) else all.iterator

  // Made once: a step has few rows, and there are many steps.
  private[this] object plain extends Iterator[InternalRow] {
    var at               = 0
    def hasNext: Boolean = at < all.size

    def next(): InternalRow = {
      val row = all(at)
      at += 1
      row.asInstanceOf[InternalRow]
    }
  }
}
