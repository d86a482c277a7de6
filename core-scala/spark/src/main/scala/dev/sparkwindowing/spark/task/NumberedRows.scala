package dev.sparkwindowing.spark.task

import org.apache.spark.SparkEnv
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.execution.UnsafeExternalRowSorter
import org.apache.spark.sql.execution.UnsafeExternalRowSorter.PrefixComputer
import org.apache.spark.sql.types.StructType
import org.apache.spark.util.collection.unsafe.sort.PrefixComparators

import java.util
import scala.jdk.CollectionConverters._

/** Rows of one key in the order of the numbers in their last column.
  *
  * A key usually has few rows in a micro-batch, and the sort before the operator compares only the key. Larger groups
  * are sorted by Spark, which spills them to disk if memory is short.
  */
private[sparkwindowing] final class NumberedRows(
    schema: StructType,
    few: Int = NumberedRows.Few,
    small: Long = NumberedRows.Small
) {
  private[this] val last                            = schema.length - 1
  private[this] val byNumber: Ordering[InternalRow] =
    (a, b) => java.lang.Long.compare(a.getLong(last), b.getLong(last))
  private[this] val held = new util.ArrayList[InternalRow]

  /** @param rows at least one; these and the returned rows may be reused buffers */
  def of(rows: Iterator[InternalRow]): Iterator[InternalRow] = {
    val first = rows.next().copy()
    if (!rows.hasNext) Iterator.single(first)
    else {
      held.clear()
      held.add(first)
      var bytes = sizeOf(first)
      while (held.size < few && bytes < small && rows.hasNext) {
        val row = rows.next().copy()
        held.add(row)
        bytes += sizeOf(row)
      }
      if (rows.hasNext) sortedBySpark(rows)
      else {
        held.sort(byNumber)
        held.iterator().asScala
      }
    }
  }

  private[this] def sizeOf(row: InternalRow): Long = row match {
    case unsafe: UnsafeRow => unsafe.getSizeInBytes.toLong
    case _                 => 0L
  }

  // It frees its memory after the last row, or at the end of the task.
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

private[sparkwindowing] object NumberedRows {

  /** Maximum number of rows of a key that are sorted in memory. */
  private val Few = 4096

  /** Maximum number of their bytes, but for the last row. */
  private val Small = 16L << 20
}
