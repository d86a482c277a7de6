package dev.sparkwindowing.spark

import dev.sparkwindowing.api._
import dev.sparkwindowing.windows.TimeWindow
import org.apache.spark.sql.functions._
import org.apache.spark.sql.types._
import org.apache.spark.sql.{Column, DataFrame, Row, SparkSession}
import org.scalatest.funsuite.AnyFunSuite
import org.scalatest.tags.Slow

import java.util.TimeZone
import scala.util.{Failure, Success, Try}

/** A TIMESTAMP_NTZ as event time of a static DataFrame: wherever a time comes out, it is the text that the same rows
  * give as TIMESTAMP in UTC, in every zone of the session and of the JVM.
  */
@Slow
class WallClockSpec extends AnyFunSuite with SharedSpark {
  import WallClockSpec._

  private def session(zone: String): SparkSession = {
    val own = spark.newSession()
    own.conf.set("spark.sql.session.timeZone", zone)
    own.conf.set("spark.sql.shuffle.partitions", "1")
    SparkWindowing.attach(own)
    own
  }

  private def rows(in: SparkSession, kind: String): DataFrame = in
    .createDataFrame(Texts.zipWithIndex.map { case (text, i) => (if (i % 4 == 3) "b" else "a", i, text) })
    .toDF("key", "value", "text")
    .select(col("key"), col("value"), col("text").cast(kind).as("ts"))

  private def keyed(df: DataFrame): KeyedStream = df.keyBy("key").eventTime("ts")

  private val n      = count("*").as("n")
  private val values = collect_list("value").as("values")

  // With the same text for a literal of either type.
  private def at(df: DataFrame, text: String): Column = lit(text).cast(df.schema("ts").dataType)

