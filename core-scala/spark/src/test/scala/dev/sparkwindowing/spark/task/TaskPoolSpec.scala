package dev.sparkwindowing.spark.task

import dev.sparkwindowing.SparkWindowing
import dev.sparkwindowing.assigners.{EventTimeSessionWindows, WindowAssigner}
import dev.sparkwindowing.spark.{DrivenQuery, Event, SharedSpark}
import org.apache.spark.SparkException
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.functions._
import org.apache.spark.sql.streaming.StreamingQueryException
import org.scalatest.funsuite.AnyFunSuite

import java.time.Duration
import java.util.UUID
import java.util.concurrent.TimeUnit
import java.util.concurrent.atomic.AtomicInteger

/** Expensive objects are built once per core, and not reused if their task failed. */
class TaskPoolSpec extends AnyFunSuite with SharedSpark {
  import TaskPoolSpec._

  // Which of all that were built a task gets, in jobs of one task.
  private def borrowed(key: TaskPool.Key, fails: Boolean = false, from: () => TaskPool = ofExecutor): Int =
    spark.sparkContext
      .parallelize(Seq(1), 1)
      .map { _ =>
        val built = from().borrow(key)(new Built(count.incrementAndGet())).number
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

  private val sessions: WindowAssigner[InternalRow] = EventTimeSessionWindows.withGap(Duration.ofSeconds(10))

  // Ends with what the query does; gives back the run.
  private def run(end: DrivenQuery => Unit): UUID = {
    val q = new DrivenQuery(spark)(events =>
      SparkWindowing
        .keyBy(events, Seq(col("key")))
        .window(sessions)
        .aggregate(sum(when(col("value") < 0, raise_error(lit("as told"))).otherwise(col("value"))).as("total"))
    )
    q.start()
    val run = q.running.runId
    try {
      q.batch(Event.at("a", 1, 1000))
      end(q)
    } finally q.stop()
    run
  }

  for (
    (name, end) <- Seq[(String, DrivenQuery => Unit)](
      "was stopped" -> (_.stop()),
      "has failed"  -> (q => intercept[StreamingQueryException](q.batch(Event.at("a", -1, 2000))))
    )
  ) test(s"of a query that $name nothing is kept") {
    val ended = run(end)
    assert(TaskPool.OfExecutor.holds(ended))
    TaskPool.OfExecutor.dropUnused(System.nanoTime() + TaskPool.KeptFor)
    assert(!TaskPool.OfExecutor.holds(ended))
  }

  test("what no task asks for is dropped in time, and not before") {
    val operator = TaskPool.Operator(UUID.randomUUID(), 0)
    borrowed(operator.of("part"), from = () => patient)
    patient.dropUnused(System.nanoTime())
    assert(patient.holds(operator.run))
    patient.dropUnused(System.nanoTime() + TimeUnit.HOURS.toNanos(1))
    assert(!patient.holds(operator.run))
  }

  test("nobody has to ask for that, again and again") {
    for (_ <- 1 to 3) {
      val operator = TaskPool.Operator(UUID.randomUUID(), 0)
      borrowed(operator.of("part"), from = () => hasty)
      val end = System.nanoTime() + TimeUnit.SECONDS.toNanos(30)
      while (hasty.holds(operator.run) && System.nanoTime() < end) Thread.onSpinWait()
      assert(!hasty.holds(operator.run))
    }
  }
}

object TaskPoolSpec {
  // Of this JVM, where the tasks run too.
  private val ofExecutor: () => TaskPool = () => TaskPool.OfExecutor
  private lazy val patient = new TaskPool(TimeUnit.HOURS.toNanos(1), TimeUnit.HOURS.toMillis(1), most = 10)
  private lazy val hasty   = new TaskPool(TimeUnit.MILLISECONDS.toNanos(1), 1, most = 10)

  private val count = new AtomicInteger
  private final class Built(val number: Int)
}
