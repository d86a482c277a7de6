package dev.sparkwindowing.spark.exec

import dev.sparkwindowing.operator.StateCell
import org.apache.spark.sql.catalyst.expressions.{SpecificInternalRow, UnsafeProjection, UnsafeRow}
import org.apache.spark.sql.types._

/** The row that the state store keeps of a key: Spark's own layout of an operator with state and a timeout, in which
  * our state is the block and four numbers, and the timeout is the earliest event-time timer. So a scan for due timers
  * decodes no block.
  */
private[exec] object StateRow {

  /** `StateCell.NoTimer` stands for no timer. */
  val Value: StructType = StructType(
    Seq(
      StructField("block", BinaryType),
      StructField("processing", LongType),
      StructField("windows", IntegerType),
      StructField("eventTimers", IntegerType),
      StructField("processingTimers", IntegerType)
    )
  )

  val Schema: StructType =
    StructType(Seq(StructField("groupState", Value), StructField("timeoutTimestamp", LongType, nullable = false)))

  def eventTimer(row: UnsafeRow): Long      = row.getLong(1)
  def processingTimer(row: UnsafeRow): Long = value(row).getLong(1)
  def block(row: UnsafeRow): Array[Byte]    = value(row).getBinary(0)

  def count(row: UnsafeRow, counters: TaskCounters): Unit = {
    val v = value(row)
    counters.openWindows += v.getInt(2)
    counters.eventTimers += v.getInt(3)
    counters.processingTimers += v.getInt(4)
    counters.stateBytes += row.getSizeInBytes
  }

  private def value(row: UnsafeRow): UnsafeRow = row.getStruct(0, Value.size)

  /** Makes such rows; the same buffer at each call. */
  final class Writer {
    private[this] val projection = UnsafeProjection.create(Schema)
    private[this] val state      = new SpecificInternalRow(Value)
    private[this] val row        = new SpecificInternalRow(Schema)

    def apply(block: Array[Byte], next: Long, processing: Long, windows: Int, event: Int, clock: Int): UnsafeRow = {
      state.update(0, block)
      state.setLong(1, processing)
      state.setInt(2, windows)
      state.setInt(3, event)
      state.setInt(4, clock)
      row.update(0, state)
      row.setLong(1, next)
      projection(row)
    }
  }

  /** A timer at or behind the time that was just dealt with must wait for the next advance: it is noted as one
    * millisecond later, so that the scan of the same micro-batch does not find it due.
    */
  def behind(timer: Long, done: Long): Long =
    if (timer == StateCell.NoTimer || timer > done) timer else done + 1
}
