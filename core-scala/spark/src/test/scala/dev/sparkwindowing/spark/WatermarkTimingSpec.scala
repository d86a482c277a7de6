package dev.sparkwindowing.spark

import dev.sparkwindowing.assigners.{
  EventTimeSessionWindows,
  SlidingEventTimeWindows,
  TumblingEventTimeWindows,
  WindowAssigner
}
import dev.sparkwindowing.spark.plan.WatermarkTiming
import dev.sparkwindowing.triggers.{
  AfterWatermark,
  ContinuousEventTimeTrigger,
  CountTrigger,
  FiringInterval,
  MicroBatchTrigger,
  PurgingTrigger,
  Trigger
}
import dev.sparkwindowing.{SparkWindowing, WindowedStream}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.functions._
import org.apache.spark.sql.streaming.{Trigger => SparkTrigger}
import org.apache.spark.sql.{DataFrame, Row, SparkSession}
import org.scalatest.funsuite.AnyFunSuite

import java.sql.Timestamp
import java.time.Duration
import scala.util.Random

/** Windows that fire in the micro-batch whose rows complete them put out the rows that they put out a micro-batch
  * later.
  */
class WatermarkTimingSpec extends AnyFunSuite with SharedSpark {
  import Event.at
  import WatermarkTimingSpec._

  private def session(settings: (String, String)*): SparkSession = {
    val own = spark.newSession()
    settings.foreach { case (name, value) => own.conf.set(name, value) }
    own
  }

  // Without empty micro-batches it can be seen which micro-batch a result comes in.
  private val onlyWithRows = "spark.sql.streaming.noDataMicroBatches.enabled" -> "false"
  private val nextBatch    = WatermarkTiming.Setting                          -> "false"

  private def counted(windows: WindowedStream): DataFrame = windows.aggregate(count(lit(1)).as("n"))

  private def tumbling(events: DataFrame): DataFrame = counted(
    windowed(events, TumblingEventTimeWindows.of(seconds(10)))
  )

  private def played(q: DrivenQuery)(play: DrivenQuery => Unit): Unit =
    try play(q.start())
    finally q.stop()

  test("a window fires in the micro-batch whose rows complete it, with the setting off in the next one") {
    played(new DrivenQuery(session(onlyWithRows))(tumbling)) { q =>
      assert(q.batch(at("a", 1, 1000)) == Nil)
      assert(WindowText.of(q.batch(at("a", 1, 2000), at("b", 1, 10000))) == Seq("a [0, 10000) 2"))
      assert(WindowText.of(q.watermark(20000)) == Seq("b [10000, 20000) 1"))
      assert(q.metric("openWindows") == 0)
    }
    played(new DrivenQuery(session(onlyWithRows, nextBatch))(tumbling)) { q =>
      assert(q.batch(at("a", 1, 1000)) == Nil)
      assert(q.batch(at("a", 1, 2000), at("b", 1, 10000)) == Nil)
      assert(WindowText.of(q.watermark(20000)) == Seq("a [0, 10000) 2"))
      assert(WindowText.of(q.watermark(20000)) == Seq("b [10000, 20000) 1"))
    }
  }

  test("the watermark that judges a row is that of the micro-batches before it") {
    played(new DrivenQuery(session(onlyWithRows))(tumbling)) { q =>
      assert(WindowText.of(q.batch(at("a", 1, 30000), at("a", 1, 1000))) == Seq("a [0, 10000) 1"))
      assert(q.metric("numLateRecordsDropped") == 0)
      assert(q.batch(at("a", 1, 1000)) == Nil)
      assert(q.metric("numLateRecordsDropped") == 1)
    }
  }

  test("no empty micro-batch follows the one that has fired its windows") {
    played(new DrivenQuery(spark)(tumbling)) { q =>
      assert(WindowText.of(q.batch(at("a", 1, 1000), at("b", 1, 10000))) == Seq("a [0, 10000) 1"))
      assert(q.checkpoint.resolve("commits").toFile.list.toSeq.filterNot(_.startsWith(".")) == Seq("0"))
    }
  }

  test("AvailableNow ends with the windows fired that its last rows complete") {
    val q = new DrivenQuery(session(onlyWithRows), trigger = SparkTrigger.AvailableNow())(tumbling)
    try assert(WindowText.of(q.add(at("a", 1, 1000), at("b", 1, 10000)).start().settle()) == Seq("a [0, 10000) 1"))
    finally q.stop()
  }

  test("a query is refused that fires in another micro-batch than the one that wrote its checkpoint") {
    val own = session()
    val q   = new DrivenQuery(own)(tumbling)
    try {
      q.start().batch(at("a", 1, 1000))
      q.stop()
      own.conf.set(WatermarkTiming.Setting, "false")
      val outcome = Changing.outcome(q.start().batch(at("a", 1, 3000)))
      val refusal =
        "fires: was same micro-batch, is next micro-batch (in the micro-batch after the rows that complete " +
          s"the window, since ${WatermarkTiming.Setting} is false)"
      assert(outcome.left.exists(_.contains(refusal)), outcome)
    } finally q.stop()
  }

