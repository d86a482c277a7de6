package dev.sparkwindowing.spark.metrics

import dev.sparkwindowing.SparkWindowing
import dev.sparkwindowing.assigners.TumblingEventTimeWindows
import dev.sparkwindowing.spark._
import dev.sparkwindowing.spark.links.OperatorSetting
import dev.sparkwindowing.watermarks.WatermarkStrategy
import org.apache.spark.sql.functions._
import org.apache.spark.sql.streaming.StreamingQuery
import org.apache.spark.sql.{DataFrame, SparkSession, SparkTestBridge}
import org.scalatest.funsuite.AnyFunSuite

import java.time.Duration.ofSeconds

/** Figures of running queries in Spark's metrics system. The processing time begins at 1,000,000 ms. */
class RunningMetricsSpec extends AnyFunSuite with SharedSpark {
  import Event.at

  private def measured(settings: (String, String)*): SparkSession = {
    val own = spark.newSession()
    (("spark.sql.streaming.metricsEnabled" -> "true") +: settings).foreach { case (name, value) =>
      own.conf.set(name, value)
    }
    own
  }

  private def counts(events: DataFrame): DataFrame = SparkWindowing
    .keyBy(events, Seq(col("key")))
    .window(TumblingEventTimeWindows.of(ofSeconds(10)))
    .aggregate(count(lit(1)).as("n"))

  private def of(name: String): Map[String, Long] =
    SparkTestBridge.figures(spark, s"spark.windowing.$name.windows.")

  private def of(query: StreamingQuery): Map[String, Long] = of(query.id.toString)

  private def expect(query: StreamingQuery)(figures: (String, Long)*): Unit = {
    val all = of(query)
    assert(figures.toMap == all.filter { case (name, _) => figures.exists(_._1 == name) }, all)
  }

  private def running(on: SparkSession = measured())(test: DrivenQuery => Unit): Unit = {
    val q = new DrivenQuery(on, delay = Some("2 seconds"))(counts)
    try test(q.start())
    finally { val _ = q.stop() }
  }

  test("what there is and what has happened since the start, and nothing when the query has ended") {
    running() { q =>
      assert(of(q.running) == Map.empty)
      q.batch(at("a", 1, 2000), at("b", 1, 3000))
      expect(q.running)("0.openWindows" -> 2, "0.eventTimers" -> 2, "0.firedPanes" -> 0, "0.keys" -> 2)
      assert(of(q.running)("0.stateBytes") > 0)
      q.batch(at("a", 1, 12000))
      q.batch(at("a", 1, 3000))
      q.batch(at("b", 1, 4000))
      expect(q.running)(
        "0.openWindows"           -> 1,
        "0.firedPanes"            -> 2,
        "0.numLateRecordsDropped" -> 2,
        "watermark"               -> 10000,
        "watermarkLagMs"          -> 990000,
        "input.0.watermarkLagMs"  -> 990000
      )
      assert(Seq("updates", "removals", "commit").forall(part => of(q.running).contains(s"0.${part}TimeMs")))
      q.clock.advance(5000)
      expect(q.running)("watermarkLagMs" -> 995000, "input.0.watermarkLagMs" -> 995000) // at the time of the reader
      q.restart()
      q.batch(at("a", 1, 23000))
      expect(q.running)("0.openWindows" -> 1, "0.firedPanes" -> 1, "0.numLateRecordsDropped" -> 0)
      q.stop()
      assert(of(q.running) == Map.empty)
    }
  }

  test("a query that has failed has no figures") {
    val q = new DrivenQuery(measured(), read = batch => if (batch.count() > 0) sys.error("no more") else Nil)(counts)
    q.start().batch(at("a", 1, 2000))
    assert(of(q.running) != Map.empty)
    Changing.outcome(q.batch(at("a", 1, 12000)))
    assert(of(q.running) == Map.empty)
  }

  private def named(name: String): StreamingQuery = {
    val rows   = measured().readStream.format("rate").load().selectExpr("value AS key", "timestamp AS ts")
    val result = counts(rows.withWatermark("ts", "1 second"))
    result.writeStream.format("noop").queryName(name).start()
  }

