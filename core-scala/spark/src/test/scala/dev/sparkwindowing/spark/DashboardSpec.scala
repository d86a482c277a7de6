package dev.sparkwindowing.spark

import dev.sparkwindowing.assigners.TumblingEventTimeWindows
import dev.sparkwindowing.triggers.{
  AfterWatermark,
  AnyTrigger,
  ContinuousEventTimeTrigger,
  ContinuousProcessingTimeTrigger,
  CountTrigger,
  EventTimeTrigger,
  OnceTrigger,
  PurgingTrigger,
  Trigger
}
import dev.sparkwindowing.{SparkWindowing, WindowedStream}
import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.functions._
import org.scalatest.funsuite.AnyFunSuite

import java.time.Duration

/** Vehicles per toll gate, counted in ten-second windows: event time and processing time in one running query.
  * Processing time starts at 1,000,000 ms. A processing-time timer fires in the first micro-batch after its time.
  */
class DashboardSpec extends AnyFunSuite with SharedSpark {
  import Event.at

  private def windows(trigger: Trigger[Any])(events: DataFrame): WindowedStream =
    SparkWindowing
      .keyBy(events, Seq(col("key")))
      .window(TumblingEventTimeWindows.of(Duration.ofSeconds(10)))
      .trigger(trigger)
      .allowedLateness(Duration.ofMinutes(2))

  private def vehicles(trigger: Trigger[Any])(events: DataFrame): DataFrame =
    windows(trigger)(events).aggregate(count(lit(1)).as("n"))

  private def running(trigger: Trigger[Any])(test: DrivenQuery => Unit): Unit = {
    val q = new DrivenQuery(spark)(vehicles(trigger))
    try test(q.start())
    finally q.stop()
  }

  private def seconds(n: Long) = Duration.ofSeconds(n)

  test("early results at multiples of the interval while something is new, one on time, then one a late row") {
    running(AfterWatermark.of(early = seconds(30))) { q =>
      assert(q.batch(at("g", 1, 1000), at("g", 1, 2000)) == Nil)
      q.clock.advance(20001)
      assert(WindowText.of(q.settle()) == Seq("g [0, 10000) 2"))
      q.clock.advance(30000)
      assert(q.settle() == Nil, "nothing new came")
      q.batch(at("g", 1, 3000))
      q.clock.advance(30000)
      assert(WindowText.of(q.settle()) == Seq("g [0, 10000) 3"))
      assert(WindowText.of(q.watermark(10000)) == Seq("g [0, 10000) 3"), "on time, also without anything new")
      assert(WindowText.of(q.batch(at("g", 1, 4000))) == Seq("g [0, 10000) 4"), "late")
      assert(q.watermark(130000) == Nil)
      assert(q.metric("openWindows") == 0)
    }
  }

  test("late rows are gathered for the interval of the clock, and what is left fires when the window is cleaned up") {
    running(AfterWatermark.of(late = seconds(30))) { q =>
      q.batch(at("g", 1, 1000))
      assert(WindowText.of(q.watermark(10000)) == Seq("g [0, 10000) 1"))
      assert(q.batch(at("g", 1, 2000), at("g", 1, 3000)) == Nil)
      q.clock.advance(20001)
      assert(WindowText.of(q.settle()) == Seq("g [0, 10000) 3"))
      assert(q.batch(at("g", 1, 4000)) == Nil)
      assert(WindowText.of(q.watermark(130000)) == Seq("g [0, 10000) 4"))
    }
  }

  test("a key that has gone silent fires by the clock, also after a restart") {
    running(AfterWatermark.of(early = seconds(30))) { q =>
      q.batch(at("silent", 1, 1000), at("g", 1, 1000))
      q.clock.advance(20001)
      assert(WindowText.of(q.settle()) == Seq("g [0, 10000) 1", "silent [0, 10000) 1"))
      q.batch(at("silent", 1, 2000))
      q.restart()
      q.clock.advance(30000)
      // After a restart the query checks processing-time timers with the first row that arrives.
      assert(WindowText.of(q.batch(at("g", 1, 3000))) == Seq("silent [0, 10000) 2"))
    }
  }

  test("Flink's ContinuousProcessingTimeTrigger as it is: the clock is behind the end of the window, so one firing") {
    running(ContinuousProcessingTimeTrigger.of(seconds(30))) { q =>
      assert(q.batch(at("g", 1, 1000)) == Nil)
      q.clock.advance(2)
      assert(WindowText.of(q.settle()) == Seq("g [0, 10000) 1"))
      q.clock.advance(60000)
      assert(WindowText.of(q.batch(at("g", 1, 2000))) == Nil)
      assert(q.watermark(10000) == Nil, "its close fires nothing")
    }
  }

  test("windows that lie ahead of the clock fire at each multiple of the interval, whether something is new or not") {
    running(ContinuousProcessingTimeTrigger.of(seconds(30))) { q =>
      assert(q.batch(at("g", 1, 2000000000)) == Nil)
      q.clock.advance(20001)
      assert(WindowText.of(q.settle()) == Seq("g [2000000000, 2000010000) 1"))
      q.clock.advance(30000)
      assert(WindowText.of(q.settle()) == Seq("g [2000000000, 2000010000) 1"))
    }
  }

  test("whichever comes first: two rows or the end of the window") {
    running(AnyTrigger.of[Any](EventTimeTrigger.create(), PurgingTrigger.of[Any](CountTrigger.of(2)))) { q =>
      assert(WindowText.of(q.batch((1 to 5).map(i => at("g", 1, i * 1000L)): _*)) == Seq.fill(2)("g [0, 10000) 2"))
      assert(WindowText.of(q.watermark(10000)) == Seq("g [0, 10000) 1"))
    }
  }

  test("the first firing only") {
    running(OnceTrigger.of[Any](CountTrigger.of(1))) { q =>
      assert(WindowText.of(q.batch(at("g", 1, 1000), at("g", 1, 2000))) == Seq("g [0, 10000) 1"))
      assert(q.batch(at("g", 1, 3000)) == Nil)
    }
  }

  test("each result says which of its window it is and when it fired, also behind a restart") {
    val q = new DrivenQuery(spark)(
      windows(AfterWatermark.of(early = seconds(30)))(_).withPane().aggregate(count(lit(1)).as("n"))
    )
    try {
      q.start()
      q.batch(at("g", 1, 1000))
      q.clock.advance(20001)
      assert(WindowText.of(q.settle()) == Seq("g [0, 10000) (early 0 false 1020001 []) 1"))
      q.restart()
      assert(WindowText.of(q.watermark(10000)) == Seq("g [0, 10000) (on_time 1 false 1020001 []) 1"))
      assert(WindowText.of(q.batch(at("g", 1, 4000))) == Seq("g [0, 10000) (late 2 false 1020001 []) 2"))
      q.watermark(130000)
      assert(q.metric("openWindows") == 0)
    } finally q.stop()
  }

  test("a watermark that jumps brings one row a window if equal firings are collapsed, and counts one") {
    val q = new DrivenQuery(spark)(
      windows(ContinuousEventTimeTrigger.of(seconds(1)))(_).collapseFirings().aggregate(count(lit(1)).as("n"))
    )
    try {
      q.start()
      q.batch(at("g", 1, 1000), at("h", 1, 2000))
      assert(WindowText.of(q.watermark(3600000)) == Seq("g [0, 10000) 1", "h [0, 10000) 1"))
      assert(q.metric("firedPanes") == 2)
    } finally q.stop()
  }
}
