package dev.sparkwindowing.spark.task

import org.apache.spark.SparkEnv
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.execution.UnsafeExternalRowSorter
import org.apache.spark.sql.execution.UnsafeExternalRowSorter.PrefixComputer
import org.apache.spark.sql.types.StructType
import org.apache.spark.util.collection.unsafe.sort.PrefixComparators

/** Rows in order of arrival, in memory that Spark manages, and on disk if that is short. It is freed after the last
  * row, or at the end of the task.
  */
private[task] final class SpilledRows(schema: StructType) {
  private[this] val arrival = new PrefixComputer {
    private[this] val prefix = new PrefixComputer.Prefix

    def computePrefix(row: InternalRow): PrefixComputer.Prefix = {
      prefix.value += 1
      prefix
    }
  }

  // Spark's only buffer of rows whose constructor is the same in all its lines sorts; no two rows are equal here.
  private[this] val rows = UnsafeExternalRowSorter.create(
    schema,
    (_: InternalRow, _: InternalRow) => 0,
    PrefixComparators.LONG,
    arrival,
    SparkEnv.get.memoryManager.pageSizeBytes,
    true
  )

  /** Adds a row, which may be a reused buffer. */
  def add(row: InternalRow): Unit = rows.insertRow(row.asInstanceOf[UnsafeRow])

  /** All rows, in a reused buffer. No row is added any more. */
  def iterator: Iterator[InternalRow] = rows.sort()
}
