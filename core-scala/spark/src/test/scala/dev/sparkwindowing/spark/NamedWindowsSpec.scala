package dev.sparkwindowing.spark

import dev.sparkwindowing.assigners._
import dev.sparkwindowing.evictors.CountEvictor
import dev.sparkwindowing.spark.links.OperatorSetting
import dev.sparkwindowing.spark.plan.PreAggregation
import dev.sparkwindowing.triggers.{AfterWatermark, CountTrigger, FiringInterval}
import dev.sparkwindowing.{KeyedStream, SparkWindowing, WindowedStream}
import org.apache.spark.sql.functions._
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.{Column, DataFrame, SparkSession}
import org.scalatest.funsuite.AnyFunSuite

import java.time.Duration
import java.time.Duration.{ofMinutes, ofSeconds}
import scala.util.Random

/** Windows of several names over one stream: the rows of one query for each name. */
class NamedWindowsSpec extends AnyFunSuite with SharedSpark {
  import Event.at

  private type Named = Seq[(String, WindowAssigner[Any])]

  private val ten: (String, WindowAssigner[Any])  = "ten"  -> TumblingEventTimeWindows.of(ofSeconds(10))
  private val half: (String, WindowAssigner[Any]) = "half" -> SlidingEventTimeWindows.of(ofSeconds(30), ofSeconds(7))
  private val gap: (String, WindowAssigner[Any])  = "gap"  -> EventTimeSessionWindows.withGap(ofSeconds(4))

  private val sizes: Named = Seq(
    ten,
    half,
    "steps" -> CumulativeEventTimeWindows.of(ofMinutes(2), ofSeconds(20)),
    "day"   -> CalendarWindows.days()
  )

  /** Windows with their settings and what they compute. */
  private case class Declared(names: Named, set: WindowedStream => WindowedStream, compute: Seq[Column]) {
    def together(rows: DataFrame): DataFrame = set(keyed(rows).windows(names: _*)).aggregate(compute: _*)

    /** A query of its own for a name, and its rows with the name. */
    def alone(name: String)(rows: DataFrame): DataFrame = {
      val result = names.toMap.apply(name) match {
        // They take no other trigger.
        case counts: CountWindows =>
          keyed(rows.where(col("ts").isNotNull)).countWindow(counts.size).withPane().aggregate(compute: _*)
        case windows => set(keyed(rows).window(windows)).aggregate(compute: _*)
      }
      val (key, others) = result.columns.toSeq.splitAt(2)
      result.select((key.map(col) :+ lit(name).as("window_name")) ++ others.map(col): _*)
    }
  }

  private val sums: Seq[Column] =
    Seq(count(lit(1)).as("n"), sum("value").as("total"), max("value").as("most"))

  private val grids    = Declared(sizes, identity, sums)
  private val sessions = Declared(
    Seq(ten, gap, "short" -> EventTimeSessionWindows.withGap(ofSeconds(4)).withMaxLength(ofSeconds(9))),
    identity,
    sums
  )
  private val early = Declared(
    Seq(ten, half, gap),
    _.trigger(AfterWatermark.of(FiringInterval.MicroBatch, FiringInterval.MicroBatch))
      .allowedLateness(ofSeconds(15))
      .withPane(),
    sums
  )
  private val evicting =
    Declared(Seq(ten, half), _.trigger(CountTrigger.of(2)).evictor(CountEvictor.of(3)).collapseFirings(), sums)
  private val changing = Declared(Seq(ten, half), _.allowedLateness(ofSeconds(20)).changelog(before = true), sums)
  private val filled   = Declared(Seq(ten, half), _.fillEmpty(ofMinutes(1)), sums)
  private val counts   = Declared(
    Seq(ten, "six" -> CountWindows.of(6), half),
    _.trigger(AfterWatermark.of(FiringInterval.MicroBatch, FiringInterval.MicroBatch)).withPane(),
    sums
  )
  private val ordered = Declared(Seq(ten, half, gap), identity, Seq(collect_list("value").as("all")))

  private def keyed(rows: DataFrame): KeyedStream = SparkWindowing.keyBy(rows, Seq(col("key")), Some(col("ts")))

