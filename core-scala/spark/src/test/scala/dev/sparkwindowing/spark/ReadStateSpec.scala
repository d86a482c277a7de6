package dev.sparkwindowing.spark

import dev.sparkwindowing.assigners.{
  CumulativeEventTimeWindows,
  EventTimeSessionWindows,
  GlobalWindows,
  SlidingEventTimeWindows,
  TumblingEventTimeWindows
}
import dev.sparkwindowing.columns.{ColumnDelta, ColumnTrigger, TriggerAnswer}
import dev.sparkwindowing.evictors.CountEvictor
import dev.sparkwindowing.triggers.{
  AfterWatermark,
  AnyTrigger,
  ContinuousEventTimeTrigger,
  CountTrigger,
  PurgingTrigger
}
import dev.sparkwindowing.{KeyedStream, SparkWindowing}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.functions._
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.{Column, DataFrame, SparkSession}
import org.scalatest.funsuite.AnyFunSuite

import java.nio.file.Files
import java.time.Duration

/** The state of streams, looked into from their checkpoints. */
class ReadStateSpec extends AnyFunSuite with SharedSpark {
  import Event.at

  private val tumbling = TumblingEventTimeWindows.of(Duration.ofSeconds(10))
  private val sliding  = SlidingEventTimeWindows.of(Duration.ofSeconds(20), Duration.ofSeconds(10))

  private val sums: Seq[Column] = Seq(count(lit(1)).as("n"), sum("value").as("total"))

  // The watermark stays a minute behind, so that nothing fires by itself.
  private def query(on: SparkSession = spark)(build: KeyedStream => DataFrame): DrivenQuery =
    new DrivenQuery(on, delay = Some("1 minute"))(events => build(SparkWindowing.keyBy(events, Seq(col("key")))))

  private def after(q: DrivenQuery)(events: Event*): Seq[String] =
    try {
      q.start().batch(events: _*)
      StateText.of(q, spark)
    } finally q.stop()

  // Spark 3.5 ignores the format.
  private val inFormat2 = StateStores.all.tail.map(_._2 + ("checkpointFormatVersion" -> "2"))

  test(
    "sums and counts of tumbling windows, on all state stores, in both formats; the store need not be the session's"
  ) {
    for (settings <- StateStores.all.map(_._2) ++ inFormat2) {
      val session = StateStores.session(spark, settings)
      val q       = query(session)(_.window(tumbling).aggregate(sums: _*))
      assert(
        after(q)(at("a", 1, 2000), at("a", 2, 4000), at("a", 4, 13000), at("b", 5, 3000)) == Seq(
          """a window [0, 10000) contents {"0_count":2,"1_sum":3} event 9999""",
          """a window [10000, 20000) contents {"0_count":1,"1_sum":4} event 19999""",
          """b window [0, 10000) contents {"0_count":1,"1_sum":5} event 9999"""
        )
      )
      val state = SparkWindowing.readState(session, q.checkpoint.toString)
      assert(state.schema("key").dataType.sql == "STRUCT<key: STRING>" && state.count() == 3)
    }
  }

  test("as of an earlier micro-batch; and nothing is left when all is closed") {
    for (settings <- Map.empty[String, String] +: inFormat2) {
      val q = query(StateStores.session(spark, settings))(_.window(tumbling).aggregate(sums: _*))
      try {
        q.start()
        q.batch(at("a", 1, 2000))
        q.batch(at("b", 2, 3000))
        q.watermark(80000)
        q.stop()
        def keys(batch: Option[Long]) = {
          val state = SparkWindowing.readState(spark, q.checkpoint.toString, batchId = batch)
          state.select("key.key").orderBy("key").collect().toSeq.map(_.getString(0))
        }
        assert(keys(Some(0)) == Seq("a"))
        assert(keys(Some(1)) == Seq("a", "b"))
        assert(keys(None) == Nil)
        if (settings.nonEmpty && !spark.version.startsWith("3.")) {
          val error = intercept[IllegalArgumentException](keys(Some(1000)))
          assert(error.getMessage.startsWith("batch_id is 1000, and the micro-batches of "), error)
        }
      } finally q.stop()
    }
  }

