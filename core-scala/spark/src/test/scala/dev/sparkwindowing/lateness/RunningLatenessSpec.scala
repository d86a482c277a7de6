package dev.sparkwindowing.lateness

import dev.sparkwindowing.assigners._
import dev.sparkwindowing.spark.links.OperatorSetting
import dev.sparkwindowing.spark.plan.PreAggregation
import dev.sparkwindowing.spark.rows.RowsBehind
import dev.sparkwindowing.spark.{DrivenQuery, Event, SharedSpark, StateStores}
import dev.sparkwindowing.watermarks.WatermarkStrategy
import dev.sparkwindowing.{SparkWindowing, WindowedStream}
import org.apache.spark.sql.functions._
import org.apache.spark.sql.{DataFrame, SparkSession}
import org.scalatest.funsuite.AnyFunSuite

import java.time.Duration.ofSeconds
import scala.util.Random

/** Advice from a query: the counts of a plain loop over the rows that it has taken. */
class RunningLatenessSpec extends AnyFunSuite with SharedSpark {
  import Event.at

  private val windows = TumblingEventTimeWindows.of(ofSeconds(10))

  private def keyed(events: DataFrame)              = SparkWindowing.keyBy(events, Seq(col("key")))
  private def counted(w: WindowedStream): DataFrame = w.aggregate(count(lit(1)).as("n"), sum("value").as("sum"))

  private def session(settings: (String, String)*): SparkSession = {
    val own = spark.newSession()
    settings.foreach { case (name, value) => own.conf.set(name, value) }
    own
  }

  // Micro-batches of a second each; some rows have no time, and some are up to twelve days behind.
  private def timeLine(seed: Int): Seq[Seq[Event]] = {
    val random                 = new Random(seed)
    def row(batch: Int): Event = {
      val behind = if (random.nextInt(4) == 0) math.pow(10, 3 + random.nextDouble() * 6).toLong else 0L
      val event  =
        at(s"k${random.nextInt(3)}", random.nextInt(9), 2000000000L + batch * 1000 + random.nextInt(1000) - behind)
      if (random.nextInt(20) == 0) event.copy(ts = null) else event
    }
    Seq.tabulate(6)(batch => Seq.fill(40)(row(batch)))
  }

  /** Milliseconds that each row with a time is behind the greatest one of earlier micro-batches. */
  private def behind(batches: Seq[Seq[Event]]): Seq[Long] = {
    var greatest = Long.MinValue
    batches.flatMap { batch =>
      val times = batch.filter(_.ts != null).map(_.ts.getTime)
      val found = times.map(t => if (greatest == Long.MinValue) 0L else math.max(0L, greatest - t))
      greatest = (greatest +: times).max
      found
    }
  }

  private def checked(advice: Advice, batches: Seq[Seq[Event]]): Unit = {
    val model = behind(batches)
    assert(advice.rows - advice.unknown == model.size)
    assert(advice.behind == model.count(_ > 0) && advice.behind > 10)
    assert(advice.delays.map(_.late) == advice.delays.map(d => model.count(_ > d.delay).toLong))
    assert(advice.delays.size > 3 && advice.buckets.exists(_.beyond == model.count(_ > RowsBehind.Bounds.last)))
  }

  private val cases: Seq[(String, SparkSession, DataFrame => DataFrame)] = Seq(
    ("windows before the exchange", session(), e => counted(keyed(e).window(windows))),
    (
      "slices, on RocksDB",
      StateStores.session(spark, StateStores.all(1)._2),
      e => counted(keyed(e).window(SlidingEventTimeWindows.of(ofSeconds(10), ofSeconds(2))))
    ),
    ("sessions", session(), e => counted(keyed(e).window(EventTimeSessionWindows.withGap(ofSeconds(3))))),
    ("row by row", session(PreAggregation.Setting -> "false"), e => counted(keyed(e).window(windows))),
    (
      "rows in order, without generated code",
      session("spark.sql.codegen.wholeStage" -> "false", "spark.sql.codegen.factoryMode" -> "NO_CODEGEN"),
      e => keyed(e).window(windows).aggregate(collect_list("value").as("all"))
    ),
    ("windows of rows, which need no time", session(), e => keyed(e).countWindow(5).aggregate(sum("value").as("sum")))
  )

