package dev.sparkwindowing.spark

import dev.sparkwindowing.assigners.{SlidingEventTimeWindows, TumblingEventTimeWindows}
import dev.sparkwindowing.functions.{Collector, ProcessWindowFunction}
import dev.sparkwindowing.spark.links.OperatorSetting
import dev.sparkwindowing.spark.plan.PreAggregation
import dev.sparkwindowing.triggers.ContinuousEventTimeTrigger
import dev.sparkwindowing.{SparkWindowing, WindowedStream}
import org.apache.spark.sql.functions._
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.{DataFrame, Row, SparkSession}
import org.scalatest.funsuite.AnyFunSuite

import java.time.Duration
import java.time.Duration.ofSeconds
import scala.util.Random

/** Windows without rows, on streams and static DataFrames. */
class FillEmptySpec extends AnyFunSuite with SharedSpark {
  import Event.at

  private val Size = 10000L
  private val Time = 40000L

  private def windows(slide: Long)(rows: DataFrame): WindowedStream = {
    val keyed = SparkWindowing.keyBy(rows, Seq(col("key")), Some(col("ts")))
    if (slide == Size) keyed.window(TumblingEventTimeWindows.of(Duration.ofMillis(Size)))
    else keyed.window(SlidingEventTimeWindows.of(Duration.ofMillis(Size), Duration.ofMillis(slide)))
  }

  private def filled(slide: Long)(rows: DataFrame): WindowedStream =
    windows(slide)(rows).fillEmpty(Duration.ofMillis(Time))

  private def counted(windows: WindowedStream): DataFrame =
    windows.aggregate(count(lit(1)).as("n"), sum("value").as("total"))

  // A plain loop over the windows of each key, which end up to `until`.
  private def expected(rows: Seq[Event], slide: Long, until: Long): Seq[String] =
    rows
      .groupBy(_.key)
      .toSeq
      .flatMap { case (key, own) =>
        val ends  = (slide to until by slide).filter(end => (end - Size) % slide == 0)
        var since = Option.empty[Long]
        ends.flatMap { end =>
          val values = own.filter(e => e.ts.getTime >= end - Size && e.ts.getTime < end).map(_.value)
          if (values.nonEmpty) since = Some(end)
          if (values.nonEmpty) Some(s"$key [${end - Size}, $end) ${values.size} ${values.sum}")
          else if (since.exists(end - _ <= Time)) Some(s"$key [${end - Size}, $end) 0 null")
          else None
        }
      }
      .sorted

  // Keys with long silences, each with rows in order.
  private def timeLine(seed: Int): Seq[Event] = {
    val random = new Random(seed)
    Seq
      .fill(40)(at(s"k${random.nextInt(4)}", random.nextInt(9), Size + random.nextInt(600000).toLong))
      .sortBy(_.ts.getTime)
  }

  private def settings(spark: SparkSession): Seq[(String, SparkSession)] = {
    def setting(name: String, value: String) = {
      val own = spark.newSession()
      own.conf.set(name, value)
      own
    }
    StateStores.all.map { case (name, of) => name -> StateStores.session(spark, of) } ++ Seq(
      "row by row"   -> setting(PreAggregation.Setting, "false"),
      "the portable" -> setting(OperatorSetting.Name, OperatorSetting.Portable)
    )
  }

  for (((name, own), seed) <- settings(spark).zipWithIndex) {
    val slide = if (seed % 2 == 0) Size else Size / 2
    test(s"a plain loop over all windows, every $slide ms, $name") {
      val rows    = timeLine(seed)
      val batches = rows.grouped(5).toSeq
      val q       = new DrivenQuery(own)(events => counted(filled(slide)(events)))
      try {
        q.start()
        val got = batches.zipWithIndex.flatMap { case (batch, i) =>
          if (i == 2 || i == 5) q.restart()
          q.batch(batch: _*)
        }
        assert(WindowText.of(got ++ q.watermark(900000)) == expected(rows, slide, 900000))
      } finally q.stop()
      val last   = rows.map(_.ts.getTime).max
      val static = counted(filled(slide)(own.createDataFrame(rows).drop("tick")))
      // Up to the last window that starts at or before the last row.
      assert(WindowText.of(static.collect().toSeq) == expected(rows, slide, Math.floorDiv(last, slide) * slide + Size))
    }
  }