  // All places where a time comes out.
  private val places: Seq[(String, DataFrame => DataFrame)] = Seq(
    "tumbling windows with panes" -> (df =>
      keyed(df).window(TumblingEventTimeWindows.of("1 hour")).withPane().aggregate(n, values)
    ),
    "tumbling windows, row by row, with a record" -> (df =>
      keyed(df).window(TumblingEventTimeWindows.of("1 day")).maxBy("value")
    ),
    "sliding windows"    -> (df => keyed(df).window(SlidingEventTimeWindows.of("1 hour", "30 minutes")).aggregate(n)),
    "cumulative windows" -> (df => keyed(df).window(CumulativeEventTimeWindows.of("1 day", "6 hours")).aggregate(n)),
    "calendar days"      -> (df => keyed(df).window(CalendarWindows.days()).aggregate(n, values)),
    "calendar months"    -> (df => keyed(df).window(CalendarWindows.months()).aggregate(n)),
    "sessions with panes, and rows without a time" -> (df =>
      keyed(df)
        .window(EventTimeSessionWindows.withGap("45 minutes"))
        .sideOutputLateData("late")
        .withPane()
        .aggregate(n, values)
        .allOutputs
    ),
    "over windows" -> (df =>
      keyed(df).window(OverEventTimeWindows.preceding("2 hours")).withRow().aggregate(n, max("ts").as("last"))
    ),
    "over windows of rows" -> (df =>
      keyed(df).window(OverEventTimeWindows.precedingRows(2)).withRow().aggregate(values)
    ),
    "count windows"                        -> (df => keyed(df).countWindow(3).aggregate(values)),
    "a process function of columns"        -> (df => keyed(df).process(timed)),
    "a window over the times of a process" -> (df =>
      keyed(df).process(timed).keyBy("key").window(TumblingEventTimeWindows.of("1 day")).aggregate(n)
    ),
    "a process function on Row" -> (df =>
      keyed(df).process(new Stamps, StructType.fromDDL("at bigint").add("ts", df.schema("ts").dataType))
    ),
    "a window function on Row" -> (df =>
      keyed(df)
        .window(TumblingEventTimeWindows.of("1 hour"))
        .process(new Bounds, StructType.fromDDL("start bigint").add("ts", df.schema("ts").dataType))
    ),
    "a trigger of columns" -> (df =>
      keyed(df)
        .window(TumblingEventTimeWindows.of("1 day"))
        .trigger(
          ColumnTrigger.of(
            state = struct(at(df, null).as("since")),
            onElement = TriggerAnswer.of(
              fire = col("timestamp") > at(df, "2024-06-01 12:00:00"),
              state = struct(coalesce(col("state.since"), col("timestamp")).as("since")),
              eventTimer = expr("array(window.last, window.start + INTERVAL 2 HOURS)")
            ),
            onEventTime =
              TriggerAnswer.of(fire = expr("time < window.last OR state.since < window.end - INTERVAL 20 HOURS"))
          )
        )
        .aggregate(values)
    ),
    "an assigner of columns" -> (df =>
      keyed(df)
        .window(ColumnAssigner.of(expr("transform(array(-1, 24), h -> struct(ts, ts + make_dt_interval(0, abs(h))))")))
        .aggregate(values)
    ),
    "an evictor of columns" -> (df =>
      keyed(df)
        .window(TumblingEventTimeWindows.of("1 day"))
        .evictor(ColumnEvictor.keep(expr("element.ts > newest - INTERVAL 40 MINUTES")))
        .aggregate(values)
    ),
    "a window over windows" -> (df =>
      keyed(df)
        .window(TumblingEventTimeWindows.of("1 hour"))
        .aggregate(n)
        .keyBy("key")
        .window(CalendarWindows.days())
        .aggregate(sum("n"))
    ),
    "Spark's windows and times of a result" -> (df =>
      keyed(df)
        .window(TumblingEventTimeWindows.of("1 hour"))
        .aggregate(n)
        .select(window_time(col("window")).as("last"), col("window"), col("n"))
        .groupBy(window(col("window"), "1 day"))
        .agg(sum("n"), max("last"))
    ),
    "windows over windows of Spark" -> (df =>
      df.groupBy(col("key"), window(col("ts"), "1 hour"))
        .agg(n)
        .keyBy("key")
        .eventTime("window")
        .window(TumblingEventTimeWindows.of("1 day"))
        .aggregate(sum("n"))
    ),
    "a join" -> (df =>
      SparkWindowing
        .join(keyed(df), keyed(df.drop("value")))
        .window(TumblingEventTimeWindows.of("1 hour"))
        .full()
    ),
    "a co-group" -> (df =>
      SparkWindowing
        .coGroup("one" -> keyed(df), "windows" -> keyed(df).window(CalendarWindows.days()).aggregate(n).keyBy("key"))
        .window(OverEventTimeWindows.preceding("1 day"))
        .withRow()
        .aggregate(count("one.value"), max("windows.window"))
    ),
    "SQL" -> (df =>
      sql(df, "SELECT * FROM tumble_windows(TABLE(times), 'key', 'ts', '1 hour', 'count(*)', with_pane => true)")
    ),
    "SQL, calendar" -> (df => sql(df, "SELECT * FROM calendar_windows(TABLE(times), 'key', 'ts', '1 day', 'count(*)')"))
  )

  private def sql(df: DataFrame, text: String): DataFrame = {
    df.createOrReplaceTempView("times")
    df.sparkSession.sql(text)
  }

  // All that a call knows, at the elements and at a timer.
  private def timed: ColumnProcess = ColumnProcess.of(
    state = struct(lit(0).as("n")),
    onElement = Do.of(
      state = expr("struct(state.n + 1 AS n)"),
      emit = expr("struct('row' AS what, ctx.timestamp AS at, ctx.watermark AS watermark)"),
      eventTimer = expr("ctx.timestamp + INTERVAL 1 HOUR"),
      side = Seq("times" -> expr("struct(ctx.timestamp AS at, ctx.processing_time AS processing_time)"))
    ),
    onEventTimer = Do.of(
      emit = expr("struct('timer' AS what, time AS at, ctx.watermark AS watermark)"),
      eventTimer = expr("CASE WHEN state.n < 5 THEN time + INTERVAL 1 DAY END"),
      state = expr("struct(10 AS n)")
    )
  )

  private def text(df: DataFrame): Seq[String] = {
    val columns = df.columns.toSeq.map(name => col(s"`$name`").cast("string"))
    df.select(columns: _*).collect().map(_.mkString(" | ")).toSeq.sorted
  }

  // Names of the values that are instants.
  private def instants(name: String, of: DataType): Seq[String] = of match {
    case TimestampType     => Seq(name)
    case s: StructType     => s.flatMap(f => instants(f.name, f.dataType))
    case ArrayType(one, _) => instants(name, one)
    case _                 => Nil
  }