  test("a setting that is neither true nor false is refused by its name") {
    val own = session(WatermarkTiming.Setting -> "1")
    val e   = Changing.outcome(played(new DrivenQuery(own)(tumbling))(_.batch(at("a", 1, 1000))))
    assert(e.left.exists(_.contains(s"${WatermarkTiming.Setting} must be true or false, got '1'")), e)
  }

  test("explain says in which micro-batch windows fire, and why not in that of their rows") {
    def fires(result: DataFrame): String =
      SparkWindowing.explain(result).linesIterator.filter(_.startsWith("fires: ")).mkString
    def rows(delay: String)              = spark.readStream.format("rate").load().withWatermark("timestamp", delay)
    def over(rows: DataFrame): DataFrame = counted(
      SparkWindowing.keyBy(rows, Seq(col("value"))).window(TumblingEventTimeWindows.of(seconds(1)))
    )
    val later = "fires: in the micro-batch after the rows that complete the window, since "
    val once  = over(rows("1 second"))
    assert(fires(once) == "fires: in the micro-batch whose rows complete the window")
    assert(fires(over(rows("1 second").union(rows("2 seconds")))) == s"${later}the query has 2 watermarks")
    assert(
      fires(over(once.select(col("window"), col("value")))) == s"${later}the rows come from another stateful operator"
    )
    val static = spark.createDataFrame(Seq(at("a", 1, 1000)))
    assert(fires(counted(windowed(static, TumblingEventTimeWindows.of(seconds(1)), Some("ts")))) == "")
  }

  for {
    (rows, shuffle) <- Seq[(String, DataFrame => DataFrame)](
      "rows as they come"           -> identity,
      "rows that are shuffled"      -> (_.repartition(2)),
      "rows that are spread by key" -> (_.repartition(1, col("key")))
    )
  } test(s"the same windows twice over one stream, $rows: each fires once and drops the late row") {
    def twice(events: DataFrame): DataFrame = tumbling(shuffle(events)).union(tumbling(shuffle(events)))
    played(new DrivenQuery(session())(twice)) { q =>
      assert(q.batch(at("a", 1, 1000)) == Nil)
      assert(WindowText.of(q.batch(at("b", 1, 300000))) == Seq.fill(2)("a [0, 10000) 1"))
      assert(q.batch(at("a", 1, 2000)) == Nil)
      assert(WindowText.of(q.batch(at("c", 1, 900000))) == Seq.fill(2)("b [300000, 310000) 1"))
    }
  }

  // Micro-batches with rows that are late or null, jumps of the watermark, and a row at the end that closes all.
  private def batches(random: Random): Seq[Seq[Event]] = {
    var now          = 20000
    def row(): Event = {
      val back = if (random.nextInt(4) == 0) random.nextInt(15000) else random.nextInt(2000)
      val ts   = if (random.nextInt(25) == 0) null else new Timestamp((now + random.nextInt(3000) - back).toLong)
      Event(s"k${random.nextInt(4)}", random.nextInt(9), ts)
    }
    Seq.fill(8) {
      now += (if (random.nextInt(5) == 0) 40000 else random.nextInt(5000))
      Seq.fill(random.nextInt(12))(row())
    } :+ Seq(at("end", 0, 1000000))
  }

  /** The results of each micro-batch, and of two more with rows. */
  private def run(
      on: SparkSession,
      query: DataFrame => DataFrame,
      rows: Seq[Seq[Event]],
      stops: Boolean,
      parts: Int
  ) = {
    val q = new DrivenQuery(on, delay = Some("2 seconds"), partitions = Some(parts))(query)
    try {
      q.start()
      val outs = rows.map { batch =>
        if (stops) q.restart()
        q.batch(batch: _*)
      }
      // Where only rows make micro-batches, the last results wait for them: for the operator, and for one over it.
      val last = Seq.fill(2)(q.batch(at("end", 0, 1000000)))
      outs ++ last
    } finally q.stop()
  }

