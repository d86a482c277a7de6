package dev.sparkwindowing.spark.history

import dev.sparkwindowing.assigners._
import dev.sparkwindowing.evictors.CountEvictor
import dev.sparkwindowing.spark._
import dev.sparkwindowing.spark.links.OperatorSetting
import dev.sparkwindowing.spark.relocated.RelocatedInTests.memoryStream
import dev.sparkwindowing.triggers.CountTrigger
import dev.sparkwindowing.watermarks.WatermarkStrategy
import dev.sparkwindowing.{KeyedStream, SparkWindowing}
import org.apache.commons.io.FileUtils
import org.apache.spark.sql.expressions.UserDefinedFunction
import org.apache.spark.sql.functions._
import org.apache.spark.sql.{DataFrame, Encoders, SparkSession}
import org.scalatest.funsuite.AnyFunSuite
import org.scalatest.tags.Slow

import java.nio.file.Files
import java.time.Duration.ofSeconds
import java.util.concurrent.atomic.AtomicInteger
import scala.reflect.ClassTag
import scala.util.Random

/** Queries that begin with rows of a table, over windows of ten seconds. */
@Slow
class StartingWithSpec extends AnyFunSuite with SharedSpark {
  import Event.at

  private def table(events: Event*): DataFrame =
    spark.createDataset(events)(Encoders.product[Event]).toDF().drop("tick")

  private def keyed(events: DataFrame): KeyedStream = SparkWindowing.keyBy(events, Seq(col("key")))

  private def counts(stream: KeyedStream): DataFrame =
    stream.window(TumblingEventTimeWindows.of(ofSeconds(10))).aggregate(count(lit(1)).as("n"))

  private def running(build: DataFrame => DataFrame, on: SparkSession = spark, delay: String = "0 seconds")(
      test: DrivenQuery => Unit
  ): Unit = {
    val q = new DrivenQuery(on, delay = Some(delay))(build)
    try test(q.start())
    finally { val _ = q.stop() }
  }

  private val yesterday =
    table(at("a", 1, 21000), at("a", 1, 2000), at("b", 1, 3000), at("b", 1, 22000), at("a", 1, 4000))

  test("windows that the history completes are left out, and those that it leaves open go on") {
    running(events => counts(keyed(events).startingWith(yesterday))) { q =>
      assert(q.settle() == Nil)
      assert(q.batch(at("a", 1, 25000)) == Nil)
      assert(WindowText.of(q.batch(at("a", 1, 31000))) == Seq("a [20000, 30000) 2", "b [20000, 30000) 1"))
    }
  }

  test("a history whose key cannot be null has the state of a stream whose key can") {
    val fixed = yesterday.select(lit("a").as("key"), col("value"), col("ts"))
    running(events => counts(keyed(events).startingWith(fixed))) { q =>
      assert(q.batch(at("a", 1, 25000), at(null, 1, 26000)) == Nil)
      assert(WindowText.of(q.batch(at("a", 1, 31000))) == Seq("a [20000, 30000) 3", "null [20000, 30000) 1"))
    }
  }

  test("a history whose key is a struct that holds no null has the state of a stream whose struct may") {
    def nested(df: DataFrame) = df.withColumn("key", struct(col("key").as("id")))
    val fixed                 = nested(yesterday.withColumn("key", lit("a")))
    running(events => counts(keyed(nested(events)).startingWith(fixed))) { q =>
      assert(q.batch(at("a", 1, 25000)) == Nil)
      assert(WindowText.of(q.batch(at("a", 1, 31000))) == Seq("(a) [20000, 30000) 3"))
    }
  }

  test("with emit they are results of the first micro-batch") {
    running(events => counts(keyed(events).startingWith(yesterday, emit = true))) { q =>
      assert(WindowText.of(q.batch(at("a", 1, 25000))) == Seq("a [0, 10000) 2", "b [0, 10000) 1"))
      assert(WindowText.of(q.batch(at("a", 1, 31000))) == Seq("a [20000, 30000) 2", "b [20000, 30000) 1"))
    }
  }

