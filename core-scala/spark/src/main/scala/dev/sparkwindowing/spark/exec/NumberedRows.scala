package dev.sparkwindowing.spark.exec

import org.apache.spark.SparkEnv
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.execution.UnsafeExternalRowSorter
import org.apache.spark.sql.execution.UnsafeExternalRowSorter.PrefixComputer
import org.apache.spark.sql.types.StructType
import org.apache.spark.util.collection.unsafe.sort.PrefixComparators

import java.util

/** The rows of one key in the order of their numbers, which are in their last column.
  *
  * For rows that were aggregated before the exchange: those of a key are few as a rule, and the sort before the
  * operator has only the key to compare. More than a few are sorted by Spark, which spills them to disk if memory is
  * short.
  *
  * @param few
  *   how many rows of a key are held in memory
  */
private[exec] final class NumberedRows(schema: StructType, few: Int = NumberedRows.Few) {
  private[this] val last                            = schema.length - 1
  private[this] val byNumber: Ordering[InternalRow] =
    (a, b) => java.lang.Long.compare(a.getLong(last), b.getLong(last))
  private[this] val held = new util.ArrayList[InternalRow]

  /** @param rows
    *   at least one; may be the same buffer again and again, as may be those that come out
    */
  def of(rows: Iterator[InternalRow]): Iterator[InternalRow] = {
    val first = rows.next().copy()
    if (!rows.hasNext) Iterator.single(first)
    else {
      held.clear()
      held.add(first)
      while (held.size < few && rows.hasNext) held.add(rows.next().copy())
      if (rows.hasNext) sortedBySpark(rows)
      else {
        held.sort(byNumber)
        new Iterator[InternalRow] {
          private[this] val all   = held.iterator()
          def hasNext: Boolean    = all.hasNext
          def next(): InternalRow = all.next()
        }
      }
    }
  }

  // It gives its memory back behind the last row, at the end of the task at the latest.
  private[this] def sortedBySpark(rows: Iterator[InternalRow]): Iterator[InternalRow] = {
    val pageSize = SparkEnv.get.memoryManager.pageSizeBytes
    val sorter   =
      UnsafeExternalRowSorter.create(schema, byNumber, PrefixComparators.LONG, new ByNumber, pageSize, false)
    held.forEach(row => sorter.insertRow(row.asInstanceOf[UnsafeRow]))
    held.clear()
    rows.foreach(row => sorter.insertRow(row.asInstanceOf[UnsafeRow]))
    sorter.sort()
  }

  private[this] final class ByNumber extends PrefixComputer {
    private[this] val prefix = new PrefixComputer.Prefix

    def computePrefix(row: InternalRow): PrefixComputer.Prefix = {
      prefix.value = row.getLong(last)
      prefix
    }
  }
}

private[exec] object NumberedRows {

  /** Rows of a key that are held in memory at most. */
  private val Few = 4096
}
