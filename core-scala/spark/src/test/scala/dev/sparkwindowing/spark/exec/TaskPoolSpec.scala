package dev.sparkwindowing.spark.exec

import dev.sparkwindowing.spark.SharedSpark
import org.apache.spark.SparkException
import org.scalatest.funsuite.AnyFunSuite

import java.util.UUID
import java.util.concurrent.atomic.AtomicInteger

/** What is dear to build is built once a core, and not used again if its task failed. */
class TaskPoolSpec extends AnyFunSuite with SharedSpark {
  import TaskPoolSpec._

  // Which of all that were built a task gets, in jobs of one task.
  private def borrowed(key: TaskPool.Key, fails: Boolean = false): Int =
    spark.sparkContext
      .parallelize(Seq(1), 1)
      .map { _ =>
        val built = TaskPool.borrow(key)(new Built(count.incrementAndGet())).number
        if (fails) throw new IllegalStateException("as told")
        built
      }
      .collect()
      .head

  test("the next task of an operator gets what the last one gave back; another operator does not") {
    val operator = TaskPool.Operator(UUID.randomUUID(), 0)
    val first    = borrowed(operator.of("part"))
    assert(borrowed(operator.of("part")) == first)
    assert(borrowed(operator.of("other")) == first + 1)
    assert(borrowed(operator.copy(number = 1).of("part")) == first + 2)
  }

  test("a task that failed gives nothing back") {
    val key   = TaskPool.Operator(UUID.randomUUID(), 0).of("part")
    val first = borrowed(key)
    intercept[SparkException](borrowed(key, fails = true))
    assert(borrowed(key) != first)
  }
}

object TaskPoolSpec {
  private val count = new AtomicInteger
  private final class Built(val number: Int)
}
