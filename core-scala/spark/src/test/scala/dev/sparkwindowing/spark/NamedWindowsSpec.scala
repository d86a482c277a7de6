package dev.sparkwindowing.spark

import dev.sparkwindowing.assigners._
import dev.sparkwindowing.evictors.CountEvictor
import dev.sparkwindowing.spark.links.OperatorSetting
import dev.sparkwindowing.spark.plan.PreAggregation
import dev.sparkwindowing.triggers.CountTrigger
import dev.sparkwindowing.{KeyedStream, SparkWindowing, WindowedStream}
import org.apache.spark.sql.functions._
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.{DataFrame, SparkSession}
import org.scalatest.funsuite.AnyFunSuite

import java.time.Duration
import java.time.Duration.{ofMinutes, ofSeconds}
import scala.util.Random

/** Windows of several names over one stream: the rows of one query for each name. */
class NamedWindowsSpec extends AnyFunSuite with SharedSpark {
  import Event.at

  private type Named = Seq[(String, WindowAssigner[Any])]

  private val sizes: Named = Seq(
    "ten"   -> TumblingEventTimeWindows.of(ofSeconds(10)),
    "half"  -> SlidingEventTimeWindows.of(ofSeconds(30), ofSeconds(7)),
    "steps" -> CumulativeEventTimeWindows.of(ofMinutes(2), ofSeconds(20)),
    "day"   -> CalendarWindows.days()
  )

  private def keyed(rows: DataFrame): KeyedStream = SparkWindowing.keyBy(rows, Seq(col("key")), Some(col("ts")))

  private def counted(windows: WindowedStream): DataFrame =
    windows.aggregate(count(lit(1)).as("n"), sum("value").as("total"), max("value").as("most"))

  private def together(rows: DataFrame): DataFrame = counted(keyed(rows).windows(sizes: _*))

  // A query of its own for each name, and its rows with the name.
  private def alone(name: String)(rows: DataFrame): DataFrame = {
    val result        = counted(keyed(rows).window(sizes.toMap.apply(name)))
    val (key, others) = result.columns.toSeq.splitAt(2)
    result.select((key.map(col) :+ lit(name).as("window_name")) ++ others.map(col): _*)
  }

  private def timeLine(seed: Int): Seq[Event] = {
    val random = new Random(seed)
    Seq
      .tabulate(120)(i => at(s"k${random.nextInt(3)}", random.nextInt(9), i * 2500L + random.nextInt(60000).toLong))
      .map(e => if (random.nextInt(40) == 0) Event(e.key, e.value, null) else e)
  }

  private def setting(name: String, value: String): SparkSession = {
    val own = spark.newSession()
    own.conf.set(name, value)
    own
  }

  private def settings: Seq[(String, SparkSession)] =
    StateStores.all.take(2).map { case (name, of) => name -> StateStores.session(spark, of) } ++ Seq(
      "row by row"   -> setting(PreAggregation.Setting, "false"),
      "the portable" -> setting(OperatorSetting.Name, OperatorSetting.Portable)
    )

  for (((name, own), seed) <- settings.zipWithIndex) {
    val batches = timeLine(seed).grouped(15).toSeq

    // What each micro-batch puts out, with restarts, and the number of late rows.
    def played(build: DataFrame => DataFrame): (Seq[Seq[String]], Long) = {
      val q = new DrivenQuery(own, delay = Some("20 seconds"))(build)
      try {
        q.start()
        var late      = 0L
        def counted() = for (p <- q.running.recentProgress; o <- p.stateOperators.headOption)
          late += Option(o.customMetrics.get("numLateRecordsDropped")).fold(0L)(_.longValue)
        val out = batches.zipWithIndex.map { case (batch, i) =>
          if (i == 2 || i == 5) {
            counted()
            q.restart()
          }
          WindowText.of(q.batch(batch: _*))
        } :+ WindowText.of(q.watermark(2 * 86400000L))
        counted()
        (out, late)
      } finally q.stop()
    }

    test(s"on a stream with restarts: the same in each micro-batch as a query for each name, $name") {
      val (got, late) = played(together)
      val single      = sizes.map { case (name, _) => played(alone(name)) }
      val expected    = single.map(_._1).transpose.map(_.flatten.sorted)
      assert(late == single.map(_._2).sum && (late > 0 || name == "the portable"))
      assert(got.map(_.sorted) == expected)
      assert(got.flatten.exists(_.contains(" day ")) && got.flatten.size > 100)
    }
  }

  test("on a static DataFrame, with a time zone of the session and one of its own") {
    val berlin = setting("spark.sql.session.timeZone", "Europe/Berlin")
    val rows   = berlin.createDataFrame(timeLine(9)).drop("tick")
    val got    = WindowText.of(together(rows).collect().toSeq)
    assert(got.sorted == sizes.flatMap { case (name, _) => WindowText.of(alone(name)(rows).collect().toSeq) }.sorted)
    assert(got.exists(_.contains("[-3600000, 82800000) day")), got)
  }