  test(
    "a static DataFrame has the same last window for all keys, of one partition and of none, with rows without time"
  ) {
    val rows = spark.createDataFrame(Seq(at("a", 1, 1000), at("b", 2, 25000), Event("b", 3, null))).drop("tick")
    val all  = Seq("a [0, 10000) 1 1", "a [10000, 20000) 0 null", "a [20000, 30000) 0 null", "b [20000, 30000) 1 2")
    for (input <- Seq(rows, rows.coalesce(1), rows.repartition(7)))
      assert(WindowText.of(counted(filled(Size)(input)).collect().toSeq) == all)
    assert(counted(filled(Size)(rows.where("false"))).collect().isEmpty)
  }

  test("the pane says which windows are without rows, and only then has a field for it") {
    val rows  = spark.createDataFrame(Seq(at("a", 1, 1000), at("b", 2, 15000))).drop("tick")
    val panes = filled(Size)(rows).withPane().aggregate(count(lit(1)).as("n"))
    assert(
      WindowText.of(panes.collect().toSeq) == Seq(
        "a [0, 10000) (on_time 0 true null [] false) 1",
        "a [10000, 20000) (on_time 0 true null [] true) 0",
        "b [10000, 20000) (on_time 0 true null [] false) 1"
      )
    )
    val plain = windows(Size)(rows).withPane().aggregate(count(lit(1)).as("n"))
    assert(plain.select("pane.*").columns.toSeq == Seq("timing", "number", "is_last", "fired_at", "replaced"))
    def lines(result: DataFrame) =
      SparkWindowing.explain(result).linesIterator.filter(_.startsWith("empty windows")).toSeq
    assert(lines(panes) == Seq("empty windows: fire for 40 s after the last one with rows"))
    assert(lines(plain) == Nil)
  }

  test("a function of elements gets none, a change stream updates the row, and a late row fires anew") {
    val late = new DrivenQuery(spark)(events =>
      filled(Size)(events).allowedLateness(ofSeconds(30)).changelog(before = true).aggregate(sum("value").as("total"))
    )
    try {
      late.start().batch(at("a", 1, 1000))
      assert(WindowText.of(late.watermark(20000)) == Seq("a [0, 10000) 1 +I 1", "a [10000, 20000) null +I 1"))
      assert(
        WindowText.of(late.restart().batch(at("a", 2, 15000))) ==
          Seq("a [10000, 20000) 2 +U 3", "a [10000, 20000) null -U 2")
      )
    } finally late.stop()
    val rows   = spark.createDataFrame(Seq(at("a", 1, 1000), at("b", 2, 15000))).drop("tick")
    val called = filled(Size)(rows).process(new Counted, StructType.fromDDL("n INT"))
    assert(WindowText.of(called.collect().toSeq) == Seq("a [0, 10000) 1", "a [10000, 20000) 0", "b [10000, 20000) 1"))
  }

  test("a silent key is one timer in the state, and nothing after its time") {
    for (slide <- Seq(Size, Size / 2)) {
      val q = new DrivenQuery(spark)(events => counted(filled(slide)(events)))
      try {
        q.start().batch(at("a", 1, 1000))
        q.watermark(31000)
        val next = if (slide == Size) 39999 else 34999
        assert(StateText.of(q, spark) == Seq(s"a key event $next"))
        q.start().watermark(50001)
        assert(StateText.of(q, spark) == Nil)
      } finally q.stop()
    }
  }