  for (((name, own, query), seed) <- cases.zipWithIndex) test(s"the rows of each bucket, over a restart: $name") {
    val batches = timeLine(seed)
    val q       = new DrivenQuery(own, delay = Some("4 seconds"))(query).start()
    try {
      batches.take(3).foreach(q.batch(_: _*))
      val shares = Seq(0.5, 0.8, 0.9, 0.93, 0.95, 0.97)
      val before = Advice.of(q.running, shares)
      // Windows of rows need no time
      assert(name.contains("no time") || before.rows == batches.take(3).flatten.size && before.unknown > 0)
      checked(before, batches.take(3))
      q.restart()
      batches.drop(3).foreach(q.batch(_: _*))
      val model = behind(batches).drop(behind(batches.take(3)).size)
      val after = Advice.of(q.running, shares)
      assert(after.rows - after.unknown == model.size && after.behind == model.count(_ > 0))
      assert(after.delays.map(_.late) == after.delays.map(d => model.count(_ > d.delay).toLong))
      assert(
        after.toString.contains(s"Of ${model.size} rows in 3 micro-batches ${after.behind} came behind a later one.")
      )
    } finally q.stop()
  }

  test("with a watermark by partition, behind that of the slowest partition") {
    val q = new DrivenQuery(spark, delay = None)(events =>
      counted(
        keyed(
          SparkWindowing.assignTimestampsAndWatermarks(
            events,
            WatermarkStrategy.forBoundedOutOfOrderness(ofSeconds(4)),
            "ts",
            perPartition = col("key")
          )
        ).window(windows)
      )
    ).start()
    try {
      q.batch(at("a", 1, 100000), at("b", 1, 20000))
      q.batch(at("a", 1, 110000), at("b", 1, 19000), at("b", 1, 17000)) // behind 20 s, the slowest
      val advice = Advice.of(q.running, Seq(0.5, 0.8, 1))
      assert((advice.rows, advice.behind) == ((5, 2)))
      assert(advice.delays == Seq(Advice.Delay(4000, 0, 1), Advice.Delay(1000, 1, 0.8), Advice.Delay(0, 2, 0.6)))
    } finally q.stop()
  }

  test("a partition that begins behind the others does not take the watermark back, on a stream and in a table") {
    val rows = Seq(
      Seq(at("a", 1, 10000)),
      Seq(at("a", 1, 20000), at("b", 1, 2000)),
      Seq(at("a", 1, 30000), at("b", 1, 3000)),
      Seq(at("b", 1, 14000), at("a", 1, 31000)),
      Seq(at("b", 1, 12000))
    )
    val strategy = WatermarkStrategy.forMonotonousTimestamps()
    val q        = new DrivenQuery(spark, delay = None)(e =>
      counted(
        keyed(SparkWindowing.assignTimestampsAndWatermarks(e, strategy, "ts", perPartition = col("key")))
          .window(windows)
      )
    ).start()
    try {
      rows.foreach(q.batch(_: _*))
      val counts  = Advice.of(q.running, Seq(1.0))
      val batches = rows.zipWithIndex.flatMap { case (batch, i) => batch.map(e => (e.key, e.ts, i)) }
      val table   = spark.createDataFrame(batches).toDF("key", "ts", "batch")
      val exact   = SparkWindowing.advise(table, col("ts"), col("batch"), perPartition = col("key"), keep = Seq(1.0))
      assert((exact.behind, exact.delays.head.delay) == ((3, 8000L)))
      assert((counts.behind, counts.delays.head.delay) == ((3, 8000L)))
    } finally q.stop()
  }

  test("a bucket ends at its bound") {
    val behind = Seq(1L, 1000L, 1001L, 2000L, 2001L, 4000L, 4001L, RowsBehind.Bounds.last, RowsBehind.Bounds.last + 1)
    assert(behind.map(RowsBehind.bucketOf) == Seq(1, 1, 2, 2, 3, 3, 4, 20, 21))
    for ((bound, i) <- RowsBehind.Bounds.zipWithIndex)
      assert(RowsBehind.bucketOf(bound) == i + 1 && RowsBehind.bucketOf(bound + 1) == i + 2)
    assert(RowsBehind.bucketOf(Long.MaxValue) == 21)
  }

  private def refusal(q: DrivenQuery): String = {
    q.start().batch(at("a", 1, 100000))
    try intercept[IllegalArgumentException](Advice.of(q.running)).getMessage
    finally { val _ = q.stop() }
  }

  test("a query that measures no rows is refused, and shares that are none") {
    val said    = "the query has measured no rows in its last micro-batches"
    val chained = new DrivenQuery(spark)(events => {
      val first = counted(keyed(events).window(windows))
      SparkWindowing.keyBy(first.union(first), Seq(col("key"))).window(windows).aggregate(sum("n").as("n"))
    })
    val portable =
      new DrivenQuery(session(OperatorSetting.Name -> OperatorSetting.Portable))(e => counted(keyed(e).window(windows)))
    Seq(chained, portable).foreach(q => assert(refusal(q).startsWith(said)))
    val q = new DrivenQuery(spark)(e => counted(keyed(e).window(windows))).start()
    try {
      q.batch(at("a", 1, 100000))
      assert(
        intercept[IllegalArgumentException](Advice.of(q.running, Seq(2.0))).getMessage.contains("from 0 to 1, got 2.0")
      )
    } finally q.stop()
  }
}
