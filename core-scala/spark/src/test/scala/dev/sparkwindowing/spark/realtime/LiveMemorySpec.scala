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
  private val key   = UnsafeProjection.create(Array[DataType](LongType))(InternalRow(1L)).copy()
  private val state = (new StateRow.Writer).apply(Array[Byte](1), 100, StateCell.NoTimer, 1, 1, 0)

  private def newMemory() = new LiveMemory(new TimerIndex(1, Long.MaxValue))

  test("an idle task does not hold the watermark, also over the ends of micro-batches, until it has caught up") {
    val memory = newMemory()
    memory.begin(0, Long.MinValue)(())
    assert(memory.told(0, 2, 10) == Long.MinValue)
    assert(memory.told(1, 2, InBandColumns.Silent) == Long.MinValue)
    assert(memory.told(1, 2, 8) == 8)
    assert(memory.told(0, 2, 50) == 8)
    assert(memory.told(1, 2, InBandColumns.Silent) == 8)
    assert(memory.told(1, 2, InBandColumns.Idle) == 50)
    memory.complete(1)
    memory.begin(1, 50)(())
    assert(memory.told(1, 2, InBandColumns.Silent) == 50, "it stays idle")
    assert(memory.told(0, 2, 90) == 90)
    assert(memory.told(1, 2, 60) == 90)
    assert(memory.told(0, 2, 99) == 99, "it does not hold what it is behind of")
    assert(memory.told(1, 2, 120) == 99)
    assert(memory.told(0, 2, 130) == 120, "from then on it does")
  }

  test("on another version of the state it knows of no task any more") {
    val memory = newMemory()
    memory.begin(0, Long.MinValue)(())
    memory.told(1, 2, InBandColumns.Idle)
    assert(memory.told(0, 2, 10) == 10)
    memory.complete(1)
    memory.begin(7, 5)(())
    assert(memory.told(0, 2, 20) == 5)
    assert(memory.told(1, 2, 15) == 15)
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
