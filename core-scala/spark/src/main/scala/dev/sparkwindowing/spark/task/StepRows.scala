package dev.sparkwindowing.spark.task

import dev.sparkwindowing.operator.Step
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.types.StructType

import java.util.Arrays
import scala.collection.mutable.ArrayBuffer

/** Rows that wait to be taken, in order, and iterators of rows that are made when they are taken. Rows come in buffers
  * that are reused.
  *
  * Firings have numbers from the last call of `clear`, so that the rows of one can be dropped for a later one that
  * repeats it, as long as no row is taken.
  *
  * @param schema
  *   the columns of a row
  * @param small
  *   number of bytes of rows from which on further ones go to [[SpilledRows]]
  */
private[task] final class StepRows(schema: StructType, small: Long) extends Iterator[InternalRow] with Step.Results {
  // A step often has one row at a time, so an array costs less than a buffer.
  private[this] var all   = new Array[AnyRef](8)
  private[this] var held  = 0
  private[this] var at    = 0
  private[this] var bytes = 0L
  private[this] var pulls = false
  // Where further rows go; null as long as those in memory are small.
  private[this] var spilled: SpilledRows = _
  // The iterator whose rows are taken, null while those of `all` are; asked once a row whether it has more.
  private[this] var pulled: Iterator[InternalRow] = _
  private[this] var isFound                       = false

  // Numbers of rows before and after each firing, and the firings that are dropped.
  private[this] val starts     = new ArrayBuffer[Long]
  private[this] val ends       = new ArrayBuffer[Long]
  private[this] val dropped    = new java.util.BitSet
  private[this] var added      = 0L
  private[this] var taken      = 0L
  private[this] var nextFiring = 0

  def clear(): Unit = {
    forgetTaken()
    spilled = null // which Spark frees at the end of the task
    if (starts.length > 0) {
      starts.clear()
      ends.clear()
      dropped.clear()
    }
    added = 0
    taken = 0
    nextFiring = 0
  }

  private[this] def forgetTaken(): Unit = {
    if (held > 1) Arrays.fill(all, 0, held, null)
    held = 0
    at = 0
    bytes = 0
    pulls = false
    pulled = null
    isFound = false
  }

  /** Called before a row is made, in a buffer that may hold the last one. */
  def keepLast(): Unit = if (spilled == null && held > 0) all(held - 1) match {
    case row: InternalRow if !pulls => all(held - 1) = row.copy()
    case _                          => ()
  }

  /** Adds a row. Those of an iterator before it are made in its buffer, so it is copied then. */
  def add(row: InternalRow): Unit = {
    added += 1
    if (spilled != null) spilled.add(row)
    else {
      append(if (pulls) row.copy() else row)
      bytes += sizeOf(row)
      if (bytes > small) {
        keepLast()
        spilled = new SpilledRows(schema)
      }
    }
  }

  private[this] def append(rows: AnyRef): Unit = {
    if (held == all.length) all = Arrays.copyOf(all, held * 2)
    all(held) = rows
    held += 1
  }

  private[this] def sizeOf(row: InternalRow): Long = row match {
    case unsafe: UnsafeRow => unsafe.getSizeInBytes.toLong
    case _                 => 0L
  }

  /** Adds rows that are made when they are taken, or at once in a firing. */
  def pull(rows: Iterator[InternalRow]): Unit =
    if (starts.size > ends.size)
      while (rows.hasNext) {
        keepLast()
        add(rows.next())
      }
    else {
      endSpilled()
      keepLast()
      append(rows)
      pulls = true
    }

  private[this] def endSpilled(): Unit = if (spilled != null) {
    append(spilled.iterator)
    spilled = null
    bytes = 0
    pulls = true
  }

  /** Number of firings so far. */
  def firings: Int = starts.size

  def beginFiring(): Unit = starts += added
  def endFiring(): Unit   = ends += added

  /** Drops the rows of a firing. */
  def dropFiring(firing: Int): Unit = dropped.set(firing)

  /** True if rows were added since the last were taken. Faster than `hasNext`. */
  def areWaiting: Boolean = held > 0 || spilled != null

  /** False if all rows are taken, which are forgotten then. */
  def hasNext: Boolean = isFound || findNext()

  private[this] def findNext(): Boolean = {
    isFound = find()
    while (isFound && isDropped) {
      pass()
      isFound = find()
    }
    isFound
  }

  /** The next row, valid until more are asked for. */
  def next(): InternalRow = {
    if (!hasNext) throw new NoSuchElementException
    isFound = false
    pass()
  }

  private[this] def find(): Boolean = {
    endSpilled()
    if (pulls) findPulled()
    val isLeft = pulled != null || at < held
    if (!isLeft && at > 0) forgetTaken()
    isLeft
  }

  private[this] def findPulled(): Unit = {
    if (pulled != null && !pulled.hasNext) pulled = null
    while (pulled == null && at < held && !all(at).isInstanceOf[InternalRow]) {
      val rows = all(at).asInstanceOf[Iterator[InternalRow]]
      all(at) = null // what it holds
      at += 1
      if (rows.hasNext) pulled = rows
    }
  }

  private[this] def pass(): InternalRow = {
    taken += 1
    if (pulled != null) pulled.next()
    else {
      at += 1
      all(at - 1).asInstanceOf[InternalRow]
    }
  }

  private[this] def isDropped: Boolean = !dropped.isEmpty && {
    while (nextFiring < ends.size && ends(nextFiring) <= taken) nextFiring += 1
    nextFiring < ends.size && starts(nextFiring) <= taken && dropped.get(nextFiring)
  }
}

private[task] object StepRows {

  /** Number of bytes of rows in memory from which on further ones are spilled. */
  val Small: Long = 16L << 20
}