  test("its watermark is the greatest event time less the delay: rows of the stream before it are late") {
    running(events => counts(keyed(events).startingWith(yesterday)), delay = "4 seconds") { q =>
      q.batch(at("a", 1, 9000), at("c", 1, 17000), at("c", 1, 19000))
      assert(q.metric("numLateRecordsDropped") == 1)
      assert(WindowText.of(q.batch(at("a", 1, 24000))) == Seq("c [10000, 20000) 2"))
    }
  }

  test("a query that has started does not read it again") {
    var rows    = Seq(at("a", 1, 1000))
    val changed = table(at("a", 1, 1000), at("a", 1, 2000))
    running(events => counts(keyed(events).startingWith(if (rows.isEmpty) changed else table(rows: _*)))) { q =>
      q.settle()
      rows = Nil
      q.restart()
      assert(WindowText.of(q.batch(at("a", 1, 10000))) == Seq("a [0, 10000) 1"))
    }
  }

  private def refused[E <: Exception: ClassTag](result: => Any)(text: String): Unit = {
    val e = intercept[E](result)
    assert(e.getMessage.contains(text), e.getMessage)
  }

  test("what is no history of the stream is refused by name") {
    val events = new DrivenQuery(spark)(identity).events
    refused[IllegalArgumentException](keyed(yesterday).startingWith(yesterday))(
      "is for a stream, and these rows are a static"
    )
    refused[IllegalArgumentException](keyed(events).startingWith(events))("takes a static DataFrame, and got a stream")
    refused[IllegalArgumentException](keyed(events).startingWith(yesterday.drop("value")))("the history lacks 'value'")
    val texts = yesterday.withColumn("value", col("value").cast("string"))
    refused[IllegalArgumentException](keyed(events).startingWith(texts))(
      "'value' is STRING in the history and INT in the stream"
    )
    val results = counts(keyed(events))
    refused[UnsupportedOperationException](keyed(results).startingWith(yesterday))(
      "on the results of an operator with state"
    )
  }

  test("the portable operator refuses it") {
    val own = spark.newSession()
    own.conf.set(OperatorSetting.Name, OperatorSetting.Portable)
    val q = new DrivenQuery(own)(events => counts(keyed(events).startingWith(yesterday)))
    refused[UnsupportedOperationException](q.start())("cannot do this: startingWith")
  }

  test("a history that cannot be read fails the query, and the next start takes all of it") {
    StartingWithSpec.fails = true
    val q = new DrivenQuery(spark)(events =>
      counts(keyed(events).startingWith(yesterday.withColumn("value", StartingWithSpec.read(col("value")))))
    )
    assert(Changing.outcome(q.start().settle()).swap.exists(_.contains("the table is away")))
    StartingWithSpec.fails = false
    try {
      q.restart()
      assert(WindowText.of(q.batch(at("a", 1, 31000))) == Seq("a [20000, 30000) 1", "b [20000, 30000) 1"))
    } finally { val _ = q.stop() }
  }

  test("a query that is stopped while it takes its history takes it as a whole at the next start") {
    StartingWithSpec.isHeld = true
    val held      = yesterday.withColumn("value", StartingWithSpec.hold(col("value")))
    val q         = new DrivenQuery(spark)(events => counts(keyed(events).startingWith(held)))
    val listeners = spark.streams.listListeners().toSeq
    val start     = new Thread(() => { val _ = Changing.outcome(q.start()) })
    start.start()
    while (StartingWithSpec.waiting.get == 0) Thread.`yield`()
    spark.streams.active.foreach(_.stop())
    start.join()
    StartingWithSpec.isHeld = false
    assert(spark.streams.listListeners().toSeq == listeners)
    try {
      q.start()
      assert(WindowText.of(q.batch(at("a", 1, 31000))) == Seq("a [20000, 30000) 1", "b [20000, 30000) 1"))
    } finally { val _ = q.stop() }
  }

