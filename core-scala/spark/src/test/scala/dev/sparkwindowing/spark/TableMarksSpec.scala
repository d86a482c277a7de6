package dev.sparkwindowing.spark

import dev.sparkwindowing.SparkWindowing
import dev.sparkwindowing.assigners.{TumblingEventTimeWindows, TumblingProcessingTimeWindows, WindowAssigner}
import dev.sparkwindowing.operator.KeyedPlan
import dev.sparkwindowing.spark.plan.EndlessTriggers
import dev.sparkwindowing.triggers._
import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.plans.logical.EventTimeWatermark
import org.apache.spark.sql.functions.{col, count, lit}
import org.apache.spark.sql.types.{MetadataBuilder, StringType, StructType, TimestampType}
import org.scalatest.funsuite.AnyFunSuite

import java.nio.file.Files
import java.time.Duration

/** What a pipeline makes likely: tables that a stream with a watermark wrote, and queries that end when their input is
  * read.
  */
class TableMarksSpec extends AnyFunSuite with SharedSpark {
  private val minute = Duration.ofMinutes(1)

  // The schema of a table that a stream with a watermark has written.
  private def table: DataFrame = {
    val marked = new MetadataBuilder().putLong(EventTimeWatermark.delayKey, 0L).build()
    val schema = new StructType().add("key", StringType).add("ts", TimestampType, nullable = true, marked)
    spark.readStream.schema(schema).json(Files.createTempDirectory("table").toString)
  }

  private def counted(rows: DataFrame): DataFrame = SparkWindowing
    .keyBy(rows, Seq(col("key")), Some(col("ts")))
    .window(TumblingEventTimeWindows.of(minute))
    .aggregate(count(lit(1)).as("n"))

  test("the mark of a table is no watermark of the stream that reads it") {
    val refused = intercept[IllegalArgumentException](counted(table)).getMessage
    assert(refused.contains("needs a watermark") && refused.contains("withWatermark(\"ts\""))
    assert(counted(table.withWatermark("ts", "1 minute")).columns.toSeq == Seq("key", "window", "n"))
  }

  private def plan(assigner: WindowAssigner[InternalRow], trigger: Trigger[InternalRow]) =
    KeyedPlan.of[InternalRow](assigner, trigger, None, 0L, panes = false, showsElement = false, true, true)

  test("windows that fire by processing time alone, in a query that ends") {
    val windows = TumblingProcessingTimeWindows.of(minute)
    val clock   = ContinuousProcessingTimeTrigger.of(minute)
    for (
      alone <- Seq[(WindowAssigner[InternalRow], Trigger[InternalRow])](
        windows                             -> windows.defaultTrigger,
        windows                             -> PurgingTrigger.of[InternalRow](windows.defaultTrigger),
        TumblingEventTimeWindows.of(minute) -> clock
      )
    ) {
      val refused = intercept[IllegalArgumentException](EndlessTriggers.refuseClockAlone((plan _).tupled(alone)))
      assert(refused.getMessage.contains("fires by processing time alone"))
    }
    for (
      other <- Seq[(WindowAssigner[InternalRow], Trigger[InternalRow])](
        windows                             -> CountTrigger.of(2),
        windows                             -> MicroBatchTrigger.create(),
        TumblingEventTimeWindows.of(minute) -> EventTimeTrigger.create(),
        windows                             -> AnyTrigger.of[InternalRow](clock, CountTrigger.of(2))
      )
    ) EndlessTriggers.refuseClockAlone((plan _).tupled(other))
  }
}