  private lazy val expected: Map[String, Seq[String]] = {
    val utc = rows(session("UTC"), "timestamp")
    places.map { case (place, result) => place -> text(result(utc)) }.toMap
  }

  // The difference at a place, if there is one.
  private def differs(place: String, result: => DataFrame): Option[String] = Try {
    val zoned = instants("", result.schema).filterNot(Set("fired_at", "processing_time"))
    (zoned, text(result))
  } match {
    case Failure(e)                                  => Some(s"$place: $e")
    case Success((zoned, _)) if zoned.nonEmpty       => Some(s"$place: instants in ${zoned.mkString(", ")}")
    case Success((_, Seq()))                         => Some(s"$place: no rows")
    case Success((_, got)) if got != expected(place) =>
      Some(s"$place: ${got.diff(expected(place)).take(2)} is ${expected(place).diff(got).take(2)}")
    case _ => None
  }

  for ((zone, ofJvm) <- Seq("UTC" -> "UTC", "America/New_York" -> "UTC", "Asia/Kolkata" -> "America/New_York"))
    test(s"all times are those of the wall clock, session in $zone, JVM in $ofJvm") {
      val before = TimeZone.getDefault
      TimeZone.setDefault(TimeZone.getTimeZone(ofJvm))
      try {
        val walls = rows(session(zone), "timestamp_ntz")
        val wrong = places.flatMap { case (place, result) => differs(place, result(walls)) }
        assert(wrong.isEmpty, wrong.mkString("\n", "\n", ""))
      } finally TimeZone.setDefault(before)
    }

  test("calendar days in New York hold the rows of the day on the wall") {
    val own  = session("America/New_York")
    val days = rows(own, "timestamp_ntz").where("ts >= TIMESTAMP_NTZ '2024-06-01' AND ts < TIMESTAMP_NTZ '2024-06-03'")
    val got  = text(days.keyBy().eventTime("ts").window(CalendarWindows.days()).aggregate(n))
    assert(
      got == Seq("{2024-06-01 00:00:00, 2024-06-02 00:00:00} | 2", "{2024-06-02 00:00:00, 2024-06-03 00:00:00} | 1")
    )
  }

  for ((left, right) <- Seq("timestamp_ntz" -> "timestamp", "timestamp" -> "timestamp_ntz"))
    test(s"a join of $left with $right casts in the zone of the session, as Spark's union") {
      val own                                      = session("Asia/Kolkata")
      val (one, other)                             = (rows(own, left), rows(own, right))
      def joined(df: DataFrame, with_ : DataFrame) =
        SparkWindowing.join(keyed(df), keyed(with_)).window(TumblingEventTimeWindows.of("1 hour")).inner()
      val got = joined(one, other)
      assert(got.schema("window").dataType.sql == "STRUCT<start: TIMESTAMP, end: TIMESTAMP>")
      def cast(df: DataFrame) = df.withColumn("ts", col("ts").cast("timestamp"))
      assert(one.select("ts").union(other.select("ts")).schema.head.dataType == TimestampType)
      assert(text(got.select("window")) == text(joined(cast(one), cast(other)).select("window")))
    }

  private lazy val walls = rows(session("America/New_York"), "timestamp_ntz")