  private def runningAll(queries: StreamingQuery*)(names: String*)(test: => Unit): Unit =
    try {
      runUntil(queries: _*)(names.forall(of(_).nonEmpty))
      test
    } finally queries.foreach(_.stop())

  private def runUntil(queries: StreamingQuery*)(condition: => Boolean): Unit = {
    val end = System.nanoTime() + ofSeconds(60).toNanos
    while (!condition) {
      assert(System.nanoTime() < end, "not within a minute")
      queries.foreach(_.processAllAvailable())
    }
  }

  test("the end of a query takes no figure of one whose name begins with its name") {
    val (few, fewer) = (named("few"), named("fewer"))
    runningAll(few, fewer)("few", "fewer") {
      few.stop()
      assert(of("few") == Map.empty && of("fewer") != Map.empty)
    }
  }

  test("a query of another session with the same name has its id behind it") {
    val (first, second) = (named("twice"), named("twice"))
    val id              = Seq(first, second).map(_.id.toString)
    runningAll(first, second)("twice") {
      runUntil(first, second)(id.exists(i => of(s"twice-$i").nonEmpty))
      val other = id.indexWhere(i => of(s"twice-$i").nonEmpty)
      Seq(first, second)(other).stop()
      assert(of("twice").nonEmpty && id.forall(i => of(s"twice-$i").isEmpty))
    }
  }

  test("the watermark of each input, and of each partition: the silent one shows") {
    val bounded = WatermarkStrategy.forBoundedOutOfOrderness(ofSeconds(2)).withIdleness(ofSeconds(3600))
    val q       = new InputsQuery(measured(), 2)(in => {
      val left =
        SparkWindowing.assignTimestampsAndWatermarks(in.head, bounded, "ts", concat(lit("clicks-"), col("value")))
      val right = in.last.withWatermark("ts", "1 second")
      counts(left.select("key", "ts").union(right.select("key", "ts")))
    })
    try {
      q.start().batch(0, at("a", 0, 60000), at("a", 1, 5000))
      q.batch(1, at("a", 0, 20000))
      q.batch(0, at("a", 0, 80000))
      q.clock.advance(1000)
      val ofInputs = of(q.running).filter(_._1.startsWith("input"))
      assert(
        ofInputs == Map(
          "input.0.watermarkLagMs"           -> 998000, // the slower partition, less the delay
          "input.0.partition.clicks-0.lagMs" -> 921000,
          "input.0.partition.clicks-1.lagMs" -> 996000,
          "input.1.watermarkLagMs"           -> 982000
        )
      )
    } finally q.stop()
  }

  test("of partitions whose names differ in other signs than letters and digits alone, the slowest shows") {
    val bounded = WatermarkStrategy.forBoundedOutOfOrderness(ofSeconds(2))
    val topic   = element_at(array(lit("shop.eu"), lit("shop eu"), lit("shop_eu")), col("value") + 1)
    val q       = new InputsQuery(measured(), 1)(in =>
      counts(SparkWindowing.assignTimestampsAndWatermarks(in.head, bounded, "ts", topic).select("key", "ts"))
    )
    try {
      q.start().batch(0, at("a", 0, 60000), at("a", 1, 5000), at("a", 2, 70000))
      q.batch(0, at("a", 0, 80000))
      assert(of(q.running).filter(_._1.contains("partition")) == Map("input.0.partition.shop_eu.lagMs" -> 995000))
    } finally q.stop()
  }

  test("the portable operator counts the same") {
    running(measured(OperatorSetting.Name -> OperatorSetting.Portable)) { q =>
      q.batch(at("a", 1, 2000), at("b", 1, 3000))
      q.batch(at("a", 1, 12000))
      q.batch(at("a", 1, 3000))
      expect(q.running)("firedPanes" -> 2, "numLateRecordsDropped" -> 1, "watermark" -> 10000)
      q.stop()
      assert(of(q.running) == Map.empty)
    }
  }

  test("without the setting there are none") {
    running(spark) { q =>
      q.batch(at("a", 1, 2000))
      assert(of(q.running) == Map.empty)
    }
  }
}
