package dev.sparkwindowing.spark

import dev.sparkwindowing.SparkWindowing
import dev.sparkwindowing.assigners.CalendarWindows
import dev.sparkwindowing.spark.plan.PreAggregation
import org.apache.spark.sql.functions._
import org.apache.spark.sql.streaming.StreamingQueryException
import org.apache.spark.sql.{DataFrame, Row, SparkSession}
import org.scalatest.funsuite.AnyFunSuite
import org.scalatest.tags.Slow

import java.time.{Duration, Instant, LocalDate}
import scala.util.Random

/** Calendar windows against Spark's calendar functions, and the time zone that they take from the session. */
@Slow
class CalendarSpec extends AnyFunSuite with SharedSpark {

  private val zones = Seq(
    "Europe/Berlin",
    "America/Sao_Paulo",
    "Asia/Kolkata",
    "Asia/Beirut",
    "Australia/Lord_Howe",
    "Africa/Cairo",
    "Pacific/Apia",
    "America/New_York",
    "Asia/Tehran",
    "UTC"
  )

  private def session(settings: (String, String)*): SparkSession = {
    val own = spark.newSession()
    settings.foreach { case (key, value) => own.conf.set(key, value) }
    own
  }

  private val SessionZone = "spark.sql.session.timeZone"

  // At midnights of 1970 to 2040, around them and anywhere between.
  private def times(zone: String): Seq[Long] = {
    val random = new Random(zone.hashCode)
    Seq.fill(1500) {
      val day   = LocalDate.ofEpochDay(random.nextInt(25900).toLong)
      val start = day.atStartOfDay(java.time.ZoneId.of(zone)).toInstant.toEpochMilli
      start + Seq(0L, -1L, 1L, random.nextInt(86400000).toLong, random.nextInt(7200000) - 3600000L)(random.nextInt(5))
    }
  }

  for (zone <- zones) test(s"windows in $zone are those of date_trunc over from_utc_timestamp") {
    val own  = session(SessionZone -> "UTC")
    val rows = own
      .createDataFrame(times(zone).map(t => (t % 2, t)))
      .toDF("key", "millis")
      .withColumn("ts", timestamp_millis(col("millis")))
      .cache()
    for (
      (windows, unit) <- Seq(
        CalendarWindows.days(timeZone = zone)     -> "DAY",
        CalendarWindows.weeks(timeZone = zone)    -> "WEEK",
        CalendarWindows.months(timeZone = zone)   -> "MONTH",
        CalendarWindows.quarters(timeZone = zone) -> "QUARTER",
        CalendarWindows.years(timeZone = zone)    -> "YEAR"
      )
    ) {
      val ours = SparkWindowing
        .keyBy(rows, Seq(col("key")), Some(col("ts")))
        .window(windows)
        .aggregate(count(lit(1)).as("n"), sum("millis").as("total"))
        .select(col("key"), unix_millis(col("window.start")), col("n"), col("total"))
      val start  = to_utc_timestamp(date_trunc(unit, from_utc_timestamp(col("ts"), zone)), zone)
      val theirs = rows
        .groupBy(col("key"), unix_millis(start))
        .agg(count(lit(1)).as("n"), sum("millis").as("total"))
      def sorted(all: DataFrame): Seq[String] = all.collect().map(_.toString).sorted.toSeq
      val expected                            = sorted(theirs)
      assert(expected.size > 100 && sorted(ours) == expected, windows)
    }
    rows.unpersist()
  }

  private def daily(windows: CalendarWindows)(events: DataFrame): DataFrame =
    SparkWindowing.keyBy(events, Seq(col("key"))).window(windows).aggregate(sum("value").as("total"))

  private def assignerOf(result: DataFrame): String =
    SparkWindowing.explain(result).linesIterator.filter(_.contains("assigner")).mkString

