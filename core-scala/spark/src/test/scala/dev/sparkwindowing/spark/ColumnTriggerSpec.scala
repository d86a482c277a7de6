package dev.sparkwindowing.spark

import dev.sparkwindowing.SparkWindowing
import dev.sparkwindowing.assigners.{EventTimeSessionWindows, GlobalWindows, WindowAssigner}
import dev.sparkwindowing.columns.{ColumnTrigger, TriggerAnswer}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.functions._
import org.scalatest.funsuite.AnyFunSuite

import java.time.Duration

/** A trigger that is written in columns, with a state and timers of its own, on a stream. */
class ColumnTriggerSpec extends AnyFunSuite with SharedSpark {
  import Event.at

  // Ten seconds of processing time after the last row, and again while no row arrives.
  private def due(from: String) = expr(s"$from + interval 10 seconds")

  private val whileSilent = ColumnTrigger.of(
    state = struct(lit(null).as("due")),
    onElement = TriggerAnswer.of(
      state = struct(due("processing_time").as("due")),
      processingTimer = due("processing_time"),
      deleteProcessingTimer = expr("state.due")
    ),
    onProcessingTime = TriggerAnswer.of(
      fire = lit(true),
      state = struct(due("time").as("due")),
      processingTimer = due("time")
    ),
    onMerge = TriggerAnswer.of(
      state = struct(array_max(expr("states.due")).as("due")),
      processingTimer = array_max(expr("states.due"))
    )
  )

  private def query(assigner: WindowAssigner[InternalRow]) =
    new DrivenQuery(spark, delay = Some("10 seconds"))(events =>
      SparkWindowing
        .keyBy(events, Seq(col("key")))
        .window(assigner)
        .trigger(whileSilent)
        .aggregate(collect_list("value").as("values"))
    )

  for (stops <- Seq(false, true))
    test(s"again and again while no row comes${if (stops) ", stopped between all micro-batches" else ""}") {
      val q                                = query(GlobalWindows.create())
      def later(millis: Long): Seq[String] = {
        q.clock.advance(millis)
        WindowText.of(if (stops) q.restart().batch(at("other", 0, 0)) else q.settle())
      }
      try {
        q.start()
        q.batch(at("a", 1, 1000))
        assert(later(6000) == Nil)
        q.batch(at("a", 2, 2000))
        assert(later(6000).filter(_.startsWith("a")) == Nil)
        assert(later(4001).filter(_.startsWith("a")) == Seq("a null [1 2]"))
        assert(later(10000).filter(_.startsWith("a")) == Seq("a null [1 2]"))
      } finally q.stop()
    }

  test("sessions that join keep the last of their times, and leave nothing behind") {
    val q = query(EventTimeSessionWindows.withGap(Duration.ofSeconds(4)))
    try {
      q.start()
      q.batch(at("a", 1, 1000))
      q.clock.advance(3000)
      q.batch(at("a", 2, 7000))
      q.batch(at("a", 3, 4000))
      q.clock.advance(9000)
      assert(q.settle() == Nil)
      q.clock.advance(1001)
      assert(WindowText.of(q.settle()) == Seq("a [1000, 11000) [1 2 3]"))
      assert(q.watermark(60000) == Nil)
      assert(q.metric("openWindows") == 0 && q.metric("processingTimers") == 0)
      q.clock.advance(60000)
      assert(q.settle() == Nil)
    } finally q.stop()
  }

  test("what cannot be is refused") {
    def refused(make: => Any): String = intercept[IllegalArgumentException](make).getMessage
    assert(refused(ColumnTrigger.of()).contains("has no answer"))
    assert(refused(ColumnTrigger.of(onMerge = TriggerAnswer.of())).contains("has no answer"))
    val fires = TriggerAnswer.of(fire = lit(true))
    assert(refused(ColumnTrigger.of(onElement = fires, onMerge = fires)).contains("onMerge cannot fire or purge"))
    val stateless = refused(
      ColumnTrigger.of(struct(lit(0).as("n")), onElement = fires, onMerge = TriggerAnswer.of())
    )
    assert(stateless.contains("onMerge gives no state"))
  }
}