  test("it can be added to a query, changed and taken away: a key begins with its next row, or its next slice") {
    val filledOf = Map(
      Size     -> Seq("a [20000, 30000) 0 null"),
      Size / 2 -> (Seq(
        "a [15000, 25000) 0 null",
        "a [20000, 30000) 0 null",
        "b [10000, 20000) 0 null",
        "b [15000, 25000) 0 null"
      ) ++
        Seq("b [20000, 30000) 0 null", "b [5000, 15000) 0 null"))
    )
    for (slide <- Seq(Size, Size / 2))
      Changing(spark)(events => counted(windows(slide)(events))) { c =>
        def to(of: WindowedStream => WindowedStream) =
          c.to(events => counted(of(windows(slide)(events)).allowStateChange()))
        c.driven.batch(at("a", 1, 1000), at("b", 1, 1000))
        assert(c.refused(events => counted(filled(slide)(events))).contains("empty windows: was none, is 40 s"))
        to(_.fillEmpty(ofSeconds(20)))
        c.driven.batch(at("a", 2, 11000))
        assert(WindowText.of(c.driven.watermark(30000)).filter(_.endsWith("null")) == filledOf(slide))
        to(identity)
        assert(c.driven.watermark(90000).isEmpty)
        assert(StateText.of(c.driven, spark) == Nil)
      }
  }

  test("with a longer lateness, windows that were cleaned up would be as those without rows: refused on a restart") {
    def query(seconds: Long)(events: DataFrame) =
      counted(filled(Size)(events).allowedLateness(ofSeconds(seconds)).allowStateChange())
    Changing(spark)(query(5)) { c =>
      c.driven.batch(at("a", 1, 1000))
      val said = c.refused(query(60))
      assert(said.contains("allowed lateness: was 5 s, is 1 min (a window that was cleaned up would fire as one"))
    }
  }

  test("another trigger, and one timer for a silent key beside those of its trigger in what readState shows") {
    Changing(spark)(events => counted(filled(Size)(events))) { c =>
      c.driven.batch(at("a", 1, 1000))
      c.driven.watermark(12000)
      c.driven.batch(at("a", 2, 13000))
      c.to(events =>
        counted(filled(Size)(events).trigger(ContinuousEventTimeTrigger.of(ofSeconds(5))).allowStateChange())
      )
      c.driven.batch(at("b", 1, 13000))
      val state = StateText.of(c.driven, spark)
      assert(state.head == "a key event 19999" && state.count(_.startsWith("a window [10000, 20000)")) == 1, state)
      c.driven.start()
      val got = WindowText.of(c.driven.watermark(30001)).filter(_.startsWith("a"))
      assert(got.distinct == Seq("a [10000, 20000) 1 2", "a [20000, 30000) 0 null"))
    }
  }

  test("refused: a computation without a result of no rows, by its name") {
    val rows  = spark.createDataFrame(Seq(at("a", 1, 1000))).drop("tick")
    val calls = Seq[(String, WindowedStream => Any)](
      "fillEmpty: reduce of no rows has no result" -> (_.reduce(col("a"))),
      "fillEmpty: reduce of no rows has no result" -> (_.reduce(new Added)),
      "fillEmpty: sum of no rows has no result"    -> (_.sum("value")),
      "or take .fillEmpty() away"                  -> (_.maxBy("value"))
    )
    calls.foreach { case (said, call) =>
      val error = intercept[UnsupportedOperationException](call(filled(Size)(rows)))
      assert(error.getMessage.contains(said), error)
    }
    val short = intercept[IllegalArgumentException](windows(Size)(rows).fillEmpty(ofSeconds(9))).getMessage
    assert(short.contains("got 9 s, and the next window of TumblingEventTimeWindows(10 s) ends after up to 10 s"))
  }
}

/** Counts the elements that it gets. */
final class Counted extends ProcessWindowFunction[Row, Row, Row] {
  def process(k: Row, c: ProcessWindowFunction.Context, in: Iterable[Row], out: Collector[Row]): Unit =
    out.collect(Row(in.size))
}