  test("sessions, and with a lateness the timers of end and clean-up; firings where panes are remembered") {
    val sessions = EventTimeSessionWindows.withGap(Duration.ofSeconds(5))
    val plain    = query()(_.window(sessions).aggregate(sums: _*))
    assert(
      after(plain)(at("a", 1, 1000), at("a", 2, 4000), at("a", 4, 30000)) == Seq(
        """a window [1000, 9000) contents {"0_count":2,"1_sum":3} event 8999""",
        """a window [30000, 35000) contents {"0_count":1,"1_sum":4} event 34999"""
      )
    )
    val paned = query()(_.window(sessions).allowedLateness(Duration.ofSeconds(30)).withPane().aggregate(sums: _*))
    assert(
      after(paned)(at("a", 1, 1000), at("a", 2, 72000)) == Seq(
        """a window [1000, 6000) contents {"0_count":1,"1_sum":1} firings 1 event 35999""",
        """a window [72000, 77000) contents {"0_count":1,"1_sum":2} firings 0 event 76999"""
      )
    )
  }

  test("a count window says how many it has counted, in the global window") {
    val q = query()(_.countWindow(3).aggregate(sums: _*))
    assert(
      after(q)((1 to 5).map(i => at("a", i, 1000L * i)): _*) ==
        Seq("""a window contents {"0_count":2,"1_sum":9} trigger {"count":2}""")
    )
  }

  test("elements are shown without the key, in their order, and no more than a hundred") {
    val counted = query()(
      _.window(GlobalWindows.create())
        .trigger(CountTrigger.of(100000))
        .evictor(CountEvictor.of[InternalRow](5))
        .aggregate(sums: _*)
    )
    assert(
      after(counted)(at("a", 7, 2000), at("a", 3, 1000), Event("a", 9, null)) == Seq(
        "a window elements 3 contents " +
          """[{"event_time":"1970-01-01T00:00:02.000Z","value":7},{"event_time":"1970-01-01T00:00:01.000Z","value":3},""" +
          """{"event_time":null,"value":9}] trigger {"count":3}"""
      )
    )
    counted.start().batch((1 to 200).map(at("a", _, 3000)): _*)
    counted.stop()
    val row = SparkWindowing.readState(spark, counted.checkpoint.toString).select("elements", "contents").head()
    assert(row.getLong(0) == 203 && "event_time".r.findAllIn(row.getString(1)).size == 100)
  }

  test("elements that were kept before the query had a late side output") {
    var late = false
    val q    = query() { keyed =>
      val windows = keyed.window(tumbling).evictor(CountEvictor.of[InternalRow](5))
      (if (late) windows.sideOutputLateData("late") else windows).aggregate(count(lit(1)).as("n"))
    }
    after(q)(at("a", 7, 2000))
    late = true
    assert(
      after(q)(at("a", 3, 1000)) == Seq(
        "a window [0, 10000) elements 2 contents " +
          """[{"event_time":"1970-01-01T00:00:02.000Z"},{"event_time":"1970-01-01T00:00:01.000Z"}] event 9999"""
      )
    )
  }

  test("slices of overlapping windows, and the windows themselves where every row comes to the operator") {
    val slices = query()(_.window(sliding).aggregate(sums: _*))
    assert(
      after(slices)(at("a", 1, 2000), at("a", 2, 14000)) == Seq(
        """a slice [0, 10000) contents {"0_count":1,"1_sum":1} event 9999""",
        """a slice [10000, 20000) contents {"0_count":1,"1_sum":2} event 19999"""
      )
    )
    val session = spark.newSession()
    session.conf.set("spark.windowing.fastPath", "false")
    assert(
      after(query(session)(_.window(sliding).aggregate(sums: _*)))(at("a", 1, 2000)) == Seq(
        """a window [-10000, 10000) contents {"0_count":1,"1_sum":1} event 9999""",
        """a window [0, 20000) contents {"0_count":1,"1_sum":1} event 19999"""
      )
    )
  }

