package dev.sparkwindowing.spark.task

import dev.sparkwindowing.operator.StateCell
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{UnsafeProjection, UnsafeRow}
import org.apache.spark.sql.types.{DataType, LongType, StringType}
import org.apache.spark.unsafe.types.UTF8String
import org.scalatest.funsuite.AnyFunSuite

import scala.collection.mutable.ArrayBuffer
import scala.util.Random

/** The queue against a list that is searched. */
class TimerQueueSpec extends AnyFunSuite {
  private val rowOf = UnsafeProjection.create(Array[DataType](LongType, StringType))

  // In a buffer that the next one reuses.
  private def key(number: Long, text: String): UnsafeRow = rowOf(InternalRow(number, UTF8String.fromString(text)))

  private def text(key: UnsafeRow): String = s"${key.getLong(0)} ${key.getUTF8String(1)}"

  for ((name, range) <- Seq("a second" -> 1000L, "an hour" -> 3600000L, "all times" -> Long.MaxValue))
    test(s"entries come in the order of their times: $name") {
      val random = new Random(range)
      val queue  = new TimerQueue(2)
      val naive  = ArrayBuffer.empty[(Long, String)]
      (1 to 20000).foreach { i =>
        // Grows for a while, then becomes empty.
        if (random.nextInt(100) < (if (i % 5000 < 2000) 80 else 25)) {
          val time = (random.nextLong() % range) - (if (random.nextInt(9) == 0) range / 2 else 0L)
          val k    = key(random.nextInt(50).toLong, "x" * random.nextInt(20))
          queue.add(k, time)
          naive += time -> text(k)
        } else if (naive.nonEmpty) {
          val earliest = naive.map(_._1).min
          assert(queue.headTime == earliest)
          val polled = earliest -> text(queue.poll())
          assert(naive.contains(polled))
          naive -= polled
        }
        assert(queue.size == naive.size)
        if (i % 500 == 0) {
          val limit = random.nextLong() % range
          assert(queue.countUntil(limit) >= naive.count(_._1 <= limit))
          assert(queue.countUntil(limit) <= naive.count(_._1 < limit + 4096L.min(Long.MaxValue - limit)))
        }
        if (naive.isEmpty) assert(queue.bytes == 0 && queue.headTime == StateCell.NoTimer)
      }
      while (queue.size > 0) {
        queue.headTime
        queue.poll()
      }
      assert(queue.bytes == 0)
    }

  test("an entry takes the bytes of its key and few more") {
    val queue = new TimerQueue(2)
    (1 to 100000).foreach(i => queue.add(key(i.toLong, ""), i % 60000L))
    val size = key(1, "").getSizeInBytes
    assert(queue.bytes / 100000 < 2 * (size + 16))
  }
}
