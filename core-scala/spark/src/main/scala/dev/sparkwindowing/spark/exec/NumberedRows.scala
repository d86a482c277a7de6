package dev.sparkwindowing.spark.exec

import org.apache.spark.sql.catalyst.InternalRow

import java.util

/** The rows of one key in the order of their numbers, which are in their last column.
  *
  * For rows that were aggregated before the exchange: those of a key are few, and the sort before the operator has only
  * the key to compare. They are held in memory.
  */
private[exec] final class NumberedRows(fields: Int) {
  private[this] val byNumber: util.Comparator[InternalRow] =
    (a, b) => java.lang.Long.compare(a.getLong(fields - 1), b.getLong(fields - 1))
  private[this] val held = new util.ArrayList[InternalRow]

  /** @param rows
    *   at least one; may be the same buffer again and again
    */
  def of(rows: Iterator[InternalRow]): Iterator[InternalRow] = {
    val first = rows.next().copy()
    if (!rows.hasNext) Iterator.single(first)
    else {
      held.clear()
      held.add(first)
      rows.foreach(row => held.add(row.copy()))
      held.sort(byNumber)
      new Iterator[InternalRow] {
        private[this] val all   = held.iterator()
        def hasNext: Boolean    = all.hasNext
        def next(): InternalRow = all.next()
      }
    }
  }
}