  test("slices of cumulative windows: those of a window that has fired are one") {
    val windows = CumulativeEventTimeWindows.of(Duration.ofSeconds(40), Duration.ofSeconds(10))
    val q       = query()(_.window(windows).aggregate(sums: _*))
    try {
      q.start().batch(at("a", 1, 2000), at("a", 2, 14000), at("a", 4, 35000))
      assert(
        StateText.of(q, spark) == Seq(
          """a slice [0, 10000) contents {"0_count":1,"1_sum":1} event 9999""",
          """a slice [10000, 20000) contents {"0_count":1,"1_sum":2} event 19999""",
          """a slice [30000, 40000) contents {"0_count":1,"1_sum":4} event 39999"""
        )
      )
      q.start()
      assert(q.watermark(80000).size == 2 && q.batch(at("a", 8, 12000)).isEmpty)
      assert(
        StateText.of(q, spark).filter(_.startsWith("a ")) == Seq(
          """a slice [0, 20000) contents {"0_count":2,"1_sum":3} event 29999""",
          """a slice [10000, 20000) contents {"0_count":1,"1_sum":8} event 29999""",
          """a slice [30000, 40000) contents {"0_count":1,"1_sum":4} event 39999"""
        )
      )
    } finally q.stop()
  }

  test("of bytes that only their function can read there is the number") {
    val q      = query()(_.window(tumbling).aggregate(collect_list("value").as("v"), max("value").as("m")))
    val Seq(a) = after(q)(at("a", 7, 2000))
    assert(a.matches("""a window \[0, 10000\) contents \{"0_buf":\{"bytes":\d+\},"1_max":7\} event 9999"""), a)
  }

  test("what functions keep is a struct: of reduce, and of those on rows") {
    val q = query()(_.window(tumbling).maxBy("value"))
    assert(
      after(q)(at("a", 7, 2000), at("a", 3, 4000)) == Seq(
        """a window [0, 10000) contents {"key":"a","value":7,"ts":"1970-01-01T00:00:02.000Z"} event 9999"""
      )
    )
    val words = query()(_.window(tumbling).aggregate(new LongestWord))
    assert(after(words)(at("a", 2, 2000)) == Seq("""a window [0, 10000) contents {"seen":{"xx":1}} event 9999"""))
  }

  test("what triggers remember has names: the row that a delta compares with, the state of one in columns, parts") {
    val delta = query()(
      _.window(GlobalWindows.create())
        .trigger(ColumnDelta.trigger(5.0, expr("new.value - old.value")))
        .aggregate(sums: _*)
    )
    val Seq(compared) = after(delta)(at("a", 7, 2000), at("a", 9, 4000))
    assert(compared.endsWith("""trigger {"last":{"event_time":"1970-01-01T00:00:02.000Z","value":7}}"""), compared)

    val answers = ColumnTrigger.of(
      struct(lit(0).as("seen")),
      TriggerAnswer.of(fire = lit(false), state = struct((col("state.seen") + col("element.value")).as("seen")))
    )
    val Seq(summed) =
      after(query()(_.window(tumbling).trigger(answers).aggregate(sums: _*)))(at("a", 7, 2000), at("a", 9, 4000))
    assert(summed.contains("""trigger {"state":{"seen":16}}"""), summed)

    val parts     = AnyTrigger.of[Any](CountTrigger.of(9), ContinuousEventTimeTrigger.of(Duration.ofSeconds(3)))
    val Seq(both) = after(query()(_.window(tumbling).trigger(parts).aggregate(sums: _*)))(at("a", 7, 2000))
    assert(
      both.contains("""trigger {"1.count":1,"2.next_firing":"1970-01-01T00:00:03.000Z","timers":{"bytes":"""),
      both
    )
  }