  // Uses that need a zone, each with the line to type.
  private val refused: Seq[(String, () => Any, String)] = Seq(
    (
      "a time zone of calendar windows",
      () => keyed(walls).window(CalendarWindows.days(timeZone = "America/New_York")),
      """df.withColumn("ts", col("ts").cast("timestamp"))"""
    ),
    (
      "a time zone of the days of a join",
      () => SparkWindowing.join(keyed(walls), keyed(walls)).window(CalendarWindows.days(timeZone = "America/New_York")),
      """df.withColumn("ts", col("ts").cast("timestamp")) on each input before its keyBy"""
    ),
    (
      "a time zone in SQL",
      () =>
        sql(
          walls,
          "SELECT * FROM calendar_windows(TABLE(times), '', 'ts', '1 day', 'count(*)', time_zone => 'Europe/Berlin')"
        ),
      "TABLE(SELECT *, CAST(ts AS timestamp) AS event_time FROM ..)"
    ),
    (
      "an instant as a timer",
      () =>
        keyed(walls)
          .window(TumblingEventTimeWindows.of("1 day"))
          .trigger(
            ColumnTrigger.of(
              onElement = TriggerAnswer.of(eventTimer = expr("CAST(timestamp AS TIMESTAMP)")),
              onEventTime = TriggerAnswer.of(fire = lit(true))
            )
          )
          .aggregate(n),
      """.cast("timestamp_ntz")"""
    ),
    (
      "an instant as the timer of a process",
      () =>
        keyed(walls).process(
          ColumnProcess.of(
            onElement = Do.of(emit = struct(lit(1)), eventTimer = expr("CAST(ctx.timestamp AS TIMESTAMP)")),
            onEventTimer = Do.of(emit = struct(lit(1)))
          )
        ),
      """.cast("timestamp_ntz")"""
    ),
    (
      "windows of instants",
      () =>
        keyed(walls)
          .window(ColumnAssigner.of(expr("array(struct(CAST(ts AS TIMESTAMP), TIMESTAMP '2030-01-01'))")))
          .aggregate(n),
      """.cast("array<struct<start:timestamp_ntz,end:timestamp_ntz>>")"""
    ),
    (
      "a simulation",
      () => keyed(walls).window(TumblingEventTimeWindows.of("1 day")).aggregate(n).simulate(sim.end()),
      """df.withColumn("ts", col("ts").cast("timestamp"))"""
    ),
    (
      "a simulation of a join",
      () =>
        SparkWindowing
          .join(keyed(walls), keyed(walls))
          .window(TumblingEventTimeWindows.of("1 day"))
          .inner()
          .simulate(sim.end()),
      """df.withColumn("ts", col("ts").cast("timestamp"))"""
    ),
    (
      "a watermark strategy",
      () => walls.assignTimestampsAndWatermarks(WatermarkStrategy.forMonotonousTimestamps(), "ts"),
      """strategy.withTimestampAssigner(col("ts").cast("timestamp"))"""
    ),
    (
      "a stream",
      () => stream.keyBy().eventTime("at").window(TumblingEventTimeWindows.of("1 day")),
      """df.withColumn("at", col("at").cast("timestamp"))"""
    ),
    (
      "a stream whose watermark is missing",
      () => stream.drop("timestamp").keyBy().window(TumblingEventTimeWindows.of("1 day")),
      """df.withColumn("at", col("at").cast("timestamp")).withWatermark("at", "10 seconds")"""
    )
  )

  private def stream: DataFrame = session("UTC").readStream
    .format("rate")
    .load()
    .withColumn("at", col("timestamp").cast("timestamp_ntz"))
    .withWatermark("timestamp", "1 second")

  for ((what, declare, advice) <- refused) test(s"refused, with the cast: $what") {
    val e = intercept[Exception](declare())
    assert(e.getMessage.contains(advice) && e.getMessage.contains("TIMESTAMP_NTZ"), e)
  }
}

object WallClockSpec {

  /** Times over both changes of the clocks in New York, and around midnight. */
  private val Texts = Seq(
    "2024-03-09 23:59:59.999999",
    "2024-03-10 01:30:00.000001",
    "2024-03-10 02:30:00",
    "2024-03-10 02:45:00",
    "2024-03-10 03:10:00",
    "2024-06-01 01:30:00",
    "2024-06-01 23:30:00",
    "2024-06-02 00:10:00",
    "2024-11-03 00:50:00",
    "2024-11-03 01:30:00.5",
    "2024-11-03 01:45:00",
    "2024-11-03 02:10:00",
    "1969-12-31 23:59:59.999",
    null
  )

  private final class Stamps extends KeyedProcessFunction[Row, Row, Row] {
    import KeyedProcessFunction._

    def processElement(row: Row, ctx: Context[Row], out: Collector[Row]): Unit = {
      ctx.timestamp.foreach(t => ctx.timerService.registerEventTimeTimer(t + 1))
      out.collect(Row(ctx.timestamp.orNull, row.getAs[Any]("ts")))
    }

    override def onTimer(time: Long, ctx: OnTimerContext[Row], out: Collector[Row]): Unit = out.collect(Row(time, null))
  }

  private final class Bounds extends ProcessWindowFunction[Row, Row, Row] {

    def process(
        key: Row,
        ctx: ProcessWindowFunction.Context,
        elements: Iterable[Row],
        out: Collector[Row]
    ): Unit = elements.foreach { row =>
      val start = ctx.window match {
        case TimeWindow(start, _) => start
        case _                    => -1L
      }
      out.collect(Row(start, row.getAs[Any]("ts")))
    }
  }
}
