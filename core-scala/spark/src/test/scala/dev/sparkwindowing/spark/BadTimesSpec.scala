package dev.sparkwindowing.spark

import dev.sparkwindowing.SparkWindowing
import dev.sparkwindowing.assigners.{
  CumulativeEventTimeWindows,
  EventTimeSessionWindows,
  SlidingEventTimeWindows,
  TumblingEventTimeWindows,
  WindowAssigner
}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.functions._
import org.apache.spark.sql.streaming.StreamingQueryException
import org.apache.spark.sql.{Column, DataFrame}
import org.scalatest.funsuite.AnyFunSuite

import java.time.Duration

/** Event times that are null, long ago, far ahead, or the first and last that a timestamp can be: each row is in its
  * windows or counted, and the query lives.
  */
class BadTimesSpec extends AnyFunSuite with SharedSpark {
  import BadTimesSpec._

  private val ancient  = -62135596800000000L // year 1
  private val last9999 = 253402300799999999L // the last microsecond of the year 9999
  private val today    = 1700000000000000L
  private val finite   = Seq(ancient, ancient + 1, -1000001L, -1L, 0L, 1L, today, last9999)
  private val first    = Seq(Long.MinValue, Long.MinValue + 5000000L)
  private val oddTimes = first ++ finite ++ Seq(Long.MaxValue - 5000000L, Long.MaxValue)
  private val counted  = Seq(count(lit(1)).as("n"))
  private val gathered  = Seq(size(collect_list("micros")).cast("bigint").as("n")) // comes row by row
  private val functions = Seq("aggregated before the exchange" -> counted, "row by row" -> gathered)

  private val grids = Seq(
    Grid(10000L, 10000L, 0L)               -> TumblingEventTimeWindows.of(Duration.ofSeconds(10)),
    Grid(86400000L, 86400000L, -28800000L) -> TumblingEventTimeWindows.of(Duration.ofDays(1), Duration.ofHours(-8)),
    Grid(10000L, 4000L, 1000L)             -> SlidingEventTimeWindows.of(
      Duration.ofSeconds(10),
      Duration.ofSeconds(4),
      Duration.ofSeconds(1)
    ),
    Grid(12000L, 4000L, -1000L, isCumulative = true) -> CumulativeEventTimeWindows.of(
      Duration.ofSeconds(12),
      Duration.ofSeconds(4),
      Duration.ofSeconds(-1)
    )
  )

  private def windows(events: DataFrame, assigner: WindowAssigner[InternalRow], what: Seq[Column]): DataFrame =
    SparkWindowing
      .keyBy(events, Seq(lit("k").as("key")), Some(col("ts")))
      .window(assigner)
      .aggregate(what: _*)
      .select(unix_micros(col("window.start")), unix_micros(col("window.end")), col("n"))

  private def static(micros: Seq[Long]): DataFrame =
    spark.createDataFrame(micros.map(Tuple1(_))).toDF("micros").withColumn("ts", timestamp_micros(col("micros")))

  private def text(result: DataFrame): Seq[String] = WindowText.of(result.collect().toSeq)

  for ((name, what) <- functions; (grid, assigner) <- grids)
    test(s"$assigner of a static DataFrame, $name: rows of all times are in the windows that the formula gives") {
      assert(text(windows(static(oddTimes), assigner, what)) == grid.windowsOf(oddTimes))
    }

  for ((name, what) <- functions)
    test(s"sessions of a static DataFrame, $name: also at the ends of time") {
      val sessions = windows(static(oddTimes), EventTimeSessionWindows.withGap(Duration.ofSeconds(10)), what)
      val expected = Seq(
        (Long.MinValue / 1000 - 1, Long.MinValue / 1000 + 4999 + 10000, 2),
        (ancient / 1000, ancient / 1000 + 10000, 2),
        (-1001L, 10000L, 4),
        (today / 1000, today / 1000 + 10000, 1),
        (last9999 / 1000, last9999 / 1000 + 10000, 1),
        ((Long.MaxValue - 5000000) / 1000, Long.MaxValue / 1000 + 10000, 2)
      )
      assert(text(sessions) == expected.map { case (s, e, n) => s"${micros(s)} ${micros(e)} $n" }.sorted)
    }

  for ((name, what) <- functions; (grid, assigner) <- grids)
    test(s"$assigner on a stream, $name: the year 9999 ends all others, what comes then is late, and the query lives") {
      val q = new DrivenQuery(spark, delay = None)(events => windows(timed(events), assigner, what))
      try {
        q.start()
        val early         = first ++ finite
        val (open, fired) = grid.windowsWithEnds(early).partition { case (end, _) => end > last9999 / 1000 }
        assert(WindowText.of(q.batch(early.map(row): _*)) == fired.map(_._2).sorted)
        q.restart()
        assert(q.batch(row(today), row(ancient), row(today)) == Nil)
        assert(q.metric("numLateRecordsDropped") == 3)
        assert(WindowText.of(q.batch(row(Long.MaxValue))) == open.map(_._2).sorted)
        assert(q.batch(row(last9999)) == Nil)
        assert(q.metric("numLateRecordsDropped") == 1 && q.running.isActive)
      } finally q.stop()
    }

