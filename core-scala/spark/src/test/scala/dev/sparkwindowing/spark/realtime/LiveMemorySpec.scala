package dev.sparkwindowing.spark.realtime

import dev.sparkwindowing.operator.StateCell
import dev.sparkwindowing.spark.checkpoint.StateRow
import dev.sparkwindowing.spark.task.TimerIndex
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection
import org.apache.spark.sql.types.{DataType, LongType}
import org.scalatest.funsuite.AnyFunSuite

/** Memory of a partition from one long micro-batch to the next. */
class LiveMemorySpec extends AnyFunSuite {
  private val timeout = 5000L
  private val key     = UnsafeProjection.create(Array[DataType](LongType))(InternalRow(1L)).copy()
  private val state   = (new StateRow.Writer).apply(Array[Byte](1), 100, StateCell.NoTimer, 1, 1, 0)

  private def newMemory() = new LiveMemory(new TimerIndex(1, Long.MaxValue))

  test("a task that is silent over the ends of shorter micro-batches does not hold the watermark after the timeout") {
    val memory = newMemory()
    memory.begin(0, Long.MinValue)(())
    assert(memory.told(0, 2, 10, now = 0, timeout) == Long.MinValue)
    assert(memory.told(1, 2, 8, now = 0, timeout) == 8)
    assert(memory.told(1, 2, InBandColumns.Silent, now = 3000, timeout) == 8)
    memory.complete(1)
    memory.begin(1, 8)(())
    assert(memory.told(0, 2, 50, now = 20000, timeout) == 8)
    assert(memory.told(1, 2, InBandColumns.Silent, now = 30000, timeout) == 8, "it did not run meanwhile")
    assert(memory.told(1, 2, InBandColumns.Silent, now = 32000, timeout) == 8)
    assert(memory.told(1, 2, InBandColumns.Silent, now = 32001, timeout) == 50)
    memory.complete(2)
    memory.begin(2, 50)(())
    assert(memory.told(1, 2, InBandColumns.Silent, now = 40000, timeout) == 50, "it stays idle")
    assert(memory.told(0, 2, 90, now = 40001, timeout) == 90)
    assert(memory.told(1, 2, 60, now = 40002, timeout) == 90)
    assert(memory.told(0, 2, 99, now = 40003, timeout) == 99, "it does not hold what it is behind of")
    assert(memory.told(1, 2, 120, now = 40004, timeout) == 99)
    assert(memory.told(0, 2, 130, now = 40005, timeout) == 120, "from then on it does")
  }

  test("without a timeout it holds the watermark for ever") {
    val memory = newMemory()
    memory.begin(0, Long.MinValue)(())
    memory.told(0, 2, 10, now = 0, 0)
    for (now <- Seq(1L, 1000000L)) assert(memory.told(1, 2, InBandColumns.Silent, now, 0) == Long.MinValue)
  }

  test("the index is filled for another version, and when keys have left many entries behind") {
    val memory                     = newMemory()
    var filled                     = 0
    def begin(version: Long): Unit = {
      memory.begin(version, Long.MinValue) {
        filled += 1
        memory.index.add(key, state)
      }
      memory.complete(version + 1)
    }
    begin(0)
    begin(1)
    assert(filled == 1)
    for (time <- 0 until 2000) memory.index.add(memory.index.eventTimers, key, time.toLong)
    begin(2)
    assert((filled, memory.index.eventTimers.size) == ((2, 1)))
    begin(3)
    assert(filled == 2)
    begin(7)
    assert(filled == 3)
  }
}
