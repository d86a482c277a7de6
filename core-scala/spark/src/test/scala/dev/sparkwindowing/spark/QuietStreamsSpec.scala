package dev.sparkwindowing.spark

import dev.sparkwindowing.SparkWindowing
import dev.sparkwindowing.assigners.{
  ProcessingTimeSessionWindows,
  TumblingEventTimeWindows,
  TumblingProcessingTimeWindows
}
import dev.sparkwindowing.spark.sources.TickOffset
import dev.sparkwindowing.watermarks.WatermarkStrategy
import org.apache.spark.sql.functions._
import org.apache.spark.sql.streaming.{StreamingQueryException, Trigger}
import org.apache.spark.sql.{DataFrame, SparkSession}
import org.scalatest.funsuite.AnyFunSuite

import java.nio.file.{Files, Path}
import java.time.Duration
import scala.jdk.CollectionConverters._

/** Streams whose inputs have no rows while the clock, which begins at 1000000, goes on. Windows last 10 seconds. */
class QuietStreamsSpec extends AnyFunSuite with SharedSpark {
  import Event.at
  import QuietStreamsSpec._
  import WatermarkStrategy._

  private def running(
      inputs: Int = 1,
      trigger: Trigger = Trigger.ProcessingTime(0),
      on: SparkSession = spark
  )(build: Seq[DataFrame] => DataFrame)(test: InputsQuery => Unit): Unit = {
    val query = new InputsQuery(on, inputs, trigger)(build)
    try test(query.start())
    finally query.stop()
  }

  private def over(strategy: WatermarkStrategy)(test: InputsQuery => Unit): Unit =
    running()(in => counts(assign(in.head, strategy)))(test)

  // Windows fire at their end by the clock and 15 seconds.
  private val idle = forBoundedOutOfOrderness(seconds(5)).withIdleness(seconds(10))

  test("the last window fires when its end by the clock, the timeout and the delay are over") {
    over(idle) { q =>
      assert(q.batch(0, at("a", 1, 1000500), at("a", 1, 1001000)) == Nil)
      assert(q.quiet(24000) == Nil)
      assert(q.quiet(1000) == Seq("a [1000000, 1010000) 2"))
      assert(q.batch(0, at("b", 1, 1009000), at("b", 1, 1010000)) == Nil) // the first of both is late
      assert(q.metric("numLateRecordsDropped") == 1)
      assert(q.quiet(10000) == Seq("b [1010000, 1020000) 1"))
    }
  }

  test("not bounded by the clock: when the idle time reaches it from the last row") {
    over(forBoundedOutOfOrderness(seconds(5)).withIdleness(seconds(10), boundedByClock = false)) { q =>
      assert(q.batch(0, at("a", 1, 5000500)) == Nil) // the future: Spark's watermark is 4995500
      assert(q.quiet(14000) == Nil)
      assert(q.quiet(1000) == Seq("a [5000000, 5010000) 1"))
    }
  }

  test("a row ends the idle time, and counts before the watermark rises") {
    over(idle) { q =>
      q.batch(0, at("a", 1, 1000500))
      assert(q.quiet(9000) == Nil)
      assert(q.batch(0, at("a", 1, 1001000)) == Nil)
      assert(q.quiet(9999) == Nil)
      assert(q.batch(0, at("a", 1, 1001500)) == Nil)
      assert(q.quiet(9999) == Nil)
      assert(q.metric("openWindows") == 1)
      assert(q.quiet(3501) == Seq("a [1000000, 1010000) 3"))
    }
  }

  test("rows in the micro-batch of a rise are judged by the watermark before it") {
    val own = spark.newSession()
    own.conf.set("spark.sql.streaming.pollingDelay", "700") // time for rows between two polls
    running(on = own)(in => counts(assign(in.head, idle))) { q =>
      q.batch(0, at("a", 1, 1000500))
      q.settle()
      q.clock.advance(25000)
      assert(q.settle() == Nil) // the next poll knows that this one found nothing, and finds a row itself
      assert(q.batch(0, at("a", 1, 1001000)) == Seq("a [1000000, 1010000) 2"))
      assert(q.metric("numLateRecordsDropped") == 0)
      assert(q.running.lastProgress.numInputRows == 1)
      assert(q.batch(0, at("a", 1, 1001000)) == Nil)
      assert(q.metric("numLateRecordsDropped") == 1)
    }
  }

