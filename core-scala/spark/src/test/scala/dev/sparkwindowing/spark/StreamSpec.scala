package dev.sparkwindowing.spark

import dev.sparkwindowing.SparkWindowing
import dev.sparkwindowing.assigners.{EventTimeSessionWindows, TumblingEventTimeWindows}
import org.apache.spark.sql.functions._
import org.apache.spark.sql.streaming.OutputMode
import org.apache.spark.sql.{Column, DataFrame, SparkTestBridge}
import org.scalatest.funsuite.AnyFunSuite

import java.time.Duration

/** The operator in a running stream: firing, lateness, sessions, restart. */
class StreamSpec extends AnyFunSuite with SharedSpark {
  import Event.at

  private val tenSeconds        = TumblingEventTimeWindows.of(Duration.ofSeconds(10))
  private val sums: Seq[Column] = Seq(count(lit(1)).as("n"), sum("value").as("total"))

  private def tumbling(events: DataFrame): DataFrame =
    SparkWindowing.keyBy(events, Seq(col("key"))).window(tenSeconds).aggregate(sums: _*)

  private def running(query: DrivenQuery)(test: DrivenQuery => Unit): Unit =
    try test(query.start())
    finally query.stop()

  test("a window fires in the micro-batch after the watermark has passed its last millisecond") {
    running(new DrivenQuery(spark)(tumbling)) { q =>
      assert(WindowText.of(q.batch(at("a", 1, 2000), at("b", 5, 3000), at("a", 2, 9999))) == Nil)
      // The watermark 9999 of Spark is 9998 of Flink: [0, 10000) lacks a millisecond.
      assert(WindowText.of(q.watermark(10000)) == Seq("a [0, 10000) 2 3", "b [0, 10000) 1 5"))
      assert(q.metric("openWindows") == 0)
    }
  }

  test("a late row is dropped and counted") {
    running(new DrivenQuery(spark)(tumbling)) { q =>
      q.batch(at("a", 1, 2000))
      assert(WindowText.of(q.watermark(10000)) == Seq("a [0, 10000) 1 1"))
      assert(WindowText.of(q.batch(at("a", 9, 3000), at("a", 4, 12000))) == Nil)
      assert(WindowText.of(q.watermark(20000)) == Seq("a [10000, 20000) 1 4"))
    }
  }

  test("the late side output carries the row, how late it was and the window it missed") {
    val query = new DrivenQuery(spark)(events =>
      SparkWindowing.allOutputs(
        SparkWindowing.keyBy(events, Seq(col("key"))).window(tenSeconds).sideOutputLateData("late").aggregate(sums: _*)
      )
    )
    running(query) { q =>
      q.batch(at("a", 1, 2000))
      assert(WindowText.of(q.watermark(10000)) == Seq("main (a [0, 10000) 1 1) null"))
      val late = WindowText.of(q.batch(at("a", 9, 3000), Event("a", 7, null)))
      // Flink's watermark is Spark's less one: 9999 - 3000.
      assert(late == Seq("late null (a 7 null null null no event time)", "late null (a 9 3000 6999 [0, 10000) late)"))
    }
  }

  test("allowed lateness: a late row fires its window again, until the watermark has passed end and lateness") {
    val query = new DrivenQuery(spark)(events =>
      SparkWindowing
        .keyBy(events, Seq(col("key")))
        .window(tenSeconds)
        .allowedLateness(Duration.ofSeconds(5))
        .aggregate(sums: _*)
    )
    running(query) { q =>
      q.batch(at("a", 1, 2000))
      assert(WindowText.of(q.watermark(10000)) == Seq("a [0, 10000) 1 1"))
      assert(WindowText.of(q.batch(at("a", 2, 3000))) == Seq("a [0, 10000) 2 3"))
      assert(WindowText.of(q.batch(at("a", 3, 3000), at("a", 4, 3001))) == Seq("a [0, 10000) 3 6", "a [0, 10000) 4 10"))
      q.watermark(15000)
      assert(WindowText.of(q.batch(at("a", 5, 3000))) == Nil)
      assert(q.metric("numLateRecordsDropped") == 1)
    }
  }

  test("sessions merge across micro-batches and restarts") {
    val query = new DrivenQuery(spark, delay = Some("60 seconds"))(events =>
      SparkWindowing
        .keyBy(events, Seq(col("key")))
        .window(EventTimeSessionWindows.withGap(Duration.ofSeconds(10)))
        .aggregate(sums: _*)
    )
    running(query) { q =>
      q.batch(at("a", 1, 1000), at("a", 2, 30000))
      q.restart()
      q.batch(at("a", 4, 11000)) // touches [1000, 11000)
      q.restart()
      q.batch(at("a", 8, 20500)) // joins both
      assert(q.metric("openWindows") == 1)
      assert(WindowText.of(q.watermark(100000)) == Seq("a [1000, 40000) 4 15"))
    }
  }

  test("the update mode is accepted and means the same") {
    running(new DrivenQuery(spark, OutputMode.Update)(tumbling)) { q =>
      q.batch(at("a", 1, 2000))
      assert(WindowText.of(q.watermark(10000)) == Seq("a [0, 10000) 1 1"))
    }
  }

  test("no adaptive plan, and as many partitions as the state has") {
    running(new DrivenQuery(spark)(tumbling)) { q =>
      q.batch(at("a", 1, 2000))
      val plan = SparkTestBridge.lastPlan(q.running).toString
      assert(plan.contains("Window"), plan)
      assert(!plan.contains("AdaptiveSparkPlan"), plan)
      assert(q.running.lastProgress.stateOperators(0).numShufflePartitions == 3)
    }
  }
}