  private def counted(windows: WindowedStream): DataFrame = windows.aggregate(sums: _*)

  private def together(rows: DataFrame): DataFrame = grids.together(rows)

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

  private def storing(number: Int): SparkSession = StateStores.session(spark, StateStores.all(number)._2)
  private def portable: SparkSession             = setting(OperatorSetting.Name, OperatorSetting.Portable)

  private val cases: Seq[(String, Declared, SparkSession)] = Seq(
    ("grids, on RocksDB", grids, storing(1)),
    ("grids, row by row", grids, setting(PreAggregation.Setting, "false")),
    ("grids, by the portable operator", grids, portable),
    ("sessions beside a grid", sessions, storing(0)),
    ("early and late firings with panes", early, storing(1)),
    ("an evictor, and firings that repeat others", evicting, storing(0)),
    ("changes", changing, storing(0)),
    ("windows without rows", filled, storing(0)),
    ("counts beside grids, with a trigger of the grids", counts, storing(0)),
    ("lists in order", ordered, storing(1))
  )

  for (((name, declared, own), seed) <- Cases.each(2)(cases.zipWithIndex)) {
    val batches = timeLine(seed).grouped(40).toSeq

    // Output of each micro-batch, with a restart, and the number of late rows.
    def played(build: DataFrame => DataFrame): (Seq[Seq[String]], Long) = {
      val q = new DrivenQuery(own, delay = Some("20 seconds"))(build)
      try {
        q.start()
        var late      = 0L
        def counted() = for (p <- q.running.recentProgress; o <- p.stateOperators.headOption)
          late += Option(o.customMetrics.get("numLateRecordsDropped")).fold(0L)(_.longValue)
        val out = batches.zipWithIndex.map { case (batch, i) =>
          if (i == 2) {
            counted()
            q.restart()
          }
          WindowText.of(q.batch(batch: _*))
        } :+ WindowText.of(q.watermark(2 * 86400000L))
        counted()
        (out, late)
      } finally q.stop()
    }

    test(s"on a stream with a restart: the same in each micro-batch as a query for each name, $name") {
      val (got, late) = played(declared.together)
      val single      = declared.names.map { case (name, _) => played(declared.alone(name)) }
      val expected    = single.map(_._1).transpose.map(_.flatten.sorted)
      assert(got.map(_.sorted) == expected)
      assert(late == single.map(_._2).sum)
      assert(declared.names.forall { case (name, _) => got.flatten.count(_.contains(s" $name ")) > 2 })
    }

    if (own eq cases.find(_._2 == declared).map(_._3).orNull) test(s"on a static DataFrame: $name") {
      val berlin   = setting("spark.sql.session.timeZone", "Europe/Berlin")
      val rows     = berlin.createDataFrame(timeLine(seed + 20)).drop("tick")
      val got      = WindowText.of(declared.together(rows).collect().toSeq)
      val expected = declared.names.flatMap { case (name, _) => declared.alone(name)(rows).collect().toSeq }
      assert(got.nonEmpty && got == WindowText.of(expected))
      assert((declared ne grids) || got.exists(_.contains("[-3600000, 82800000) day")))
    }
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

  test("sections of the state: shown by readState with their names, and go on with more partitions and aggregates") {
    val timed                                      = AfterWatermark.of(FiringInterval.MicroBatch)
    def query(compute: Column*)(events: DataFrame) =
      keyed(events).windows(ten, "a, b" -> gap._2).trigger(timed).allowedLateness(ofSeconds(5)).aggregate(compute: _*)
    Changing(spark)(query(sum("value").as("total"))) { c =>
      c.driven.batch(at("a", 1, 1000), at("a", 2, 3000))
      val shown = SparkWindowing.readState(spark, c.driven.checkpoint.toString).orderBy("window_name").collect().toSeq
      assert(shown.map(_.getAs[String]("window_name")) == Seq("a, b", "ten"))
      assert(
        StateText.of(c.driven, spark).map(_.replaceAll(" trigger .*\\}", "")) == Seq(
          "a window [0, 10000) contents {\"0_sum\":3} event 9999",
          "a window [1000, 7000) contents {\"0_sum\":3} event 6999"
        )
      )
      Rescaled(spark, c.driven, 3)
      c.migrate(query(count(lit(1)).as("n"), sum("value").as("total")))
      assert(WindowText.of(c.driven.batch(at("a", 4, 2000))) == Seq("a [0, 10000) ten 1 7", "a [1000, 7000) a, b 1 7"))
      // A longer lateness is taken over by each section.
      c.to(events =>
        keyed(events)
          .windows(ten, "a, b" -> gap._2)
          .trigger(timed)
          .allowedLateness(ofMinutes(5))
          .allowStateChange()
          .aggregate(count(lit(1)).as("n"), sum("value").as("total"))
      )
      c.driven.watermark(60000)
      assert(WindowText.of(c.driven.batch(at("a", 8, 9000))).contains("a [0, 10000) ten 2 15"))
    }
  }

  test("rows in pieces, beside the block of each section") {
    val own = storing(0)
    own.conf.set("spark.windowing.state.tailBytes", "1000")
    own.conf.set("spark.windowing.state.chunkBytes", "2000")
    val q = new DrivenQuery(own)(events =>
      keyed(events)
        .windows(ten, "minute" -> TumblingEventTimeWindows.of(ofMinutes(1)))
        .evictor(CountEvictor.of(9999))
        .aggregate(sum("value").as("total"))
    )
    try {
      q.start()
      for (from <- Seq(2000L, 3000L, 4000L, 5000L)) q.batch(Seq.tabulate(3000)(n => at("a", 1, from + n)): _*)
      val state = SparkWindowing.readState(own, { q.stop(); q.checkpoint.toString })
      assert(
        state.select("window_name", "elements").distinct().collect().map(_.toString).toSet ==
          Set("[ten,12000]", "[minute,12000]")
      )
      assert(WindowText.of(q.start().watermark(10000)).head.endsWith(" ten 9999"))
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
    val panes = keyed(spark.createDataFrame(Seq(at("a", 1, 1))).drop("tick")).windows(ten, gap).withPane()
    assert(SparkWindowing.windowColumns(counted(panes)) == Seq("key", "window", "window_name"))
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
    says("windows: process would be of several windows")(windows.process(new Counted, StructType.fromDDL("n INT")))
    val alone = "or declare these alone, by .window(..)"
    says(
      s"clock is TumblingProcessingTimeWindows(1 s), and they end by processing time: take windows by event time or CountWindows, $alone"
    )(
      keyed(rows).windows(ten, "clock" -> TumblingProcessingTimeWindows.of(ofSeconds(1)))
    )
    says(
      "fill_empty (fillEmpty in Scala) cannot be used with CountWindows(6): its windows end after a number of elements"
    )(
      keyed(rows).windows(ten, "six" -> CountWindows.of(6)).fillEmpty(ofMinutes(1))
    )
    says("retracts cannot be used with CountWindows(6)")(
      keyed(rows).retracts(col("value") < 0).windows(ten, "six" -> CountWindows.of(6)).aggregate(sum("value"))
    )
    says("CountTrigger(2) cannot be used with CountWindows(6): each window fires when it has its elements")(
      keyed(rows).window(CountWindows.of(6)).trigger(CountTrigger.of(2))
    )
    says("row is OverEventTimeWindows")(keyed(rows).windows("row" -> OverEventTimeWindows.preceding(ofSeconds(1))))
    says("reduce of no rows has no result")(windows.fillEmpty(Duration.ofDays(2)).reduce(col("value")))
    says("fill_empty (fillEmpty in Scala) cannot be used with EventTimeSessionWindows")(
      keyed(rows).windows(ten, gap).fillEmpty(ofMinutes(1))
    )
    says("the name 'a' comes twice")(
      keyed(rows).windows("a" -> CalendarWindows.days(), "a" -> TumblingEventTimeWindows.of(ofSeconds(1)))
    )
    says("takes at least one name")(keyed(rows).windows())
    says("has no name")(keyed(rows).windows(" " -> CalendarWindows.days()))
    says("two columns 'window_name'")(windows.aggregate(sum("value").as("window_name")))
  }
}