  test("sessions on a stream: times long ago and far ahead, and what comes behind is in the late output") {
    val q = new DrivenQuery(spark, delay = None)(events =>
      SparkWindowing
        .allOutputs(
          SparkWindowing
            .keyBy(timed(events), Seq(lit("k").as("key")), Some(col("ts")))
            .window(EventTimeSessionWindows.withGap(Duration.ofSeconds(10)))
            .sideOutputLateData("late")
            .aggregate(counted: _*)
        )
        .select(
          col("output"),
          unix_micros(col("main.window.start")),
          unix_micros(col("late.ts")),
          col("late.late_by_ms")
        )
    )
    try {
      q.start()
      assert(
        WindowText.of(q.batch(finite.map(row): _*)) ==
          Seq(ancient, -1001000L, today).map(t => s"main ${t / 1000 * 1000} null null").sorted
      )
      val wm = last9999 / 1000 - 1
      assert(WindowText.of(q.batch(row(today))) == Seq(s"late null $today ${wm - today / 1000}"))
      assert(q.metric("lateSideOutput") == 1)
    } finally q.stop()
  }

  for (
    assigner <- Seq[WindowAssigner[InternalRow]](EventTimeSessionWindows.withGap(Duration.ofSeconds(10)), grids(2)._2)
  )
    test(s"$assigner on a stream: rows without event time are counted with drop, and stop the query with fail") {
      def query(onMissing: String)(events: DataFrame) = SparkWindowing
        .keyBy(timed(events), Seq(lit("k").as("key")), Some(col("ts")), onMissing)
        .window(assigner)
        .aggregate(counted: _*)
      val dropping = new DrivenQuery(spark, delay = None)(query("drop"))
      try {
        dropping.start()
        assert(dropping.batch(nothing, row(0L), nothing) == Nil)
        assert(dropping.metric("rowsWithoutEventTime") == 2)
        assert(dropping.metric("numLateRecordsDropped") == 0)
      } finally dropping.stop()

      val failing = new DrivenQuery(spark, delay = None)(query("fail"))
      try {
        failing.start()
        val e = intercept[StreamingQueryException](failing.batch(row(0L), nothing))
        assert(e.getMessage.contains("a row of the key [k] has no event time (null)"), e.getMessage)
      } finally failing.stop()
    }

  test("a time of tomorrow's century ends every window; with a limit ahead of the clock nothing is lost") {
    import dev.sparkwindowing.watermarks.WatermarkStrategy.forMonotonousTimestamps
    def query(limited: Boolean)(events: DataFrame) = {
      val strategy =
        if (limited) forMonotonousTimestamps().withMaxAheadOfClock(Duration.ofSeconds(10))
        else forMonotonousTimestamps()
      SparkWindowing
        .keyBy(
          SparkWindowing.assignTimestampsAndWatermarks(untimed(events), strategy, "ts"),
          Seq(lit("k").as("key")),
          Some(col("ts"))
        )
        .timeWindow(Duration.ofSeconds(10))
        .aggregate(counted: _*)
    }
    def run(limited: Boolean): (Seq[String], Long) = {
      val q = new DrivenQuery(spark, delay = None)(query(limited)) // processing time is 1,000 s
      try {
        q.start()
        val first  = q.batch(row(1000000000L), row(4000000000000L)) // one of them 45 days ahead
        var late   = 0L
        val result = first ++ (1 to 4).flatMap { i =>
          q.clock.advance(10000)
          if (i == 2) q.restart()
          val rows = q.batch(row(1000000000L + i * 10000000L))
          late += q.metric("numLateRecordsDropped")
          rows
        }
        (WindowText.of(result), late)
      } finally q.stop()
    }
    // Each row has a window of its own. The last is open still, and so is that of the far time.
    assert(run(limited = true) == ((1000000L to 1030000L by 10000L).map(s => s"k [$s, ${s + 10000}) 1") -> 0L))
    val (fired, late) = run(limited = false)
    assert(fired == Seq("k [1000000, 1010000) 1") && late == 4)
  }
}

private object BadTimesSpec {

  def row(micros: Long): Event = Event(micros.toString, 0, null)
  def nothing: Event           = Event(null, 0, null)

  /** Rows whose key says their time in microseconds: what Java's timestamps cannot. */
  def untimed(events: DataFrame): DataFrame =
    events.select(col("key").cast("bigint").as("micros")).withColumn("ts", timestamp_micros(col("micros")))

  def timed(events: DataFrame): DataFrame = untimed(events).withWatermark("ts", "0 seconds")

  /** Milliseconds as a timestamp holds them: what does not fit is the first or the last. */
  def micros(millis: Long): Long =
    (BigInt(millis) * 1000).max(BigInt(Long.MinValue)).min(BigInt(Long.MaxValue)).toLong

  /** Windows by the formula, without anything that could overflow. */
  final case class Grid(size: Long, slide: Long, offset: Long, isCumulative: Boolean = false) {

    private def startOf(ms: Long, length: Long): BigInt = {
      val newest = BigDecimal(ms - offset) / BigDecimal(length)
      newest.setScale(0, BigDecimal.RoundingMode.FLOOR).toBigInt * length + offset
    }

    private def boundsOf(ms: Long): Seq[(BigInt, BigInt)] =
      if (isCumulative) {
        val start = startOf(ms, size)
        (slide to size by slide).map(length => (start, start + length)).filter(_._2 > ms)
      } else
        Iterator.iterate(startOf(ms, slide))(_ - slide).takeWhile(_ > ms - size).map(s => (s, s + size)).toSeq

    def windowsWithEnds(times: Seq[Long]): Seq[(Long, String)] = {
      val windows = times.flatMap(t => boundsOf(Math.floorDiv(t, 1000L)))
      windows.groupBy(identity).toSeq.map { case ((start, end), rows) =>
        end.toLong -> s"${micros(start.toLong)} ${micros(end.toLong)} ${rows.size}"
      }
    }

    def windowsOf(times: Seq[Long]): Seq[String] = windowsWithEnds(times).map(_._2).sorted
  }
}