  test("a start that was killed behind any of its files begins anew") {
    val whole = new DrivenQuery(spark)(events => counts(keyed(events).startingWith(yesterday))).start()
    whole.settle()
    whole.stop()
    val parts = Seq(Nil, Seq("state"), Seq("state", "commits"), Seq("state", "commits", "offsets"))
    for (kept <- parts) {
      val q = new DrivenQuery(spark)(events => counts(keyed(events).startingWith(yesterday.where("key = 'a'"))))
      Files.copy(whole.checkpoint.resolve("metadata"), q.checkpoint.resolve("metadata"))
      kept.foreach { part =>
        FileUtils.copyDirectory(whole.checkpoint.resolve(part).toFile, q.checkpoint.resolve(part).toFile)
      }
      Files.createDirectories(q.checkpoint.resolve("_window_history/state/0/0"))
      Files.createFile(q.checkpoint.resolve("_window_history/begun"))
      try assert(WindowText.of(q.start().batch(at("a", 1, 31000))) == Seq("a [20000, 30000) 1"), kept)
      finally { val _ = q.stop() }
      assert(!Files.exists(q.checkpoint.resolve("_window_history")))
    }
  }

  test("who waits for any query does not see the one that takes the history") {
    spark.streams.resetTerminated()
    running(events => counts(keyed(events).startingWith(yesterday))) { q =>
      q.settle()
      assert(!spark.streams.awaitAnyTermination(1))
      assert(spark.streams.active.map(_.id).toSeq == Seq(q.running.id))
    }
  }

  private def assigned(strategy: WatermarkStrategy)(in: Seq[DataFrame]): DataFrame = {
    val timed = SparkWindowing.assignTimestampsAndWatermarks(in.head.drop("tick"), strategy, "ts", col("value"))
    counts(keyed(timed).startingWith(yesterday))
  }

  test("behind it each partition counts from its first row on, not before the watermark of the history") {
    both(new InputsQuery(spark, 1)(assigned(WatermarkStrategy.forMonotonousTimestamps()))) { q =>
      assert(q.batch(0, at("a", 1, 40000), at("a", 2, 25000)) == Nil)
      assert(q.metric("numLateRecordsDropped") == 0)
      assert(q.batch(0, at("a", 2, 9000)) == Nil)
      assert(q.metric("numLateRecordsDropped") == 1)
      assert(q.batch(0, at("a", 2, 30000)) == Seq("a [20000, 30000) 2", "b [20000, 30000) 1"))
    }
  }

  test("an idle input goes on behind it") {
    val idle = WatermarkStrategy.forBoundedOutOfOrderness(ofSeconds(2)).withIdleness(ofSeconds(10))
    both(new InputsQuery(spark, 1)(assigned(idle))) { q =>
      assert(q.batch(0, at("a", 1, 1005000)) == Seq("a [20000, 30000) 1", "b [20000, 30000) 1"))
      assert(q.quiet(19000) ++ q.quiet(10000) == Seq("a [1000000, 1010000) 1"))
    }
  }

  test("windows without a watermark: the rows of the history count") {
    running(events => keyed(events).startingWith(yesterday).countWindow(4).aggregate(max("ts").as("n"))) { q =>
      assert(q.batch(at("a", 1, 25000)).map(_.get(2).toString) == Seq("1970-01-01 00:00:25.0"))
    }
  }

  test("a folder that a state store has made once more takes nothing away") {
    running(events => counts(keyed(events).startingWith(yesterday))) { q =>
      q.batch(at("a", 1, 25000))
      Files.createDirectories(q.checkpoint.resolve("_window_history/state/0/0"))
      q.restart()
      assert(WindowText.of(q.batch(at("a", 1, 31000))) == Seq("a [20000, 30000) 2", "b [20000, 30000) 1"))
    }
  }

