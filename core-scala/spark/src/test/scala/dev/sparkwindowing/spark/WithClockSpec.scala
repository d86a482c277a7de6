package dev.sparkwindowing.spark

import dev.sparkwindowing.SparkWindowing
import dev.sparkwindowing.assigners.{ProcessingTimeSessionWindows, TumblingProcessingTimeWindows}
import dev.sparkwindowing.spark.sources.TickOffset
import dev.sparkwindowing.watermarks.WatermarkStrategy
import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.functions._
import org.apache.spark.sql.streaming.Trigger
import org.scalatest.funsuite.AnyFunSuite

import java.nio.file.Files
import java.time.Duration

/** The clock of `withClock`, and what it and idle inputs are to the rest of a query: its triggers, sources and schema.
  */
class WithClockSpec extends AnyFunSuite with SharedSpark with QuietStreams {
  import Event.at
  import WatermarkStrategy._

  @annotation.nowarn("cat=deprecation")
  private val once: Trigger = Trigger.Once()

  test("the clock: windows of processing time fire without rows, also after a restart") {
    running() { in =>
      val rows = SparkWindowing.withClock(in.head, seconds(10))
      SparkWindowing
        .keyBy(rows, Seq(col("key")))
        .window(ProcessingTimeSessionWindows.withGap(seconds(60)))
        .aggregate(count(lit(1)).as("n"))
    } { q =>
      assert(q.batch(0, at("a", 1, 0)) == Nil)
      q.stop()
      q.clock.advance(61000)
      q.start()
      assert(q.settle() == Nil) // the first tick of this source is yet to come
      assert(q.quiet(10000) == Seq("a [1000000, 1060000) 1"))
      assert(q.batch(0, at("b", 1, 0)) == Nil)
      q.stop()
      q.clock.advance(61000)
      q.start()
      assert(q.settle() == Seq("b [1071000, 1131000) 1"))
    }
  }

  test("the clock adds nothing to a stream without windows, and leaves its schema as it is") {
    val schemas = scala.collection.mutable.Buffer.empty[(String, String)]
    running() { in =>
      val rows = SparkWindowing.withClock(in.head, seconds(10))
      schemas += in.head.schema.treeString -> rows.schema.treeString
      rows.select(in.head("key"), col("value") + 1)
    } { q =>
      assert(q.batch(0, at("a", 1, 0)) == Seq("a 2"))
      assert(q.quiet(10000) == Nil)
      val progress = q.running.lastProgress
      assert(
        progress.numInputRows == 0 && progress.sources.map(_.description).contains("clock without rows, every 10 s")
      )
      assert(q.batch(0, at("b", 5, 0)) == Seq("b 6"))
    }
    schemas.foreach { case (before, after) => assert(after == before) }
  }

  test("with idleness a stream without windows has no more rows, and the columns that it had") {
    running() { in =>
      val rows = assign(in.head, idle)
      assert(rows.schema.treeString == in.head.schema.treeString)
      rows.select(col("key"), col("value"), col("ts"))
    } { q =>
      assert(q.batch(0, at("a", 1, 1000500)) == Seq("a 1 1000500"))
      assert(q.quiet(25000) == Nil)
      assert(q.running.lastProgress.eventTime.get("watermark") == "1970-01-01T00:16:35.500Z")
      assert(q.running.lastProgress.numInputRows == 0)
    }
  }

  test("clock and watermark work in either order, with both, and over Spark's own windows") {
    val orders = Seq[DataFrame => DataFrame](
      df => SparkWindowing.withClock(assign(df, idle), seconds(3)),
      df => assign(SparkWindowing.withClock(df, seconds(3)), idle)
    )
    orders.foreach { order =>
      running()(in => counts(order(in.head))) { q =>
        assert(q.batch(0, at("a", 1, 1000500)) == Nil)
        assert(q.quiet(25000) == Seq("a [1000000, 1010000) 1"))
      }
    }
    val plain = Seq[DataFrame => DataFrame](
      df => SparkWindowing.withClock(df.withWatermark("ts", "0 seconds"), seconds(3)),
      df => SparkWindowing.withClock(df, seconds(3)).withWatermark("ts", "0 seconds")
    )
    plain.foreach { order =>
      running()(in => counts(order(in.head))) { q =>
        assert(q.batch(0, at("a", 1, 1000500)) == Nil)
        assert(q.quiet(25000) == Nil)
        assert(q.batch(0, at("a", 1, 1010000)) == Seq("a [1000000, 1010000) 1"))
      }
    }
    running() { in =>
      assign(in.head, idle).groupBy(window(col("ts"), "10 seconds"), col("key")).count()
    } { q =>
      assert(q.batch(0, at("a", 1, 1000500)) == Nil)
      assert(q.quiet(25000) == Seq("[1000000, 1010000) a 1"))
    }
  }

