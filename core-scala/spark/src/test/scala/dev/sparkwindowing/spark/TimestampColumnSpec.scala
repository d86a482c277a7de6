package dev.sparkwindowing.spark

import dev.sparkwindowing.SparkWindowing
import dev.sparkwindowing.assigners.TumblingEventTimeWindows
import dev.sparkwindowing.watermarks.WatermarkStrategy
import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.functions._
import org.scalatest.funsuite.AnyFunSuite

import java.time.Duration

/** Columns that are given as a time and are none: the error says how to make one, which depends on the type. */
class TimestampColumnSpec extends AnyFunSuite with SharedSpark {

  private def rows(value: String): DataFrame = spark.sql(s"SELECT 'a' AS key, $value AS at")

  private val second = Duration.ofSeconds(1)

  // Everywhere where a time is named.
  private val uses: Seq[(String, DataFrame => Any)] = Seq(
    "keyBy" -> (df =>
      SparkWindowing.keyBy(df, Seq(col("key")), Some(col("at"))).window(TumblingEventTimeWindows.of(second))
    ),
    "a watermark strategy" -> (df =>
      SparkWindowing.assignTimestampsAndWatermarks(df, WatermarkStrategy.forMonotonousTimestamps(), "at")
    ),
    "a timestamp assigner" -> (df =>
      SparkWindowing.assignTimestampsAndWatermarks(
        df,
        WatermarkStrategy.forMonotonousTimestamps().withTimestampAssigner(col("at"))
      )
    )
  )

  for {
    (value, ways) <- Seq(
      "1700000000000"         -> Seq("timestamp_millis(", "timestamp_seconds("),
      "1700000000"            -> Seq("timestamp_millis(", "timestamp_seconds("),
      "1.7e9D"                -> Seq("timestamp_seconds("),
      "'2026-01-01 00:00:00'" -> Seq("to_timestamp("),
      "DATE '2026-01-01'"     -> Seq(".cast(\"timestamp\")"),
      "array(1)"              -> Seq("name another column")
    )
    (use, declare) <- uses
  } test(s"$use, $value: ${ways.mkString(" or ")}") {
    val error = intercept[IllegalArgumentException](declare(rows(value))).getMessage
    ways.foreach(way => assert(error.contains(way)))
    assert(error.contains("cast(") == ways.exists(_.contains("cast(")), error)
  }
}
