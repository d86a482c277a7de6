package dev.sparkwindowing.spark.advice

import dev.sparkwindowing.api._
import dev.sparkwindowing.spark.SharedSpark
import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.functions._
import org.scalatest.funsuite.AnyFunSuite

import scala.reflect.runtime.{universe => ru}
import scala.tools.reflect.ToolBox

/** The lines that errors tell a user of Scala to type, typed as they stand: they compile, and what follows them is not
  * refused.
  */
class RemediesSpec extends AnyFunSuite {
  import RemediesSpec._

  /** @param wrong
    *   what is refused
    * @param said
    *   the error, with the line to type as its one group
    * @param typed
    *   the program with that line in the place of `@`
    */
  private def remedy(what: String, said: String, typed: String)(wrong: => Any): Unit = test(what) {
    val message = intercept[Exception](wrong).getMessage
    val line    = said.r.findFirstMatchIn(message).getOrElse(fail(s"said: $message")).group(1)
    evaluated(typed.replace("@", line))
  }

  private def count(windows: dev.sparkwindowing.WindowedStream): DataFrame = windows.aggregate(sum("price").as("n"))

  remedy(
    "an event time that is missing",
    """name the column, (\.eventTime\("ts"\))""",
    """clicks.keyBy("user")@.timeWindow("10 seconds").aggregate(count("*").as("n"))"""
  )(clicks.keyBy("user").timeWindow("10 seconds"))

  remedy(
    "a watermark that is missing",
    """(df\.withWatermark\(.*?\)) before keyBy""",
    """val df = stream; @.keyBy("user").timeWindow("10 seconds").aggregate(count("*").as("n"))"""
  )(stream.keyBy("user").timeWindow("10 seconds"))

  remedy(
    "a watermark on another time than an expression",
    """write (df\..*"10 seconds"\))""",
    """val df = stream; @.keyBy("user").eventTime("event_time").timeWindow("10 seconds").aggregate(count("*").as("n"))"""
  )(
    stream
      .withWatermark("ts", "1 second")
      .keyBy("user")
      .eventTime(col("ts") + expr("INTERVAL 1 SECOND"))
      .timeWindow("10 seconds")
  )

  remedy(
    "an event time in seconds",
    """(df\.withColumn\(.*?\)\)\))""",
    """val df = clicks; @.keyBy("user").eventTime("second").timeWindow("10 seconds").aggregate(count("*").as("n"))"""
  )(count(clicks.keyBy("user").eventTime("second").timeWindow("10 seconds")))

  private val feed =
    """clicks.withColumn("_change_type", lit("delete")).withColumn("_commit_version", lit(1))"""

  remedy(
    "a change feed of which nobody says what a delete is",
    """Say so, df\.keyBy\(\.\.\)(\.retracts\("[^"]*"\));""",
    s"""$feed.keyBy("user").eventTime("ts")@.timeWindow("10 seconds").aggregate(count("*").as("n"))"""
  )(
    count(
      clicks
        .withColumn("_change_type", lit("delete"))
        .withColumn("_commit_version", lit(1))
        .keyBy("user")
        .eventTime("ts")
        .timeWindow("10 seconds")
    )
  )

  remedy(
    "the deletes of a change feed",
    """leave them out before keyBy, (df\.where\("[^"]*"\)\.drop\("[^"]*"\)), or give""",
    s"""val df = $feed; val a = clicks.keyBy("user").eventTime("ts"); SparkWindowing.join(a, @.keyBy("user").eventTime("ts"))"""
  )(
    SparkWindowing.join(
      clicks.keyBy("user").eventTime("ts"),
      clicks
        .withColumn("_change_type", lit("delete"))
        .withColumn("_commit_version", lit(1))
        .keyBy("user")
        .eventTime("ts")
    )
  )

  remedy(
    "idleness without a watermark",
    """another strategy, (\S+ ?\S*\))""",
    """stream.assignTimestampsAndWatermarks(@.withIdleness("1 minute"), "ts")"""
  )(stream.assignTimestampsAndWatermarks(WatermarkStrategy.noWatermarks().withIdleness("1 minute"), "ts"))

