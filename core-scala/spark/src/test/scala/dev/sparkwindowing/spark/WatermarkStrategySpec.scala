package dev.sparkwindowing.spark

import dev.sparkwindowing.SparkWindowing
import dev.sparkwindowing.assigners.TumblingEventTimeWindows
import dev.sparkwindowing.watermarks.WatermarkStrategy
import org.apache.spark.sql.functions._
import org.apache.spark.sql.{Column, DataFrame}
import org.scalatest.funsuite.AnyFunSuite

import java.time.Duration

/** Every strategy on a running stream. An event-time window [0, 10000) fires when the watermark is 9999 (Spark's is
  * 10000 then).
  */
class WatermarkStrategySpec extends AnyFunSuite with SharedSpark {
  import Event.at
  import WatermarkStrategy._

  private val tenSeconds = TumblingEventTimeWindows.of(Duration.ofSeconds(10))

  private def counts(df: DataFrame): DataFrame =
    SparkWindowing.keyBy(df, Seq(col("key"))).window(tenSeconds).aggregate(count(lit(1)).as("n"))

  private def assign(df: DataFrame, strategy: WatermarkStrategy): DataFrame =
    if (strategy.timestampAssigner.isEmpty && !strategy.isIngestionTime)
      SparkWindowing.assignTimestampsAndWatermarks(df, strategy, "ts")
    else SparkWindowing.assignTimestampsAndWatermarks(df, strategy)

  private def running(inputs: Int)(build: Seq[DataFrame] => DataFrame)(test: InputsQuery => Unit): Unit = {
    val query = new InputsQuery(spark, inputs)(build)
    try test(query.start())
    finally query.stop()
  }

  private def over(strategy: WatermarkStrategy)(test: InputsQuery => Unit): Unit =
    running(1)(in => counts(assign(in.head, strategy)))(test)

  private val ofMarks = forGenerator(when(col("key") === "mark", col("ts")))

  test("bounded out-of-orderness: the highest event time less the delay, 1 ms less as Flink counts") {
    over(forBoundedOutOfOrderness(Duration.ofSeconds(5))) { q =>
      assert(q.batch(0, at("a", 1, 1000), at("b", 1, 14999)) == Nil)
      assert(q.batch(0, at("a", 1, 2000), at("b", 1, 15000)) == Seq("a [0, 10000) 2"))
    }
  }

  test("monotonous, with a timestamp assigner: the event time is a new column") {
    val strategy = forMonotonousTimestamps().withTimestampAssigner(timestamp_seconds(col("value")))
    over(strategy) { q =>
      assert(q.batch(0, at("a", 1, 99000), at("a", 9, 99000)) == Nil)
      assert(q.batch(0, at("a", 10, 0)) == Seq("a [0, 10000) 2"))
    }
  }

  test("a generator: the watermark that rows prove, which filters behind it do not lose; restarted") {
    running(1)(in => counts(assign(in.head, ofMarks).where(col("key") =!= "mark"))) { q =>
      assert(q.batch(0, at("a", 1, 1000), at("a", 2, 50000)) == Nil)
      assert(q.batch(0, at("mark", 0, 9998)) == Nil)
      q.restart()
      assert(q.batch(0, at("a", 3, 2000)) == Nil)
      assert(q.batch(0, at("mark", 0, 9999)) == Seq("a [0, 10000) 2"))
      q.restart()
      assert(q.batch(0, at("a", 4, 3000)) == Nil) // late, and known to be after the restart
      assert(q.metric("numLateRecordsDropped") == 1)
      assert(q.batch(0, at("mark", 0, 7000)) == Nil) // never backwards
      assert(q.batch(0, at("mark", 0, 59999)) == Seq("a [50000, 60000) 1"))
    }
  }

  test("a generator: columns selected and renamed in between, and Spark's own window instead of ours") {
    running(1)(in => counts(assign(in.head, ofMarks).select(col("ts").as("at"), upper(col("key")).as("key")))) { q =>
      assert(q.batch(0, at("a", 1, 1000)) == Nil)
      assert(q.batch(0, at("mark", 0, 9999)) == Seq("A [0, 10000) 1", "MARK [0, 10000) 1"))
    }
    running(1) { in =>
      assign(in.head, ofMarks).groupBy(col("key"), window(col("ts"), "10 seconds")).agg(count(lit(1)).as("n"))
    } { q =>
      assert(q.batch(0, at("a", 1, 1000), at("a", 2, 50000)) == Nil)
      assert(q.batch(0, at("mark", 0, 9999)) == Seq("a [0, 10000) 1", "mark [0, 10000) 1"))
    }
  }

