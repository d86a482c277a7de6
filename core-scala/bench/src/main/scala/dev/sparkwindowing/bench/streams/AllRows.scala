package dev.sparkwindowing.bench.streams

import dev.sparkwindowing.api._
import dev.sparkwindowing.assigners.TumblingEventTimeWindows
import dev.sparkwindowing.functions.{Collector, ProcessWindowFunction}
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.{DataFrame, Row}

import java.time.Duration.ofDays

/** Goes through all rows of a window once. */
final class AllRows extends ProcessWindowFunction[Row, Row, Row] {
  def process(key: Row, context: ProcessWindowFunction.Context, rows: Iterable[Row], out: Collector[Row]): Unit = {
    var count = 0L
    var total = 0L
    rows.foreach { row =>
      count += 1
      total += row.getLong(2)
    }
    out.collect(Row(count, total))
  }
}

object AllRows {

  /** Count and total of the days of each key, of rows of key, ts and value; for the benchmark of a large key. */
  def counted(rows: DataFrame): DataFrame =
    rows
      .keyBy("key")
      .eventTime("ts")
      .window(TumblingEventTimeWindows.of(ofDays(1)))
      .allowedLateness(ofDays(30))
      .process(new AllRows, StructType.fromDDL("n BIGINT, total BIGINT"))
}
