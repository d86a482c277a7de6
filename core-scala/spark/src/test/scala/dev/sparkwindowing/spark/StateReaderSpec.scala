package dev.sparkwindowing.spark

import dev.sparkwindowing.SparkWindowing
import dev.sparkwindowing.assigners.EventTimeSessionWindows
import org.apache.spark.sql.Row
import org.apache.spark.sql.functions._
import org.scalatest.funsuite.AnyFunSuite

import java.time.Duration

/** Spark's own state reader on the operator's state. */
class StateReaderSpec extends AnyFunSuite with SharedSpark {
  import Event.at

  // Spark 3.5 has no such reader
  if (BuildInfo.sparkLine != "3.5")
    test("one row a key, with its windows and timers; gone when its last window is closed") {
      val q = new DrivenQuery(spark)(events =>
        SparkWindowing
          .keyBy(events, Seq(col("key")))
          .window(EventTimeSessionWindows.withGap(Duration.ofSeconds(5)))
          .aggregate(count(lit(1)).as("n"))
      )
      def state(): Seq[Row] = {
        q.stop()
        val value = col("value.groupState")
        val read  = spark.read.format("statestore").load(q.checkpoint.toString)
        val rows  =
          read.select(col("key.key"), value("windows"), col("value.timeoutTimestamp"), length(value("block")) > 0)
        rows.orderBy("key").collect().toSeq
      }
      try {
        q.start()
        q.batch(at("a", 1, 1000), at("a", 2, 30000), at("b", 3, 40000))
        // The watermark is 40 s: it has closed a's first session, at 6 s, and fires at the last millisecond of a session.
        assert(state() == Seq(Row("b", 1, 44999L, true)))
        q.start()
        q.batch(at("a", 4, 41000), at("a", 5, 50000))
        assert(state() == Seq(Row("a", 1, 54999L, true)))
        q.start()
        q.watermark(55000)
        assert(state() == Nil)
        assert(q.running.lastProgress.stateOperators(0).numRowsTotal == 0)
      } finally q.stop()
    }
}