  test("the default time zone is that of the session when the windows are declared") {
    def declared(zone: String, windows: CalendarWindows) = {
      val rows = session(SessionZone -> zone).readStream.format("rate").load().withWatermark("timestamp", "1 second")
      assignerOf(SparkWindowing.keyBy(rows, Seq(col("value"))).window(windows).aggregate(count(lit(1)).as("n")))
    }
    assert(declared("Asia/Tehran", CalendarWindows.days()).endsWith("CalendarWindows.days(1, Asia/Tehran)"))
    assert(declared("+02:00", CalendarWindows.months()).endsWith("CalendarWindows.months(1, +02:00)"))
    assert(declared("PST", CalendarWindows.days()).endsWith("CalendarWindows.days(1, America/Los_Angeles)"))
    assert(declared("UTC", CalendarWindows.days(timeZone = "Asia/Tehran")).endsWith("days(1, Asia/Tehran)"))
  }

  test("windows in the time zone of the session take settings, of times with a time zone and without") {
    val rows = session(SessionZone -> "Asia/Tehran").sql("SELECT 'a' AS key, 1 AS value, TIMESTAMP '2026-01-01' AS ts")
    for (times <- Seq(rows, rows.withColumn("ts", col("ts").cast("timestamp_ntz")))) {
      val windows = SparkWindowing.keyBy(times, Seq(col("key")), Some(col("ts"))).window(CalendarWindows.days())
      val result  = windows.allowedLateness(Duration.ofHours(1)).withPane().aggregate(sum("value").as("total"))
      assert(result.selectExpr("CAST(window.start AS STRING)").head().getString(0) == "2026-01-01 00:00:00")
    }
  }

  test("a restart in another session time zone is refused, and goes on with the zone of the checkpoint") {
    val own     = session(SessionZone -> "Europe/Berlin")
    var windows = CalendarWindows.days()
    val noon    = Instant.parse("2026-10-25T12:00:00Z").toEpochMilli
    val q       = new DrivenQuery(own)(events => daily(windows)(events))
    try {
      q.start().batch(Event.at("a", 1, noon))
      q.stop()
      own.conf.set(SessionZone, "America/New_York")
      val outcome = Changing.outcome(q.start().batch(Event.at("a", 2, noon)))
      assert(
        outcome.left.exists(_.contains("assigner.timeZone: was Europe/Berlin, is America/New_York")),
        outcome
      )
      windows = CalendarWindows.days(timeZone = "Europe/Berlin")
      q.start().batch(Event.at("a", 4, noon + 10 * 3600000))
      val Seq(Row(key, Row(start: java.sql.Timestamp, end: java.sql.Timestamp), total)) =
        q.batch(Event.at("z", 0, noon + 100 * 3600000)) ++ q.batch()
      assert((key, total) == (("a", 5L)))
      assert(start.toInstant == Instant.parse("2026-10-24T22:00:00Z"))
      assert(end.toInstant == Instant.parse("2026-10-25T23:00:00Z"))
    } finally q.stop()
  }

  for (fast <- Seq(true, false))
    test(
      s"a row of the year 10000 stops the query by name, ${if (fast) "aggregated before the exchange" else "row by row"}"
    ) {
      val own = session(PreAggregation.Setting -> fast.toString)
      val q   = new DrivenQuery(own, delay = None)(events =>
        SparkWindowing
          .keyBy(BadTimesSpec.timed(events), Seq(lit("k").as("key")), Some(col("ts")))
          .window(CalendarWindows.days(timeZone = "America/New_York"))
          .aggregate(count(lit(1)).as("n"))
          .select(unix_millis(col("window.start")), col("n"))
      )
      val first = Instant.parse("0001-01-01T00:00:00Z").toEpochMilli
      val last  = Instant.parse("9999-12-31T23:59:59.999Z").toEpochMilli
      try {
        q.start()
        // The first window starts five hours before the year 1, in local mean time.
        assert(
          q.batch(BadTimesSpec.row(first * 1000), BadTimesSpec.row(first * 1000 + 1), BadTimesSpec.row(last * 1000))
            .map(_.getLong(1)) == Seq(2)
        )
        val e = intercept[StreamingQueryException](q.batch(BadTimesSpec.row((last + 86400001) * 1000)))
        assert(
          e.getMessage.contains("a row has the event time +10000-01-02T00:00:00Z, and calendar windows are those"),
          e
        )
      } finally q.stop()
    }
}