  test("a timer of the clock") {
    val q = query()(_.window(tumbling).trigger(AfterWatermark.of(early = Duration.ofSeconds(7))).aggregate(sums: _*))
    assert(
      after(q)(at("a", 7, 2000)) == Seq(
        """a window [0, 10000) contents {"0_count":1,"1_sum":7} trigger {"pending":1,"processing_timer":"1970-01-01T00:16:41.000Z"}""" +
          " event 9999 processing 1001000"
      )
    )
  }

  test("functions on elements and timers: the key's state by name, its timers, no window") {
    val q = new DrivenQuery(spark, delay = Some("1 minute"))(events =>
      SparkWindowing.keyBy(events, Seq(col("key"))).process(new Silence, StructType.fromDDL("why string, n bigint"))
    )
    assert(
      after(q)(at("a", 7, 2000)) ==
        Seq("""a key state {"count":{"bytes":1},"due":{"bytes":2}} event 7000 processing 1010000""")
    )
  }

  test("state of a function of windows: that of the window beside it, that of the key in a row of its own") {
    val q = query()(
      _.window(tumbling)
        .trigger(PurgingTrigger.of[Any](CountTrigger.of(1)))
        .process(new RunningSum(true), StructType.fromDDL("now bigint, total bigint, firings int, watermark bigint"))
    )
    val Seq(key, window) = after(q)(at("a", 7, 2000))
    assert(key.matches("""a key state \{"firings":\{"bytes":\d+\}\}"""), key)
    assert(window == """a window [0, 10000) state {"sum":{"bytes":1}} event 9999""")
  }

  test("of several window operators one is chosen") {
    val q = new DrivenQuery(spark, delay = Some("1 minute"))({ events =>
      val inner = SparkWindowing.keyBy(events, Seq(col("key"))).window(tumbling).aggregate(sums: _*)
      SparkWindowing.keyBy(inner, Seq(col("key"))).timeWindow(Duration.ofMinutes(1)).aggregate(sum("n").as("n"))
    })
    try {
      q.start().batch(at("a", 1, 2000), at("a", 1, 70000))
      q.settle()
      val states = Seq(0L, 1L).map(id => StateText.of(q, spark, Some(id)))
      assert(
        states.toSet == Set(
          Seq("""a window [70000, 80000) contents {"0_count":1,"1_sum":1} event 79999"""),
          Seq("""a window [0, 60000) contents {"0_sum":1} event 59999""")
        )
      )
      refused(q.checkpoint.toString, None, "choose one with operatorId, 0 or 1")
      refused(q.checkpoint.toString, Some(2), "operatorId is 2, and the window operators of")
      refused(q.checkpoint.toString, Some(-1), "operatorId must be 0 or more, got -1")
    } finally q.stop()
  }

  private def refused(checkpoint: String, operator: Option[Long], why: String): Unit = {
    val e = intercept[IllegalArgumentException](SparkWindowing.readState(spark, checkpoint, operator))
    assert(e.getMessage.contains(why), e.getMessage)
  }

  test("a folder without the state of a window is refused by name") {
    val empty = Files.createTempDirectory("empty").toString
    refused(empty, None, s"$empty holds no state of a window operator")
    refused(s"$empty/nowhere", None, "there is no state/<operator>/_window/specification in it")
  }

  test("without its layout the state is refused, until the query has started again") {
    val q = query()(_.window(tumbling).aggregate(sums: _*))
    after(q)(at("a", 1, 2000))
    val layout = q.checkpoint.resolve("state/0/_window/layout")
    Files.writeString(layout, "nonsense\n")
    refused(q.checkpoint.toString, None, "layout cannot be read")
    Files.delete(layout)
    refused(q.checkpoint.toString, None, "start the query once with this version")
    assert(after(q)(at("a", 2, 3000)) == Seq("""a window [0, 10000) contents {"0_count":2,"1_sum":3} event 9999"""))
  }
}