  test("a row that is late for some names is in the windows of the others, and each name has its late rows") {
    val q = new DrivenQuery(spark)(events => {
      val windows = keyed(events)
        .windows(
          "ten"    -> TumblingEventTimeWindows.of(ofSeconds(10)),
          "minute" -> TumblingEventTimeWindows.of(ofMinutes(1))
        )
        .sideOutputLateData("late")
      val result = windows.aggregate(sum("value").as("total"))
      val late   = SparkWindowing.sideOutput(result, "late")
      late.select(col("key"), col("missed_window").as("window"), col("window_name"), col("value"), col("late_by_ms"))
    })
    try {
      q.start().batch(at("a", 1, 1000))
      q.watermark(30000)
      assert(WindowText.of(q.batch(at("a", 2, 2000))) == Seq("a [0, 10000) ten 2 27999"))
      q.watermark(60000)
      assert(WindowText.of(q.batch(at("a", 4, 3000))) == Seq("a [0, 10000) ten 4 56999", "a [0, 60000) minute 4 56999"))
    } finally q.stop()
  }

  test("the state has a slice for each open window, which readState shows with its next firing") {
    val minutes = Seq("minute" -> ofMinutes(1), "hour" -> ofMinutes(60)).map { case (n, s) =>
      n -> TumblingEventTimeWindows.of(s)
    }
    val q = new DrivenQuery(spark)(events => keyed(events).windows(minutes: _*).aggregate(count(lit(1)).as("n")))
    try {
      q.start()
      for (minute <- 0 until 10) {
        q.batch(at("a", 1, minute * 60000L + 1000))
        q.watermark(minute * 60000L + 59999)
      }
      q.batch(at("a", 1, 601000))
      assert(
        StateText.of(q, spark) == Seq(
          "a slice [0, 600000) contents {\"0_count\":10} event 3599999",
          "a slice [600000, 660000) contents {\"0_count\":1} event 659999"
        )
      )
      assert(q.start().watermark(3600000).map(_.getLong(3)) == Seq(1L, 11L))
    } finally q.stop()
  }

  test("explain names the windows, and a query with other windows is refused on the checkpoint") {
    Changing(spark)(together) { c =>
      c.driven.batch(at("a", 1, 1000))
      val without = c.refused(events => counted(keyed(events).windows(sizes.init: _*)))
      assert(without.contains("day"), without)
      val other = sizes.map { case (n, w) =>
        if (n == "ten") n -> TumblingEventTimeWindows.of(ofSeconds(5)) else n -> w
      }
      assert(
        c.refused(events => counted(keyed(events).windows(other: _*))).contains("assigner.ten.size: was 10 s, is 5 s")
      )
    }
    val explained = SparkWindowing.explain(together(spark.createDataFrame(Seq(at("a", 1, 1))).drop("tick")))
    assert(explained.contains("kept: slices that the windows of ten, half, steps, day share"), explained)
    assert(explained.contains("path: aggregated by slices of windows before the exchange"), explained)
  }

  test("refused by name: other parts and functions, and names that are none") {
    val rows                             = spark.createDataFrame(Seq(at("a", 1, 1000))).drop("tick")
    val windows                          = keyed(rows).windows(sizes: _*)
    def says(text: String)(call: => Any) = {
      val error = intercept[RuntimeException](call)
      assert(error.getMessage.contains(text), error)
    }
    says("CountTrigger(2) cannot be used with NamedWindows(")(counted(windows.trigger(CountTrigger.of(2))))
    says("an allowed lateness of 1 s cannot be used with")(counted(windows.allowedLateness(ofSeconds(1))))
    says("CountEvictor(2) cannot be used with")(counted(windows.evictor(CountEvictor.of(2))))
    says("fill_empty (fillEmpty in Scala) cannot be used with")(counted(windows.fillEmpty(Duration.ofDays(2))))
    says("collapseFirings: each window")(counted(windows.collapseFirings()))
    says("take aggregates whose result does not depend on the order")(windows.aggregate(first("value").as("v")))
    says("windows: process would be of several windows")(windows.process(new Counted, StructType.fromDDL("n INT")))
    says("half is SlidingEventTimeWindows(1 s, 2 s)")(
      keyed(rows).windows("half" -> SlidingEventTimeWindows.of(ofSeconds(1), ofSeconds(2)))
    )
    says("gap is EventTimeSessionWindows.withGap(1 s)")(
      keyed(rows).windows("gap" -> EventTimeSessionWindows.withGap(ofSeconds(1)))
    )
    says("the name 'a' comes twice")(
      keyed(rows).windows("a" -> CalendarWindows.days(), "a" -> TumblingEventTimeWindows.of(ofSeconds(1)))
    )
    says("takes at least one name")(keyed(rows).windows())
    says("has no name")(keyed(rows).windows(" " -> CalendarWindows.days()))
    says("two columns 'window_name'")(windows.aggregate(sum("value").as("window_name")))
  }
}
