package dev.sparkwindowing.spark.task

import dev.sparkwindowing.spark.computations.PartialContents
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeRow

import java.util
import scala.collection.mutable.ArrayBuffer

/** Rows of a key in one session or slice, within an input partition, and their buffer.
  *
  * @param number
  *   the number of its first row
  */
private[sparkwindowing] final class PartialResult[C <: AnyRef](
    val key: UnsafeRow,
    var start: Long,
    var end: Long,
    var number: Long,
    var buffer: C
) {
  var rows: Long             = 1L
  var isMerged: Boolean      = false
  var next: PartialResult[C] = _

  def hasTime: Boolean = start != Long.MinValue

  def cover(start: Long, end: Long): Unit = {
    if (start < this.start) this.start = start
    if (end > this.end) this.end = end
  }
}

/** Combines the rows of an input partition, before the exchange. */
private[sparkwindowing] abstract class PartialResults[C <: AnyRef](contents: PartialContents[C]) {
  import PartialResults.{Open, Overhead}

  private[this] val openKeys = new util.HashMap[UnsafeRow, Open[C]]
  private[this] val all      = new ArrayBuffer[PartialResult[C]]

  /** The key of the rows that come. */
  protected[this] var last: Open[C] = _

  /** All that were not merged into another. */
  def partials: Iterator[PartialResult[C]] = all.iterator.filterNot(_.isMerged)

  /** Approximate number of bytes that they use. */
  var bytes = 0L

  /** Begins without rows.
    *
    * @param watermark
    *   the watermark that the operator uses to judge lateness, `Long.MinValue` for none
    */
  def begin(watermark: Long): Unit

  /** Removes all rows. */
  def clear(): Unit = {
    openKeys.clear()
    all.clear()
    bytes = 0
    last = null
  }

  /** Sets the key of the rows that follow, which may be a reused buffer; returns the stored copy. */
  def open(key: UnsafeRow): UnsafeRow = {
    last = openKeys.get(key)
    if (last == null) {
      last = new Open[C](key.copy())
      openKeys.put(last.key, last)
    }
    last.key
  }

  /** @param row
    *   may be a reused buffer
    * @param time
    *   event time in milliseconds, `Long.MinValue` for none
    */
  final def add(row: InternalRow, time: Long, number: Long): Unit =
    if (time == Long.MinValue) addWithoutTime(last, number) else addTimed(row, time, number)

  protected[this] def addTimed(row: InternalRow, time: Long, number: Long): Unit

  protected[this] final def addTo(partial: PartialResult[C], row: InternalRow, time: Long): Unit = {
    val before = contents.sizeOf(partial.buffer)
    partial.buffer = contents.add(partial.buffer, row, time)
    bytes += contents.sizeOf(partial.buffer) - before
    partial.rows += 1
  }

  protected[this] final def create(
      row: InternalRow,
      time: Long,
      start: Long,
      end: Long,
      number: Long
  ): PartialResult[C] = {
    val created = new PartialResult(last.key, start, end, number, contents.add(contents.empty(), row, time))
    keep(created)
    created
  }

  private[this] def keep(partial: PartialResult[C]): Unit = {
    all += partial
    bytes += Overhead + contents.sizeOf(partial.buffer)
  }

  // One for all rows of a key, with an empty buffer.
  private[this] def addWithoutTime(of: Open[C], number: Long): Unit =
    if (of.withoutTime == null) {
      of.withoutTime = new PartialResult(of.key, Long.MinValue, Long.MinValue, number, contents.empty())
      keep(of.withoutTime)
    } else of.withoutTime.rows += 1
}

private[sparkwindowing] object PartialResults {

  /** Bytes of a partial beside its buffer, with its share of a key. */
  private val Overhead = 150L

  /** Partials of a key: a list that begins with `first`, and the one of rows without event time. */
  private[task] final class Open[C <: AnyRef](val key: UnsafeRow) {
    var first: PartialResult[C]       = _
    var withoutTime: PartialResult[C] = _
  }

  /** Maximum number of sessions or slices of a key that are searched for a row; beyond it, a new one is begun. */
  private[task] val MaxSteps = 32
}
