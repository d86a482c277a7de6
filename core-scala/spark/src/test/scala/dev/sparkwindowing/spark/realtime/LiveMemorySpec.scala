package dev.sparkwindowing.spark.realtime

import dev.sparkwindowing.operator.StateCell
import dev.sparkwindowing.spark.checkpoint.StateRow
import dev.sparkwindowing.spark.plan.RealTimeMode
import dev.sparkwindowing.spark.task.TimerIndex
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection
import org.apache.spark.sql.types.{DataType, LongType}
import org.scalatest.funsuite.AnyFunSuite

/** Memory of a partition from one long micro-batch to the next. */
class LiveMemorySpec extends AnyFunSuite {
  private val key   = UnsafeProjection.create(Array[DataType](LongType))(InternalRow(1L)).copy()
  private val state = (new StateRow.Writer).apply(Array[Byte](1), 100, StateCell.NoTimer, 1, 1, 0)

  private val mode = RealTimeMode.Default.copy(idleTimeout = 100, firstRowTimeout = 300)

  private def silent(millis: Long, hadRow: Boolean = true) = InBandColumns.silent(millis, hadRow)

  private def newMemory() = new LiveMemory(new TimerIndex(1, Long.MaxValue))

  test(
    "a task that is silent over the ends of micro-batches holds the watermark until the timeout, then from catching up"
  ) {
    val memory = newMemory()
    memory.begin(0, Long.MinValue)(())
    assert(memory.told(0, 2, 10, mode) == Long.MinValue)
    assert(memory.told(1, 2, 8, mode) == 8)
    assert(memory.told(1, 2, silent(60), mode) == 8)
    memory.complete(1)
    memory.begin(1, 8)(())
    assert(memory.told(0, 2, 50, mode) == 8)
    assert(memory.told(1, 2, silent(40), mode) == 8)
    assert(memory.told(1, 2, silent(1), mode) == 50)
    memory.complete(2)
    memory.begin(2, 50)(())
    assert(memory.told(1, 2, silent(0), mode) == 50, "it stays idle")
    assert(memory.told(0, 2, 90, mode) == 90)
    assert(memory.told(1, 2, 60, mode) == 90)
    assert(memory.told(0, 2, 99, mode) == 99, "it does not hold what it is behind of")
    assert(memory.told(1, 2, 120, mode) == 99)
    assert(memory.told(0, 2, 130, mode) == 120, "from then on it does")
    assert(memory.told(1, 2, silent(100), mode) == 120, "its row began a new silence")
  }

  test("a task that has had no row on its executor has the other timeout, wherever it was silent before") {
    val memory = newMemory()
    memory.begin(0, Long.MinValue)(())
    memory.told(0, 2, 10, mode)
    assert(memory.told(1, 2, silent(99), mode) == Long.MinValue)
    assert(memory.told(1, 2, silent(201, hadRow = false), mode) == Long.MinValue)
    assert(memory.told(1, 2, silent(1, hadRow = false), mode) == 10)
    memory.told(1, 2, 12, mode)
    memory.told(0, 2, 20, mode)
    assert(memory.told(1, 2, silent(101), mode) == 20)
    memory.told(1, 2, silent(5, hadRow = false), mode)
    assert(memory.told(0, 2, 30, mode) == 30, "one that is idle stays so on another executor")
  }

  test("with another version of the state, or another number of tasks, it knows of none any more") {
    val memory = newMemory()
    memory.begin(0, Long.MinValue)(())
    memory.told(1, 2, silent(101), mode)
    assert(memory.told(0, 2, 10, mode) == 10)
    memory.complete(1)
    memory.begin(7, 5)(())
    assert(memory.told(0, 2, 20, mode) == 5)
    assert(memory.told(1, 2, silent(1), mode) == 5, "its silence began anew")
    assert(memory.told(1, 2, 15, mode) == 15)
    assert(memory.told(0, 3, 30, mode) == 15)
    assert(memory.told(1, 3, 30, mode) == 15)
    assert(memory.told(2, 3, 30, mode) == 30)
  }

  test("without timeouts it holds the watermark for ever") {
    val memory = newMemory()
    memory.begin(0, Long.MinValue)(())
    for ((idle, first) <- Seq((0L, 300L), (100L, 0L)); hadRow <- Seq(idle == 0, false)) {
      val never = mode.copy(idleTimeout = idle, firstRowTimeout = first)
      memory.told(0, 2, 10, never)
      assert(memory.told(1, 2, silent(1000000, hadRow), never) == Long.MinValue)
    }
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