  test("a row from the far future moves the watermark no further than clock and allowance, and keeps its time") {
    val strategy = forMonotonousTimestamps().withMaxAheadOfClock(Duration.ofSeconds(10))
    over(strategy) { q => // processing time is 1,000,000
      assert(q.batch(0, at("a", 1, 1001000), at("b", 1, 5000000)) == Seq("a [1000000, 1010000) 1"))
      assert(q.batch(0, at("a", 1, 1012000), Event("c", 1, null)) == Nil) // not late
      q.clock.advance(10000)
      assert(q.batch(0, at("b", 1, 5000001)) == Seq("a [1010000, 1020000) 1"))
      q.clock.advance(5000000)
      assert(q.batch(0, at("c", 1, 5010000)) == Seq("b [5000000, 5010000) 2"))
    }
  }

  test("a generator's watermark goes no further than clock and allowance either") {
    over(ofMarks.withMaxAheadOfClock(Duration.ofSeconds(9))) { q =>
      assert(q.batch(0, at("a", 1, 1001000), at("mark", 1, 5000000)) == Nil) // 1,009,000
      q.clock.advance(1000)
      assert(q.batch(0, at("mark", 1, 5000000)) == Seq("a [1000000, 1010000) 1"))
    }
  }

  test("ingestion time: the clock, and no row is late if it goes back") {
    running(1) { in =>
      assign(in.head, ingestionTime()).select("key", "event_time")
    } { q =>
      assert(q.batch(0, at("a", 1, 0), at("b", 1, 0)) == Seq("a 1000000", "b 1000000"))
      q.clock.advance(500)
      assert(q.batch(0, at("c", 1, 0)) == Seq("c 1000500"))
      q.clock.advance(-400)
      assert(q.batch(0, at("d", 1, 0)) == Seq("d 1000500"))
      q.restart()
      assert(q.batch(0, at("e", 1, 0)) == Seq("e 1000500"))
    }
    over(ingestionTime()) { q =>
      assert(q.batch(0, at("a", 1, 0)) == Nil)
      q.clock.advance(10001)
      assert(q.batch(0, at("b", 1, 0)) == Seq("a [1000000, 1010000) 1"))
      q.clock.advance(-10001)
      assert(q.batch(0, at("a", 1, 0)) == Nil)
      assert(q.metric("numLateRecordsDropped") == 0)
      q.clock.advance(30000)
      assert(q.batch(0, at("c", 1, 0)) == Seq("a [1010000, 1020000) 1", "b [1010000, 1020000) 1"))
    }
  }

  test("no watermarks: windows take everything and stay open") {
    over(noWatermarks()) { q =>
      assert(q.batch(0, at("a", 1, 500000)) == Nil)
      assert(q.batch(0, at("a", 1, 1000)) == Nil)
      assert(q.metric("openWindows") == 2)
    }
  }

  test("several inputs: the slowest decides, and a quiet one holds all") {
    running(2) { in =>
      val fast = assign(in.head, forBoundedOutOfOrderness(Duration.ofSeconds(2)))
      counts(fast.union(assign(in(1), ofMarks)))
    } { q =>
      assert(q.batch(0, at("a", 1, 1000), at("a", 1, 90000)) == Nil) // the other has sent nothing
      assert(q.batch(1, at("b", 1, 2000)) == Nil)
      assert(q.batch(1, at("mark", 1, 9999)) == Seq("a [0, 10000) 1", "b [0, 10000) 1", "mark [0, 10000) 1"))
      assert(q.batch(0, at("a", 1, 95000)) == Nil) // quiet again
      assert(q.batch(1, at("mark", 1, 200000)) == Nil)
      assert(q.batch(0, at("a", 1, 103000)) == Seq("a [90000, 100000) 2"))
    }
  }