  test("a sink of files takes more micro-batches than it keeps apart") {
    val folder = Files.createTempDirectory("files")
    val source = memoryStream(Encoders.product[Event], spark)
    val stream = keyed(source.toDF().drop("tick").withWatermark("ts", "0 seconds")).startingWith(yesterday)
    val query  = counts(stream).writeStream
      .format("json")
      .option("path", folder.resolve("out").toString)
      .option("checkpointLocation", folder.resolve("checkpoint").toString)
      .start()
    try
      for (i <- 1 to 14) {
        source.addData(at("a", 1, 20000L + i * 1000))
        query.processAllAvailable()
      }
    finally query.stop()
    assert(query.lastProgress.batchId > 12)
    val rows = spark.read.schema("key string, n long").json(folder.resolve("out").toString)
    assert(rows.collect().map(_.toString).toSeq.sorted == Seq("[a,10]", "[b,1]"))
  }

  test("an empty history changes nothing") {
    running(events => counts(keyed(events).startingWith(table()))) { q =>
      q.batch(at("a", 1, 1000))
      assert(WindowText.of(q.batch(at("a", 1, 10000))) == Seq("a [0, 10000) 1"))
    }
  }

  private def both(q: InputsQuery)(test: InputsQuery => Unit): Unit =
    try test(q.start())
    finally q.stop()

  private def joined(in: Seq[DataFrame], histories: Seq[Option[DataFrame]], emit: Boolean = false): DataFrame = {
    val Seq(left, right) = in.zip(histories).map { case (events, history) =>
      val stream = keyed(events.drop("tick").withWatermark("ts", "1 second"))
      history.fold(stream)(stream.startingWith(_, emit))
    }
    SparkWindowing
      .join(left, right)
      .window(TumblingEventTimeWindows.of(ofSeconds(10)))
      .inner()
  }

  test("both sides of a join have a history") {
    both(new InputsQuery(spark, 2)(joined(_, Seq(Some(yesterday), Some(yesterday.where("key = 'a'")))))) { q =>
      q.batch(0, at("a", 1, 23000), at("x", 1, 40000))
      assert(q.batch(1, at("a", 1, 24000), at("x", 1, 40000)).size == 4)
    }
  }

  for ((policy, watermark) <- Seq("min" -> "1970-01-01T00:00:03.000Z", "max" -> "1970-01-01T00:00:21.000Z"))
    for (emit <- Seq(false, true))
      test(s"of two histories Spark's policy chooses the watermark: $policy, emit $emit") {
        val own = spark.newSession()
        own.conf.set("spark.sql.streaming.multipleWatermarkPolicy", policy)
        val histories = Seq(Some(yesterday), Some(table(at("a", 1, 4000))))
        both(new InputsQuery(own, 2)(joined(_, histories, emit))) { q =>
          q.batch(0, at("x", 1, 22500))
          val first = q.running.recentProgress.find(_.numInputRows > 0)
          assert(first.map(_.eventTime.get("watermark")) == Some(watermark))
        }
      }

  test("one side of a join without a history is refused by name") {
    val q = new InputsQuery(spark, 2)(joined(_, Seq(Some(yesterday), None)))
    assert(Changing.outcome(q.start().settle()).swap.exists(_.contains("of which 1 without a history")))
  }

  test("a chain: what the first windows gave is in the second ones") {
    running { events =>
      val first = counts(keyed(events).startingWith(yesterday))
      SparkWindowing
        .keyBy(first, Seq(col("key")))
        .window(TumblingEventTimeWindows.of(ofSeconds(60)))
        .aggregate(sum("n").as("n"))
    } { q =>
      q.batch(at("a", 1, 25000))
      assert(WindowText.of(q.watermark(60000) ++ q.watermark(60001)).toSet == Set("a [0, 60000) 4", "b [0, 60000) 2"))
    }
  }