  test("three inputs of which two never had a row: both are idle, and the third is not held back") {
    running(inputs = 3)(in => counts(in.map(assign(_, idle)).reduce(_.union(_)))) { q =>
      assert(q.batch(0, at("a", 1, 1000500)) == Nil)
      val fired = (1 to 8).flatMap { second =>
        q.clock.advance(5000)
        q.batch(0, at("b", 1, 1000500 + second * 5000L))
      }
      assert(fired.contains("a [1000000, 1010000) 1"))
    }
  }

  test("an input united with itself continues after a restart") {
    running()(in => counts(assign(in.head.union(in.head), idle))) { q =>
      assert(q.batch(0, at("a", 1, 1000500)) == Nil)
      q.restart()
      assert(q.quiet(25000) == Seq("a [1000000, 1010000) 2"))
    }
  }

  test("no row yet: there is no watermark, and none rises") {
    over(idle) { q =>
      assert(q.quiet(60000) == Nil)
      assert(!q.hasRun)
    }
  }

  test("a restart: the count starts anew, from the watermark of the checkpoint") {
    over(idle) { q =>
      q.batch(0, at("a", 1, 1000500))
      assert(q.quiet(9000) == Nil)
      q.restart()
      assert(q.quiet(9000) == Nil)
      assert(q.quiet(7000) == Seq("a [1000000, 1010000) 1"))
    }
  }

  test("every strategy with a watermark can be idle") {
    over(ingestionTime().withIdleness(seconds(10))) { q =>
      assert(q.batch(0, at("a", 1, 0)) == Nil)
      assert(q.quiet(20000) == Nil)
      assert(q.quiet(1000) == Seq("a [1000000, 1010000) 1"))
    }
    val marks = forGenerator(when(col("key") === "mark", col("ts"))).withIdleness(seconds(10))
    running()(in => counts(assign(in.head, marks).where(col("key") =!= "mark"))) { q =>
      assert(q.batch(0, at("a", 1, 1000500), at("mark", 1, 1000500)) == Nil)
      assert(q.quiet(19000) == Nil)
      assert(q.quiet(1000) == Seq("a [1000000, 1010000) 1"))
    }
    over(idle.withMaxAheadOfClock(seconds(60))) { q =>
      assert(q.batch(0, at("a", 1, 1000500), at("a", 1, 1090000)) == Seq("a [1000000, 1010000) 1"))
      assert(q.quiet(30000) == Nil)
      assert(q.metric("openWindows") == 1)
    }
    over(forMonotonousTimestamps().withTimestampAssigner(timestamp_millis(col("value"))).withIdleness(seconds(10))) {
      q =>
        assert(q.batch(0, at("a", 1000500, 0)) == Nil)
        assert(q.quiet(20000) == Seq("a [1000000, 1010000) 1"))
    }
  }

  test("several inputs: an idle one no longer holds back the other, and all of them can be idle") {
    running(inputs = 2)(in => counts(in.map(assign(_, idle)).reduce(_ union _))) { q =>
      q.batch(1, at("b", 1, 1000500))
      assert(q.batch(0, at("a", 1, 1001000)) == Nil)
      (1 to 24).foreach { second => // input 0 has a row each second
        assert(q.quiet(1000) ++ q.batch(0, at("a", 1, 1001000L + 1000 * second)) == Nil)
      }
      assert(
        q.quiet(1000) ++ q.batch(0, at("a", 1, 1026000)) == Seq("a [1000000, 1010000) 9", "b [1000000, 1010000) 1")
      )
      assert(q.quiet(10000) == Seq("a [1010000, 1020000) 10"))
      assert(q.quiet(10000) == Seq("a [1020000, 1030000) 7"))
    }
  }

  test("several inputs: an input that had no row yet, and one that is idle since a restart, hold nothing back") {
    running(inputs = 2)(in => counts(in.map(assign(_, idle)).reduce(_ union _))) { q =>
      q.quiet(30000)
      assert(q.batch(0, at("a", 1, 1000500), at("a", 1, 1030000)) == Seq("a [1000000, 1010000) 1"))
      q.restart()
      assert(q.batch(0, at("a", 1, 1050000)) == Nil)
      assert(q.quiet(24000) == Nil)
      assert(q.quiet(1000) == Seq("a [1030000, 1040000) 1"))
    }
  }

  test("several inputs, the fastest decides: all of them must be quiet") {
    val own = spark.newSession()
    own.conf.set("spark.sql.streaming.multipleWatermarkPolicy", "max")
    running(inputs = 2, on = own)(in => counts(in.map(assign(_, idle)).reduce(_ union _))) { q =>
      q.batch(0, at("a", 1, 1000500))
      q.batch(1, at("b", 1, 1000600))
      (1 to 5).foreach(_ => assert(q.quiet(9000) ++ q.batch(0, at("a", 1, 1000500)) == Nil))
      assert(q.quiet(15000) == Seq("a [1000000, 1010000) 6", "b [1000000, 1010000) 1"))
    }
  }