  remedy(
    "an event time without a name",
    """\((?:'\w+'(?:, )?)+\), (assignTimestampsAndWatermarks\(df, strategy, time = "ts"\))""",
    """import SparkWindowing._; val (df, strategy) = (stream, WatermarkStrategy.forMonotonousTimestamps()); @"""
  )(SparkWindowing.assignTimestampsAndWatermarks(stream, WatermarkStrategy.forMonotonousTimestamps()))

  remedy(
    "an event time that is computed",
    """have it computed, (strategy\.withTimestampAssigner\(.*?\)\)\))""",
    """val strategy = WatermarkStrategy.forMonotonousTimestamps(); stream.assignTimestampsAndWatermarks(@, "at")"""
  )(stream.assignTimestampsAndWatermarks(WatermarkStrategy.forMonotonousTimestamps(), "second"))

  remedy(
    "a side output that is missing",
    """declare it with (\.sideOutputLateData\("late"\))""",
    """clicks.keyBy("user").eventTime("ts").timeWindow("10 seconds")@.aggregate(count("*").as("n")).sideOutput("late")"""
  )(count(clicks.keyBy("user").eventTime("ts").timeWindow("10 seconds")).sideOutput("late"))

  remedy(
    "a result that does not say which firing a row is",
    """type (\.withPane\(\)) before""",
    """clicks.keyBy("user").eventTime("ts").timeWindow("10 seconds")@.aggregate(count("*").as("n")).windowColumns"""
  )(count(clicks.keyBy("user").eventTime("ts").timeWindow("10 seconds")).windowColumns)

  remedy(
    "a change stream where the rows of firings are needed",
    """type (\.withPane\(\)) in place""",
    """clicks.keyBy("user").eventTime("ts").timeWindow("10 seconds")@.aggregate(count("*").as("n")).windowColumns"""
  )(count(clicks.keyBy("user").eventTime("ts").timeWindow("10 seconds").changelog()).windowColumns)

  remedy(
    "inputs with keys of two types",
    """cast one, keyBy\(\.\., (.*)\)""",
    """SparkWindowing.join(clicks.keyBy("user").eventTime("ts"), other.keyBy(@).eventTime("ts"))"""
  )(SparkWindowing.join(clicks.keyBy("user").eventTime("ts"), other.keyBy("user").eventTime("ts")))

  remedy(
    "an input without event time",
    """name its column, (\.eventTime\("ts"\))""",
    """SparkWindowing.coGroup("a" -> clicks.keyBy("user").eventTime("ts"), "b" -> clicks.keyBy("user")@)"""
  )(SparkWindowing.coGroup("a" -> clicks.keyBy("user").eventTime("ts"), "b" -> clicks.keyBy("user")))

  remedy(
    "an end of sessions that is no condition",
    """(\.endsAt\(.*"logout"\)\))""",
    """clicks.withColumn("kind", lit("in")).keyBy("user").eventTime("ts")
        .window(EventTimeSessionWindows.withGap("10 seconds")@).aggregate(count("*").as("n"))"""
  )(
    count(
      clicks
        .keyBy("user")
        .eventTime("ts")
        .window(EventTimeSessionWindows.withGap("10 seconds").endsAt(ColumnSessionEnd.of(col("price"))))
    )
  )
}

object RemediesSpec extends SharedSpark {

  lazy val clicks: DataFrame = spark.sql(
    "SELECT 'a' AS user, 3 AS price, 5L AS second, TIMESTAMP'2025-01-01 00:00:01' AS ts"
  )

  /** The same with another type of its key. */
  lazy val other: DataFrame = clicks.withColumn("user", lit(1))

  lazy val stream: DataFrame = spark.readStream
    .format("rate")
    .load()
    .select(
      lit("a").as("user"),
      col("value").cast("int").as("price"),
      col("value").as("second"),
      col("timestamp").as("ts")
    )

  private lazy val compiler = ru.runtimeMirror(getClass.getClassLoader).mkToolBox()

  private val Imports = Seq(
    "dev.sparkwindowing.api._",
    "dev.sparkwindowing.spark.advice.RemediesSpec._",
    "org.apache.spark.sql.functions._"
  ).map(name => s"import $name\n").mkString

  /** Compiles and runs a program. */
  private def evaluated(program: String): Any = compiler.eval(compiler.parse(Imports + program))
}
