package dev.sparkwindowing.spark.exec

import dev.sparkwindowing.spark.SharedSpark
import dev.sparkwindowing.spark.aggregates.AggregateAnalysis
import dev.sparkwindowing.spark.plan.{InputLayout, PreAggregation}
import dev.sparkwindowing.windows.SlidingSlices
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection
import org.apache.spark.sql.functions._
import org.apache.spark.sql.types.{LongType, StructField, StructType}
import org.scalatest.funsuite.AnyFunSuite

/** Rows of one input partition, put together to sessions with a gap of 10, or slices of 10. */
class PartialResultsSpec extends AnyFunSuite with SharedSpark {
  private val columns = StructType(Seq("key", "event_time", "value").map(StructField(_, LongType)))

  private lazy val path = PreAggregation.Sessions(
    AggregateAnalysis(spark.range(1).select(col("id").as("value")), Seq(sum("value").as("total"))),
    gap = 10,
    lateness = 0
  )

  /** A row a session: key, bounds, number of rows, their sum, and the number of the first. */
  private def sessions(limit: Long = 1L << 20, watermark: Long = Long.MinValue)(rows: (Long, Option[Long], Long)*) =
    partials(path, limit, watermark)(rows: _*)

  private def partials(path: PreAggregation.Aggregated, limit: Long = 1L << 20, watermark: Long = Long.MinValue)(
      rows: (Long, Option[Long], Long)*
  ) = {
    val layout = new InputLayout(1, 1, Array(2), Array.emptyIntArray, Array.emptyIntArray, columns, Seq("key"))
    val unsafe = UnsafeProjection.create(columns)
    val input  = rows.iterator.map { case (key, time, value) =>
      unsafe(InternalRow(key, time.orNull, value)): InternalRow
    }
    PartialResultsTask(path, layout, limit)
      .of(input, watermark)
      .map { row =>
        val start = if (row.isNullAt(1)) None else Some(row.getLong(1))
        (
          row.getLong(0),
          start,
          row.getLong(4),
          row.getLong(3),
          if (row.isNullAt(2)) 0L else row.getLong(2),
          row.getLong(5)
        )
      }
      .toList
  }

  private def row(key: Long, time: Long, value: Long): (Long, Option[Long], Long) = (key, Some(time), value)

  test("rows that overlap or touch are one session, of each key by itself") {
    assert(
      sessions()(row(1, 0, 1), row(1, 10, 2), row(2, 5, 4), row(1, 25, 8), row(2, 4, 16)) == List(
        (1, Some(0), 20, 2, 3, 0),
        (2, Some(4), 15, 2, 20, 2),
        (1, Some(25), 35, 1, 8, 3)
      )
    )
  }

  test("rows of a key in one slice are one row, however many slices the key has") {
    val tumbling = PreAggregation.Slices(path.computation, SlidingSlices(10, 10, 0), None)
    assert(
      partials(tumbling)(row(1, 0, 1), row(1, 9, 2), row(2, 5, 4), row(1, 10, 8), row(1, 3, 16), (2, None, 32)) == List(
        (1, Some(0), 10, 3, 19, 0),
        (2, Some(0), 10, 1, 4, 2),
        (1, Some(10), 20, 1, 8, 3),
        (2, None, Long.MinValue, 1, 0, 5)
      )
    )
    val many = (0 to 100).map(i => row(1, i * 10L, 1))
    assert(partials(tumbling)(many ++ many.takeRight(30): _*).map(_._4).sum == 131)
    val grid    = SlidingSlices(25, 10, 0)
    val sliding = PreAggregation.Slices(path.computation, grid, Some(grid))
    assert(
      partials(sliding)(row(1, 4, 1), row(1, 5, 2), row(1, 9, 4)).map(r => (r._2, r._3, r._5)) ==
        List((Some(0), 5, 1), (Some(5), 10, 6))
    )
  }

  test("a row between two sessions joins them under the number of the first") {
    assert(sessions()(row(1, 15, 1), row(1, 0, 2), row(1, 8, 4)) == List((1, Some(0), 25, 3, 7, 0)))
  }

  test("a row that is late by itself stays alone, and ends what the rows before it can be put together with") {
    // The watermark 29 has passed the session of 20, not that of 21.
    assert(
      sessions(watermark = 29)(row(1, 25, 1), row(1, 20, 2), row(1, 26, 4)) == List(
        (1, Some(25), 35, 1, 1, 0),
        (1, Some(20), 30, 1, 2, 1),
        (1, Some(26), 36, 1, 4, 2)
      )
    )
    assert(sessions(watermark = 29)(row(1, 25, 1), row(1, 21, 2)) == List((1, Some(21), 35, 2, 3, 0)))
  }

  test("rows without a time are counted, once a key") {
    assert(
      sessions()((1, None, 1), (1, None, 2), row(1, 0, 4)).map(s => (s._2, s._4, s._5)) == List(
        (None, 2, 0),
        (Some(0), 1, 4)
      )
    )
  }

  test("what is held is sent on when it is too much") {
    assert(
      sessions(limit = 300)(row(1, 0, 1), row(2, 0, 2), row(1, 1, 4)) == List(
        (1, Some(0), 10, 1, 1, 0),
        (2, Some(0), 10, 1, 2, 1),
        (1, Some(1), 11, 1, 4, 2)
      )
    )
  }

  test("a row far behind many sessions of its key begins anew") {
    val ahead = (0 until 50).map(i => row(1, i * 100L, 1))
    assert(sessions()(ahead :+ row(1, 5, 2): _*).last == ((1, Some(5), 15, 1, 2, 50)))
    assert(sessions()(ahead :+ row(1, 3005, 2): _*)(30) == ((1, Some(3000), 3015, 2, 3, 30)))
  }
}
