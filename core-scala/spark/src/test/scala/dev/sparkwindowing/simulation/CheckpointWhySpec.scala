package dev.sparkwindowing.simulation

import dev.sparkwindowing.api._
import dev.sparkwindowing.simulation.{Why => Answer}
import dev.sparkwindowing.spark.{DrivenQuery, Event, SharedSpark}
import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.functions._
import org.scalatest.funsuite.AnyFunSuite

import java.sql.Timestamp

/** What became of a row, from the checkpoint of its query. */
class CheckpointWhySpec extends AnyFunSuite with SharedSpark {
  import Event.at

  private def running(build: DataFrame => DataFrame, delay: Option[String] = Some("0 seconds"))(
      test: (DrivenQuery, (String, Long) => Answer) => Unit
  ): Unit = {
    val q   = new DrivenQuery(spark, delay = delay)(build)
    val why = (key: String, millis: Long) =>
      Why.inCheckpoint(build(q.events), q.checkpoint.toString, Seq(key, 1, new Timestamp(millis)))
    try test(q.start(), why)
    finally { val _ = q.stop() }
  }

  private def told(why: Answer): Seq[(String, String)] = why.windows.map(w => w.state -> w.waitsFor.getOrElse(""))

  private val total = sum("value").as("total")

  private def in(windows: KeyedStream => WindowedStream)(events: DataFrame): DataFrame =
    windows(events.keyBy("key")).aggregate(total)

  private val tumbling = (k: KeyedStream) => k.window(TumblingEventTimeWindows.of("10 seconds"))

  test("a window is open with its contents, then cleared, or not known") {
    running(in(tumbling)) { (q, why) =>
      q.batch(at("a", 1, 2000), at("a", 2, 3000), at("b", 4, 1000))
      q.watermark(5000)
      assert(
        why("a", 2000).toString ==
          """The row of the key [a] has the event time 1970-01-01 00:00:02. The checkpoint is that of micro-batch 1, at the watermark 1970-01-01 00:00:04.999.
            |[1970-01-01 00:00:00, 1970-01-01 00:00:10): it is open, with {"0_sum":3}. It waits for the watermark to reach 1970-01-01 00:00:09.999: it is 1970-01-01 00:00:04.999, 5 s before""".stripMargin
      )
      assert(told(why("a", 12000)) == Seq("unknown" -> ""))
      assert(told(why("c", 2000)) == Seq("unknown" -> ""))
      q.watermark(10000)
      q.stop()
      assert(told(why("a", 2000)) == Seq("cleared" -> ""))
      assert(
        why("a", 2000).toString.contains("Whether it had the row is unknown: a checkpoint does not keep what has fired")
      )
      assert(why("a", 12000).toString.contains("no row of it has been taken yet, or a trigger has purged it"))
    }
  }

  test("a window is kept for late rows; a trigger of rows waits for rows") {
    running(in(k => tumbling(k).allowedLateness("1 minute"))) { (q, why) =>
      q.batch(at("a", 1, 2000))
      q.watermark(10000)
      assert(
        told(why("a", 2000)) ==
          Seq(
            "open" -> "late rows, until the watermark reaches 1970-01-01 00:01:09.999: it is 1970-01-01 00:00:09.999, 1 min before"
          )
      )
    }
    running(in(_.countWindow(3))) { (q, why) =>
      q.batch(at("a", 1, 2000))
      assert(told(why("a", 2000)) == Seq("open" -> "its trigger, PurgingTrigger(CountTrigger(3))"))
    }
  }

  test("sessions as they have merged, windows in slices, and that of the row among over windows") {
    running(in(_.window(EventTimeSessionWindows.withGap("5 seconds")))) { (q, why) =>
      q.batch(at("a", 1, 2000), at("a", 1, 6000))
      assert(why("a", 3000).toString.contains("[1970-01-01 00:00:02, 1970-01-01 00:00:11): it is open"))
    }
    running(in(_.window(SlidingEventTimeWindows.of("10 seconds", slide = "5 seconds")))) { (q, why) =>
      q.batch(at("a", 1, 2000))
      assert(told(why("a", 2000)).map(_._1) == Seq("open", "open"))
      q.watermark(6000)
      assert(told(why("a", 2000)).map(_._1) == Seq("cleared", "open"))
    }
    running(in(_.window(OverEventTimeWindows.preceding("5 seconds")))) { (q, why) =>
      q.batch(at("a", 1, 2000), at("a", 1, 4000))
      q.watermark(3000)
      assert(told(why("a", 2000)).map(_._1) == Seq("cleared"))
      assert(told(why("a", 4000)).map(_._1) == Seq("open"))
      assert(told(why("a", 5000)).map(_._1) == Seq("unknown"))
    }
  }

  test("refused: windows of the time at which rows came, and those of a number of rows") {
    running(in(_.window(OverEventTimeWindows.precedingRows(2)))) { (q, _) =>
      q.batch(at("a", 1, 2000))
      def said(windows: KeyedStream => WindowedStream) = intercept[UnsupportedOperationException](
        Why.inCheckpoint(in(windows)(q.events), q.checkpoint.toString, Seq("a", 1, new Timestamp(0)))
      ).getMessage
      assert(said(_.window(OverEventTimeWindows.precedingRows(2))).contains("ask a run of simulate"))
      assert(said(_.window(ProcessingTimeSessionWindows.withGap("1 second"))).contains("the time at which it came"))
    }
  }

  test("of a watermark by partition the partition is named that holds it back") {
    val strategy                            = WatermarkStrategy.forMonotonousTimestamps()
    def build(events: DataFrame): DataFrame = in(tumbling)(
      SparkWindowing.assignTimestampsAndWatermarks(events, strategy, "ts", col("value").cast("string"))
    )
    running(build, delay = None) { (q, why) =>
      q.batch(at("a", 0, 60000), at("a", 1, 3000))
      val waits = told(why("a", 3000)).map(_._2)
      assert(waits.size == 1 && waits.head.startsWith("the watermark to reach 1970-01-01 00:00:09.999"), waits)
      assert(waits.head.endsWith(", held back by partition 1"), waits)
    }
  }

  test("refused: what is no checkpoint of windows, and a row that does not fit") {
    running(in(tumbling)) { (q, why) =>
      q.batch(at("a", 1, 2000))
      val result                                 = in(tumbling)(q.events)
      def refusal(checkpoint: String, row: Any*) =
        intercept[IllegalArgumentException](Why.inCheckpoint(result, checkpoint, row)).getMessage
      assert(refusal("/no/such/place", "a", 1, new Timestamp(0)).contains("holds no complete micro-batch"))
      assert(refusal(q.checkpoint.toString, "a").contains("has 1 value"))
      assert(why("a", 2000).windows.size == 1)
    }
  }
}