  for (((name, query), i) <- queries.zipWithIndex) test(s"the same rows in the same order, no later: $name") {
    val rows                        = batches(new Random(i))
    val (_, store)                  = StateStores.all(i % StateStores.all.size)
    def on(more: (String, String)*) =
      session(more ++ store.map { case (name, value) => s"spark.sql.streaming.stateStore.$name" -> value }: _*)
    val sooner = run(on(onlyWithRows), query, rows, stops = i % 2 == 0, parts = 1 + i % 3)
    val later  = run(on(onlyWithRows, nextBatch), query, rows, stops = false, parts = 1 + i % 3)
    val empty  = run(on(), query, rows, stops = i % 2 == 1, parts = 1 + i % 3)
    assert(later.flatten.size > 10, "the time line must show something")
    assert(byKey(sooner.flatten) == byKey(later.flatten))
    assert(byKey(empty.flatten) == byKey(later.flatten), "with empty micro-batches")
    sooner.indices.foreach { b =>
      val (soon, late) = (sooner.take(b).flatten, later.take(b).flatten)
      assert(late.diff(soon) == Nil, s"later than without, until micro-batch $b")
    }
  }
}

private object WatermarkTimingSpec {

  def seconds(n: Long): Duration = Duration.ofSeconds(n)

  def windowed(events: DataFrame, assigner: WindowAssigner[InternalRow], time: Option[String] = None): WindowedStream =
    SparkWindowing.keyBy(events, Seq(col("key")), time.map(col)).window(assigner)

  /** Rows of each key in their order. */
  def byKey(rows: Seq[Row]): Map[String, Seq[String]] = rows
    .groupMap(r => if (r.schema.fieldNames.contains("output")) keyOf(r) else r.getString(0))(_.toString)

  private def keyOf(r: Row): String =
    r.getString(0) + r.toSeq
      .collect { case of: Row => of.toSeq.collectFirst { case key: String => key } }
      .flatten
      .mkString

  private def paned(
      assigner: WindowAssigner[InternalRow],
      trigger: Option[Trigger[InternalRow]],
      lateness: Long
  )(events: DataFrame): DataFrame = {
    val windows = windowed(events, assigner)
    SparkWindowing.allOutputs(
      trigger
        .fold(windows)(windows.trigger(_))
        .allowedLateness(seconds(lateness))
        .sideOutputLateData("late")
        .withPane()
        .aggregate(collect_list("value").as("values"))
    )
  }

  private def sums(assigner: WindowAssigner[InternalRow])(events: DataFrame): DataFrame =
    windowed(events, assigner).aggregate(sum("value").as("total"), count(lit(1)).as("n"))

  val queries: Seq[(String, DataFrame => DataFrame)] = Seq(
    "tumbling, before the exchange" -> sums(TumblingEventTimeWindows.of(seconds(4))),
    "sliding, before the exchange"  -> sums(SlidingEventTimeWindows.of(seconds(6), seconds(2))),
    "sessions, before the exchange" -> sums(EventTimeSessionWindows.withGap(seconds(2))),
    "tumbling, with lateness"       -> paned(TumblingEventTimeWindows.of(seconds(4)), None, 6),
    "sliding, purged at each third" -> paned(
      SlidingEventTimeWindows.of(seconds(6), seconds(2)),
      Some(PurgingTrigger.of(CountTrigger.of(3))),
      0
    ),
    "sessions, with lateness"              -> paned(EventTimeSessionWindows.withGap(seconds(2)), None, 5),
    "tumbling, continuously in event time" -> paned(
      TumblingEventTimeWindows.of(seconds(12)),
      Some(ContinuousEventTimeTrigger.of(seconds(3))),
      3
    ),
    "tumbling, by micro-batches" -> paned(
      TumblingEventTimeWindows.of(seconds(4)),
      Some(AfterWatermark.of(FiringInterval.MicroBatch, FiringInterval.MicroBatch)),
      6
    ),
    "sessions, by micro-batches" -> paned(
      EventTimeSessionWindows.withGap(seconds(2)),
      Some(MicroBatchTrigger.create()),
      5
    ),
    "a filter between the watermark and the keys" -> { events =>
      sums(TumblingEventTimeWindows.of(seconds(4)))(events.where(col("value") < 7))
    },
    "an exchange between the watermark and the keys" -> { events =>
      sums(TumblingEventTimeWindows.of(seconds(4)))(events.repartition(2))
    },
    "all rows in one partition" -> { events =>
      sums(TumblingEventTimeWindows.of(seconds(4)))(events.coalesce(1))
    },
    "windows of windows" -> { events =>
      val small = sums(TumblingEventTimeWindows.of(seconds(4)))(events)
      SparkWindowing
        .keyBy(small, Seq(col("key")))
        .window(TumblingEventTimeWindows.of(seconds(12)))
        .aggregate(sum("total").as("total"))
    },
    "Spark's windows over ours" -> { events =>
      sums(TumblingEventTimeWindows.of(seconds(4)))(events)
        .groupBy(col("key"), window(col("window"), "12 seconds"))
        .agg(sum("total").as("total"))
    },
    "two windows over one stream" -> { events =>
      sums(TumblingEventTimeWindows.of(seconds(4)))(events)
        .union(sums(EventTimeSessionWindows.withGap(seconds(3)))(events))
    }
  )
}