  test("a chain: second windows that the history completes are left out as well") {
    running { events =>
      val first = counts(keyed(events).startingWith(yesterday.union(table(at("z", 1, 130000)))))
      SparkWindowing
        .keyBy(first, Seq(col("key")))
        .window(TumblingEventTimeWindows.of(ofSeconds(60)))
        .aggregate(sum("n").as("n"))
    } { q =>
      assert(q.batch(at("z", 1, 131000)) == Nil)
      assert(WindowText.of(q.watermark(180000) ++ q.watermark(180001)) == Seq("z [120000, 180000) 2"))
    }
  }

  private val format2 = StateStores.all
    .drop(1)
    .map { case (name, settings) => s"$name, format 2" -> (settings + ("checkpointFormatVersion" -> "2")) }
    .filterNot(_ => spark.version.startsWith("3."))

  for ((name, settings) <- Cases.each(2)(StateStores.all ++ format2))
    test(s"on each store, with all firings as results of the stream: $name") {
      val q = new DrivenQuery(StateStores.session(spark, settings))(e =>
        counts(keyed(e).startingWith(yesterday, emit = true))
      )
      try {
        assert(
          WindowText.of(q.start().batch(at("a", 1, 31000))).toSet ==
            Set("a [0, 10000) 2", "b [0, 10000) 1", "a [20000, 30000) 1", "b [20000, 30000) 1")
        )
        q.restart()
        assert(WindowText.of(q.batch(at("a", 1, 40000))) == Seq("a [30000, 40000) 1"))
      } finally { val _ = q.stop() }
    }

  // Rows of some keys in disorder, and what windows give for all of them, and for a part before them.
  private val kinds: Seq[(String, KeyedStream => DataFrame)] = Seq(
    "tumbling" -> counts,
    "sessions" -> (_.window(EventTimeSessionWindows.withGap(ofSeconds(4))).aggregate(count(lit(1)).as("n"))),
    "slices"   -> (_.window(SlidingEventTimeWindows.of(ofSeconds(20), ofSeconds(5))).aggregate(count(lit(1)).as("n"))),
    "the last" -> (_.window(TumblingEventTimeWindows.of(ofSeconds(10)))
      .evictor(CountEvictor.of(2))
      .aggregate(sum("value").as("n"))),
    "counted" -> (_.window(TumblingEventTimeWindows.of(ofSeconds(10)))
      .trigger(CountTrigger.of(3))
      .aggregate(sum("value").as("n")))
  )

  for (((name, windows), seed) <- Cases.each(2)(kinds.zipWithIndex))
    test(s"a history and then the stream give what one stream of both gives: $name") {
      val random          = new Random(seed)
      def rows(from: Int) =
        (0 until 60).map(i => at(s"k${random.nextInt(7)}", i, from + i * 500L + random.nextInt(2000)))
      val past                                 = rows(1000).sortBy(_.ts.getTime)
      val present                              = Seq(rows(30000), rows(60000))
      def results(q: DrivenQuery): Seq[String] =
        try present.flatMap(q.batch(_: _*)).map(_.toString) ++ q.watermark(1000000).map(_.toString)
        finally { val _ = q.stop() }
      val one = new DrivenQuery(spark, delay = Some("2 seconds"))(events => windows(keyed(events))).start()
      one.batch(past: _*)
      val expected = results(one).sorted
      val emptied  = table(past.reverse: _*)
      val started  =
        new DrivenQuery(spark, delay = Some("2 seconds"))(e => windows(keyed(e).startingWith(emptied))).start()
      assert(expected.size > 10)
      assert(results(started).sorted == expected)
    }
}

private object StartingWithSpec {
  @volatile var fails = false

  @volatile var isHeld = false
  val waiting          = new AtomicInteger

  val hold: UserDefinedFunction = udf { (v: Int) =>
    if (isHeld) waiting.incrementAndGet()
    while (isHeld && !Thread.currentThread.isInterrupted) Thread.onSpinWait()
    v
  }.asNondeterministic() // so that a task calls it, and not the optimizer

  val read: UserDefinedFunction = udf((v: Int) => if (StartingWithSpec.fails) sys.error("the table is away") else v)
}
