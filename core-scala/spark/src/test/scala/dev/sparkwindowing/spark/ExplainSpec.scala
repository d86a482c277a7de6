package dev.sparkwindowing.spark

import dev.sparkwindowing.SparkWindowing
import dev.sparkwindowing.assigners.{EventTimeSessionWindows, TumblingEventTimeWindows, WindowAssigner}
import dev.sparkwindowing.triggers.CountTrigger
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.functions._
import org.apache.spark.sql.{Column, DataFrame}
import org.scalatest.funsuite.AnyFunSuite

import java.time.Duration

/** Where the order of rows can be seen in a result, they are numbered before the exchange. */
class ExplainSpec extends AnyFunSuite with SharedSpark {
  private val tenSeconds = TumblingEventTimeWindows.of(Duration.ofSeconds(10))

  private def windows(assigner: WindowAssigner[InternalRow]) = SparkWindowing
    .keyBy(spark.createDataFrame(Seq(Event.at("a", 1, 1000))), Seq(col("key")), Some(col("ts")))
    .window(assigner)

  private def sum10: Column = sum("value").as("n")

  test("taken as they come: sums of windows that are apart, fired at their end") {
    val text = SparkWindowing.explain(windows(tenSeconds).aggregate(sum10))
    assert(text.contains("rows: taken as they come"))
    assert(!text.contains("state: "), "a static DataFrame has none")
  }

  for (
    (what, result) <- Seq[(String, () => DataFrame)](
      "a list"           -> (() => windows(tenSeconds).aggregate(collect_list("value").as("l"))),
      "a count trigger"  -> (() => windows(tenSeconds).trigger(CountTrigger.of(3)).aggregate(sum10)),
      "allowed lateness" -> (() => windows(tenSeconds).allowedLateness(Duration.ofSeconds(5)).aggregate(sum10)),
      // A row that is late by itself is taken if a session that it joins has come before it.
      "sessions" -> (() => windows(EventTimeSessionWindows.withGap(Duration.ofSeconds(5))).aggregate(sum10))
    )
  ) test(s"in order of event time and arrival: $what") {
    assert(SparkWindowing.explain(result()).contains("taken in order of event time, then of arrival"))
  }
}
