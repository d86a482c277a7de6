package dev.sparkwindowing.spark.task

import dev.sparkwindowing.codec.{BlockReader, BlockWriter}
import dev.sparkwindowing.spark.checkpoint.StateRow
import org.apache.spark.sql.catalyst.expressions.UnsafeRow

/** Sums over rows of the state. */
private[spark] final class StateSums {
  var rows             = 0L
  var pieces           = 0L
  var windows          = 0L
  var eventTimers      = 0L
  var processingTimers = 0L
  var bytes            = 0L

  def add(row: UnsafeRow): Unit      = count(row, 1)
  def subtract(row: UnsafeRow): Unit = count(row, -1)

  private[this] def count(row: UnsafeRow, sign: Int): Unit = {
    rows += sign
    pieces += sign * StateRow.pieces(row)
    windows += sign * StateRow.windows(row)
    eventTimers += sign * StateRow.eventTimers(row)
    processingTimers += sign * StateRow.processingTimers(row)
    bytes += sign * (row.getSizeInBytes + StateRow.pieceBytes(row))
  }

  /** Sets the counters of a task that are sums over the state. */
  def report(counters: TaskCounters): Unit = {
    counters.openWindows = windows
    counters.eventTimers = eventTimers
    counters.processingTimers = processingTimers
    counters.stateBytes = bytes
  }

  def write(out: BlockWriter): Unit =
    Seq(rows, pieces, windows, eventTimers, processingTimers, bytes).foreach(out.unsigned)
}

private[spark] object StateSums {
  def read(in: BlockReader): StateSums = {
    val sums = new StateSums
    sums.rows = in.unsigned()
    sums.pieces = in.unsigned()
    sums.windows = in.unsigned()
    sums.eventTimers = in.unsigned()
    sums.processingTimers = in.unsigned()
    sums.bytes = in.unsigned()
    sums
  }
}
