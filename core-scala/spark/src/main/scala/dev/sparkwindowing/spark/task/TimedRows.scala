package dev.sparkwindowing.spark.task

import dev.sparkwindowing.operator.TimestampExtractor
import org.apache.spark.sql.catalyst.InternalRow

/** Rows of a key with their event times. Rows that need one and have none go to `onMissing`. */
private[sparkwindowing] final class TimedRows(timeOrdinal: Int, isEventTime: Boolean, onMissing: InternalRow => Unit)
    extends Iterator[InternalRow]
    with TimestampExtractor[InternalRow] {
  private[this] var source: Iterator[InternalRow] = Iterator.empty
  private[this] var current: InternalRow          = _

  def over(rows: Iterator[InternalRow]): this.type = {
    source = rows
    current = null
    this
  }

  def of(row: InternalRow): Long = if (row.isNullAt(timeOrdinal)) Long.MinValue else row.getLong(timeOrdinal)

  def hasNext: Boolean = {
    while (current == null && source.hasNext) {
      val row = source.next()
      if (isEventTime && row.isNullAt(timeOrdinal)) onMissing(row) else current = row
    }
    current != null
  }

  def next(): InternalRow = {
    if (!hasNext) throw new NoSuchElementException
    val row = current
    current = null
    row
  }
}
