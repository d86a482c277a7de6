package dev.sparkwindowing.spark

import dev.sparkwindowing.SparkWindowing
import dev.sparkwindowing.assigners.EventTimeSessionWindows
import dev.sparkwindowing.evictors.CountEvictor
import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.functions._
import org.scalatest.funsuite.AnyFunSuite

import java.time.Duration

/** A micro-batch without rows, and one whose rows a filter takes out: nothing comes out, nothing is written. */
class EmptyBatchSpec extends AnyFunSuite with SharedSpark {
  import Event.at

  private val queries: Seq[(String, DataFrame => DataFrame)] = Seq(
    "tumbling windows" -> (SparkWindowing
      .keyBy(_, Seq(col("key")))
      .timeWindow(Duration.ofSeconds(10))
      .aggregate(count(lit(1)))),
    "sessions" -> (SparkWindowing
      .keyBy(_, Seq(col("key")))
      .window(EventTimeSessionWindows.withGap(Duration.ofSeconds(5)))
      .aggregate(count(lit(1)))),
    "windows with an evictor" -> (SparkWindowing
      .keyBy(_, Seq(col("key")))
      .timeWindow(Duration.ofSeconds(10))
      .evictor(CountEvictor.of(3))
      .aggregate(count(lit(1))))
  )

  for ((kind, query) <- queries)
    test(s"$kind: an empty micro-batch puts out and writes nothing, and the watermark stands") {
      val q            = new DrivenQuery(spark)(events => query(events.where(col("value") >= 0)))
      def idle(): Unit = {
        val state = q.running.lastProgress.stateOperators(0)
        assert((state.numRowsUpdated, state.numRowsRemoved, state.numRowsTotal) == ((0L, 0L, 2L)))
      }
      def watermark = q.running.lastProgress.eventTime.get("watermark")
      try {
        q.start()
        assert(q.batch() == Nil) // before any row
        assert(q.running.lastProgress == null || q.running.lastProgress.stateOperators.forall(_.numRowsTotal == 0))
        assert(q.batch(at("a", 1, 1000), at("b", 1, 2000)) == Nil)
        assert(q.batch() == Nil)
        val before = watermark
        for (_ <- 1 to 3) {
          assert(q.batch() == Nil)
          assert(q.batch(at("a", -1, 1500)) == Nil)
          idle()
        }
        q.restart()
        assert(q.batch() == Nil)
        assert(q.batch(at("a", -1, 1500)) == Nil)
        idle()
        assert(watermark == before)
        assert(q.watermark(20000).size == 2)
      } finally q.stop()
    }
}