  test("several inputs: one without watermarks holds all") {
    running(2)(in => counts(assign(in.head, forMonotonousTimestamps()).union(assign(in(1), noWatermarks())))) { q =>
      assert(q.batch(0, at("a", 1, 1000), at("a", 1, 90000)) == Nil)
      assert(q.batch(1, at("b", 1, 90000)) == Nil)
      assert(q.metric("openWindows") == 3)
    }
  }

  private def refused(body: => Any): String = intercept[IllegalArgumentException](body).getMessage

  test("what does not go on a stream is refused with what to do") {
    running(1) { in =>
      val df       = in.head
      val strategy = forMonotonousTimestamps()
      val assigned = assign(df, strategy)

      assert(refused(assign(df.withWatermark("ts", "1 second"), strategy)).contains("has a watermark already"))
      assert(refused(assign(counts(assigned).select(col("window.end").as("ts")), strategy)).contains("never needed"))
      assert(refused(counts(assigned.withWatermark("ts", "1 second"))).contains("Take withWatermark away"))
      assert(refused(counts(assigned.select(col("*"), col("ts").as("too")))).contains("'ts', 'too'. Name one"))
      assert(
        refused(SparkWindowing.assignTimestampsAndWatermarks(df, strategy)).contains("Name a TIMESTAMP column ('ts')")
      )
      assert(
        refused(SparkWindowing.assignTimestampsAndWatermarks(df, strategy, "key")).contains(
          "'key' is no TIMESTAMP column of the DataFrame ('ts')"
        )
      )
      val text = strategy.withTimestampAssigner(col("key"))
      assert(refused(assign(df, text)).contains("the timestamp assigner must be a TIMESTAMP, got key of type STRING"))
      val twice = strategy.withTimestampAssigner(col("ts"))
      assert(
        refused(SparkWindowing.assignTimestampsAndWatermarks(df, twice, "ts")).contains("a second column 'ts'")
      )
      assert(
        refused(assign(df, forGenerator(col("value")))).contains("the column of forGenerator must be a TIMESTAMP")
      )
      counts(assigned)
    }(_ => ())
  }

  test("a static DataFrame gets event times, and key_by finds them") {
    val df                              = spark.range(3).select(lit("a").as("key"), col("id"))
    def of(strategy: WatermarkStrategy) = WindowText.of(counts(assign(df, strategy)).collect().toSeq)
    val seconds: Column                 = timestamp_seconds(col("id") * 8)
    val all                             = Seq("a [0, 10000) 2", "a [10000, 20000) 1")
    assert(of(forMonotonousTimestamps().withTimestampAssigner(seconds)) == all)
    assert(of(noWatermarks().withTimestampAssigner(seconds).withIdleness(Duration.ofSeconds(1))) == all)
    assert(of(ofGenerator.withTimestampAssigner(seconds)) == all)
    assert(assign(df, ingestionTime()).select(col("event_time").isNotNull).distinct().collect().length == 1)
  }

  private def ofGenerator = forGenerator(col("event_time"))

  test("strategies are values of their own, and say what they are") {
    val base = forBoundedOutOfOrderness(Duration.ofSeconds(5))
    val all  = base.withIdleness(Duration.ofMinutes(1)).withMaxAheadOfClock(Duration.ofHours(1))
    assert(base.toString == "WatermarkStrategy(out of order by 5 s)")
    assert(all.toString == "WatermarkStrategy(out of order by 5 s, idle after 1 min, at most 1 h ahead of the clock)")
    assert(
      base.withIdleness(Duration.ofMinutes(1), boundedByClock = false).toString ==
        "WatermarkStrategy(out of order by 5 s, idle after 1 min, not bounded by the clock)"
    )
    assert(refused(forBoundedOutOfOrderness(Duration.ofSeconds(-5))).contains("must not be negative, got -5 s"))
    assert(refused(base.withIdleness(Duration.ZERO)).contains("idle timeout must be positive"))
    assert(refused(base.withMaxAheadOfClock(Duration.ofMillis(-1))).contains("must not be negative"))
    assert(refused(ingestionTime().withTimestampAssigner(col("ts"))).contains("takes no timestamp assigner"))
  }
}