  test("one watermark for a union: rows of any input are rows") {
    running(inputs = 2)(in => counts(assign(in.reduce(_ union _), idle))) { q =>
      q.batch(0, at("a", 1, 1000500))
      (1 to 5).foreach(_ => assert(q.quiet(9000) ++ q.batch(1, at("a", 1, 1000500)) == Nil))
      assert(q.quiet(15000) == Seq("a [1000000, 1010000) 6"))
    }
  }

  test("rows that were dropped by a filter or as duplicates are rows") {
    running()(in => counts(assign(in.head.dropDuplicates("key").where(col("value") > 0), idle))) { q =>
      q.batch(0, at("a", 1, 1000500))
      (1 to 4).foreach(_ => assert(q.quiet(9000) ++ q.batch(0, at("a", 1, 1000500), at("b", 0, 1)) == Nil))
      assert(q.quiet(15000) == Seq("a [1000000, 1010000) 1"))
    }
  }

  test("a micro-batch that runs again raises the watermark to the same time") {
    val failing = new java.util.concurrent.atomic.AtomicBoolean(false)
    val folder  = Files.createTempDirectory("checkpoint")
    val q       = new InputsQuery(
      spark,
      1,
      checkpoint = folder.toString,
      onBatch = _ => if (failing.get) throw new IllegalStateException("the sink is down")
    )(in => counts(assign(in.head, idle)))
    def offsets(): Seq[String] = lastOffsets(folder)
    try {
      q.start().batch(0, at("a", 1, 1000500))
      failing.set(true)
      intercept[StreamingQueryException](q.quiet(25000))
      val before = offsets()
      assert(before.last == """{"time":1025000,"watermark":1010000}""")
      failing.set(false)
      q.clock.advance(500000)
      q.restart()
      assert(q.settle() == Seq("a [1000000, 1010000) 1"))
      assert(q.running.recentProgress.exists(_.sources.last.endOffset == before.last))
    } finally q.stop()
  }

  test("a quiet query runs a micro-batch for each step of the watermark, not in a loop") {
    over(idle) { q =>
      q.batch(0, at("a", 1, 1000500))
      q.quiet(25000)
      val id = q.running.lastProgress.batchId
      (1 to 9).foreach(_ => q.quiet(100))
      assert(q.running.lastProgress.batchId == id)
      q.quiet(100)
      assert(q.running.lastProgress.batchId == id + 1)
    }
  }

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
      assert(refused(SparkWindowing.withClock(spark.range(1).toDF(), seconds(1))).contains("Take with_clock away"))
      assert(refused(SparkWindowing.withClock(df, Duration.ZERO)).contains("every must be positive, got 0 ms"))
      assert(refused(SparkWindowing.withClock(df, seconds(-1))).contains("every must be positive, got -1 s"))
      assert(refused(assign(df, noWatermarks().withIdleness(seconds(1)))).contains("Take with_idleness away"))
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
      assert(changed.left.exists(_.contains("with_clock and with_idleness are sources of their own")), changed)
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

private object QuietStreamsSpec {
  private def seconds(n: Long): Duration = Duration.ofSeconds(n)

  @annotation.nowarn("cat=deprecation")
  private val once: Trigger = Trigger.Once()

  private def counts(df: DataFrame): DataFrame = SparkWindowing
    .keyBy(df, Seq(col("key")))
    .window(TumblingEventTimeWindows.of(seconds(10)))
    .aggregate(count(lit(1)).as("n"))

  private def assign(df: DataFrame, strategy: WatermarkStrategy): DataFrame =
    if (strategy.timestampAssigner.isEmpty && !strategy.isIngestionTime)
      SparkWindowing.assignTimestampsAndWatermarks(df, strategy, "ts")
    else SparkWindowing.assignTimestampsAndWatermarks(df, strategy)

  /** The offsets of the sources in the newest entry of the log. */
  private def lastOffsets(checkpoint: Path): Seq[String] = {
    val files = Files.list(checkpoint.resolve("offsets")).iterator.asScala.toSeq
    val names = files.filterNot(_.getFileName.toString.startsWith(".")).sortBy(_.getFileName.toString.toLong)
    Files.readAllLines(names.last).asScala.toSeq.drop(2)
  }
}