  for (trigger <- Seq(Trigger.AvailableNow(), once))
    test(s"$trigger: no micro-batch of its own, and the query ends") {
      val folder            = Files.createTempDirectory("checkpoint").toString
      def run(rows: Event*) = {
        val q = new InputsQuery(spark, 1, trigger, folder)(in =>
          SparkWindowing
            .keyBy(SparkWindowing.withClock(assign(in.head, idle), seconds(1)), Seq(col("key")))
            .window(TumblingProcessingTimeWindows.of(seconds(10)))
            .aggregate(count(lit(1)).as("n"))
        )
        try {
          q.add(0, rows: _*).start()
          assert(q.running.awaitTermination(60000))
          q.running.recentProgress.count(_.numInputRows == 0)
        } finally q.stop()
      }
      assert(run(at("a", 1, 1000500)) == 0)
    }

  private def refused(body: => Any): String = intercept[IllegalArgumentException](body).getMessage

  test("what cannot work is refused with what to do") {
    running() { in =>
      val df = in.head
      assert(refused(SparkWindowing.withClock(spark.range(1).toDF(), seconds(1))).contains("Take withClock away"))
      assert(refused(SparkWindowing.withClock(df, Duration.ZERO)).contains("every must be positive, got 0 ms"))
      assert(refused(SparkWindowing.withClock(df, seconds(-1))).contains("every must be positive, got -1 s"))
      assert(refused(assign(df, noWatermarks().withIdleness(seconds(1)))).contains("Take withIdleness away"))
      val waiting = spark.readStream.format("rate").option("minOffsetsPerTrigger", 9).load()
      val reason  = refused(SparkWindowing.assignTimestampsAndWatermarks(waiting, idle, "timestamp"))
      assert(reason.contains("Take minOffsetsPerTrigger away"))
      df.select("key")
    }(_ => ())
  }

  test("a query that adds the clock to its checkpoint, or takes it away, is refused") {
    val folder = Files.createTempDirectory("checkpoint").toString
    def outcome(build: DataFrame => DataFrame): Either[String, Seq[String]] = {
      val q = new InputsQuery(spark, 1, checkpoint = folder)(in => build(in.head).select("key"))
      try Changing.outcome(q.start().batch(0, at("a", 1, 0)))
      finally q.stop()
    }
    assert(outcome(identity) == Right(Seq("a")))
    val added = outcome(SparkWindowing.withClock(_, seconds(1)))
    assert(
      added.left.exists(_.contains("There are [1] sources in the checkpoint offsets and now there are [2]")),
      added
    )
  }

  test("a query with windows is told which source it has more, or less, than its checkpoint") {
    val quiet  = idle
    val active = forBoundedOutOfOrderness(seconds(5))
    def outcome(folder: String, strategy: WatermarkStrategy): Either[String, Seq[String]] = {
      val q = new InputsQuery(spark, 1, checkpoint = folder)(in => counts(assign(in.head, strategy)))
      try Changing.outcome(q.start().batch(0, at("a", 1, 1000500)))
      finally q.stop()
    }
    Seq(active -> quiet, quiet -> active).foreach { case (first, second) =>
      val folder = Files.createTempDirectory("checkpoint").toString
      assert(outcome(folder, first) == Right(Nil))
      val changed = outcome(folder, second)
      val numbers =
        if (first == active) "the query has 2 sources and its checkpoint 1"
        else "the query has 1 source and its checkpoint 2"
      assert(changed.left.exists(_.contains(numbers)), changed)
      assert(changed.left.exists(_.contains("withClock and withIdleness are sources of their own")), changed)
      assert(outcome(folder, first) == Right(Nil))
    }
  }

  test("an offset of another source is refused by name") {
    val e = intercept[IllegalArgumentException](TickOffset.of("""{"topic":{"0":17}}"""))
    assert(e.getMessage.contains("has the offset of another source, {\"topic\""))
    assert(TickOffset.of(TickOffset(5, Some(-7)).json()) == TickOffset(5, Some(-7)))
    assert(TickOffset.of(TickOffset(5, None).json()) != TickOffset(5, Some(5)))
  }
}
