package dev.sparkwindowing.spark

import dev.sparkwindowing.assigners.TumblingEventTimeWindows
import dev.sparkwindowing.watermarks.WatermarkStrategy
import dev.sparkwindowing.{SparkWindowing, SparkWindowingExtensions}
import org.apache.spark.sql.functions._
import org.apache.spark.sql.{Column, DataFrame, SparkSession, SparkTestBridge}
import org.scalatest.funsuite.AnyFunSuite

import java.nio.file.{Files, Path}
import java.time.Duration

/** Watermark of the slowest partition, over windows of ten seconds. The value of an event is its partition. */
class PartitionWatermarkSpec extends AnyFunSuite with SharedSpark {
  import Event.at
  import WatermarkStrategy._

  private val monotonous = forMonotonousTimestamps()

  private def counts(strategy: WatermarkStrategy, partition: Column = col("value"))(df: DataFrame): DataFrame = {
    val timed = SparkWindowing.assignTimestampsAndWatermarks(df, strategy, "ts", partition)
    SparkWindowing
      .keyBy(timed, Seq(col("key")))
      .window(TumblingEventTimeWindows.of(Duration.ofSeconds(10)))
      .aggregate(count(lit(1)).as("n"))
  }

  private def running(build: DataFrame => DataFrame, on: SparkSession = spark)(test: InputsQuery => Unit): Unit = {
    val query = new InputsQuery(on, 1)(in => build(in.head))
    try test(query.start())
    finally query.stop()
  }

  private def files(query: InputsQuery, number: Int = 0): Seq[Path] = {
    val folder = Path.of(query.checkpoint, "watermarks", s"partitions-$number")
    folder.toFile.list.toSeq.filterNot(_.startsWith(".")).map(folder.resolve)
  }

  for (
    (name, session) <- Seq[(String, () => SparkSession)](
      "a running session"            -> (() => spark),
      "a session with the extension" -> (() => SparkTestBridge.sessionBeside(spark, new SparkWindowingExtensions))
    )
  ) test(s"the slowest partition decides, and a window fires in the micro-batch whose rows complete it: $name") {
    running(counts(monotonous), session()) { q =>
      assert(q.batch(0, at("a", 0, 60000), at("a", 1, 1000)) == Nil)
      assert(q.batch(0, at("a", 1, 2000)) == Nil) // not late
      assert(q.batch(0, at("a", 0, 70000)) == Nil)
      assert(q.batch(0, at("a", 1, 10000)) == Seq("a [0, 10000) 2"))
      assert(q.batch(0, at("b", 1, 9000)) == Nil)
      assert(q.metric("numLateRecordsDropped") == 1)
    }
  }

  test("the delay counts from the slowest partition") {
    running(counts(forBoundedOutOfOrderness(Duration.ofSeconds(5)))) { q =>
      assert(q.batch(0, at("a", 0, 60000), at("a", 1, 1000), at("a", 1, 14999)) == Nil)
      assert(q.batch(0, at("a", 1, 15000)) == Seq("a [0, 10000) 1"))
    }
  }

  test("a restart knows the partitions") {
    running(counts(monotonous)) { q =>
      q.batch(0, at("a", 0, 20000), at("a", 1, 1000))
      q.restart()
      assert(q.batch(0, at("a", 0, 60000)) == Nil)
      q.restart()
      assert(q.batch(0, at("a", 1, 2000)) == Nil)
      assert(q.batch(0, at("a", 1, 20000)) == Seq("a [0, 10000) 2"))
      assert(q.metric("numLateRecordsDropped") == 0)
    }
  }

  test("a micro-batch that runs again has the same watermark") {
    running(counts(monotonous)) { q =>
      q.batch(0, at("a", 0, 20000), at("a", 1, 1000))
      val once = q.batch(0, at("a", 1, 12000))
      assert(once == Seq("a [0, 10000) 1"))
      q.stop()
      Files.delete(Path.of(q.checkpoint, "commits", "1"))
      Files.deleteIfExists(Path.of(q.checkpoint, "commits", ".1.crc"))
      q.start()
      assert(q.batch(0) == once)
    }
  }

  test("an idle partition does not decide, in and behind a restart, and decides again with its next row") {
    running(counts(monotonous.withIdleness(Duration.ofSeconds(30)))) { q =>
      def later(millis: Long, rows: Event*): Seq[String] = {
        q.clock.advance(millis)
        q.batch(0, rows: _*)
      }
      q.batch(0, at("a", 0, 2000), at("a", 1, 1000))
      assert(later(20000, at("a", 0, 30000)) == Nil) // silent from the first micro-batch without it on
      assert(later(20000, at("a", 0, 31000)) == Nil)
      q.restart()
      assert(later(10000, at("a", 0, 31500)) == Nil)
      assert(later(1, at("a", 0, 32000)) == Seq("a [0, 10000) 2"))
      assert(later(0, at("b", 1, 33000), at("a", 0, 45000)) == Nil)
      assert(later(0, at("b", 1, 40000)) == Seq("a [30000, 40000) 4", "b [30000, 40000) 1"))
    }
  }

  test("an input of which all partitions are silent is idle as a whole") {
    running(counts(monotonous.withIdleness(Duration.ofSeconds(10)))) { q =>
      assert(q.batch(0, at("a", 0, 1005000), at("a", 1, 1001000)) == Nil)
      assert(q.quiet(19000) == Nil)
      assert(q.quiet(1000) == Seq("a [1000000, 1010000) 2"))
      assert(q.batch(0, at("b", 1, 1009000)) == Nil)
      assert(q.metric("numLateRecordsDropped") == 1)
      assert(q.batch(0, at("b", 0, 1030000), at("b", 1, 1012000)) == Nil) // the slowest again
      assert(q.batch(0, at("b", 1, 1020000)) == Seq("b [1010000, 1020000) 1"))
    }
  }

  test("a generator has a watermark for each partition") {
    val marks = forGenerator(when(col("key") === "mark", col("ts")))
    running(counts(marks)) { q =>
      assert(q.batch(0, at("mark", 0, 9999), at("mark", 1, 5000), at("a", 1, 6000)) == Nil)
      assert(q.batch(0, at("mark", 1, 9999)) == Seq("a [0, 10000) 1", "mark [0, 10000) 3"))
    }
  }

  test("rows without event time move nothing, and null is a partition") {
    val unknown = when(col("value") === 9, lit(null)).otherwise(col("value"))
    running(counts(monotonous, unknown)) { q =>
      assert(q.batch(0, at("a", 9, 1000), at("a", 0, 60000), Event("a", 0, null)) == Nil)
      assert(q.batch(0, at("a", 9, 10000)) == Seq("a [0, 10000) 1"))
    }
  }

  test("two inputs with partitions each: the slowest of all, known after a restart") {
    val query = new InputsQuery(spark, 2)(in => {
      val assigned = in.map(SparkWindowing.assignTimestampsAndWatermarks(_, monotonous, "ts", col("value")))
      SparkWindowing
        .keyBy(assigned.reduce(_.union(_)), Seq(col("key")))
        .window(TumblingEventTimeWindows.of(Duration.ofSeconds(10)))
        .aggregate(count(lit(1)).as("n"))
    })
    try {
      query.start().batch(0, at("a", 0, 50000), at("a", 1, 20000))
      query.batch(1, at("a", 0, 60000), at("a", 1, 1000))
      query.restart()
      assert(query.batch(1, at("a", 0, 70000)) == Nil)
      assert(query.batch(0, at("a", 0, 70000)) == Nil)
      assert(files(query).nonEmpty && files(query, 1).nonEmpty)
      assert(query.batch(1, at("a", 1, 30000)) == Seq("a [0, 10000) 1"))
    } finally query.stop()
  }

  test("a partition with rows but without a time holds the watermark, and is not idle") {
    val marks = forGenerator(when(col("key") === "mark", col("ts"))).withIdleness(Duration.ofSeconds(30))
    running(counts(marks)) { q =>
      assert(q.batch(0, at("a", 0, 1000), at("a", 1, 2000)) == Nil)
      assert(q.batch(0, at("mark", 0, 20000)) == Nil)
      (1 to 4).foreach { second =>
        q.clock.advance(10000)
        assert(q.batch(0, at("a", 1, 2000L + second), at("mark", 0, 20000L + second)) == Nil)
      }
      assert(q.batch(0, at("mark", 1, 9999)) == Seq("a [0, 10000) 6", "mark [0, 10000) 1"))
    }
  }

  test("the rows of a stream that Spark broadcasts are known to the next micro-batch") {
    val names = spark.range(2).select(col("id").cast("int").as("value"))
    running { df =>
      val timed = SparkWindowing.assignTimestampsAndWatermarks(df, monotonous, "ts", col("value"))
      SparkWindowing
        .keyBy(names.join(broadcast(timed), "value"), Seq(col("key")))
        .window(TumblingEventTimeWindows.of(Duration.ofSeconds(10)))
        .aggregate(count(lit(1)).as("n"))
    } { q =>
      q.batch(0, at("a", 0, 20000), at("a", 1, 1000))
      assert(q.batch(0, at("a", 0, 60000)) == Nil)
      assert(q.batch(0, at("a", 1, 2000)) == Nil)
      assert(q.batch(0, at("a", 1, 10000)) == Seq("a [0, 10000) 2"))
      assert(files(q).size == 4)
    }
  }

  test("a checkpoint that is set back continues from the times of then, or is refused") {
    running(counts(monotonous)) { q =>
      q.batch(0, at("a", 0, 20000), at("a", 1, 1000))
      (2 to 4).foreach(i => q.batch(0, at("a", 1, i * 1000L)))
      q.stop()
      setBack(q, 2)
      assert(q.start().batch(0) == Nil)
      assert(files(q).map(_.getFileName.toString.toInt).sorted == (0 to 3))
      q.stop()
      setBack(q, 2)
      files(q).filter(_.getFileName.toString.toInt < 2).foreach(Files.delete)
      val outcome = Changing.outcome(q.start().batch(0, at("a", 0, 2000)))
      assert(
        outcome.left.exists(_.contains("begins with micro-batch 2, and the checkpoint was set back to 2")),
        outcome
      )
    }
  }

  // Removes the micro-batches from there on.
  private def setBack(query: InputsQuery, from: Int): Unit =
    for (log <- Seq("offsets", "commits"); file <- Path.of(query.checkpoint, log).toFile.listFiles) {
      val number = file.getName.stripPrefix(".").stripSuffix(".crc")
      if (number.toIntOption.exists(_ >= (if (log == "offsets") from + 1 else from))) file.delete()
    }

  test("a damaged file of times stops the start by its name") {
    running(counts(monotonous)) { q =>
      (1 to 3).foreach(i => q.batch(0, at("a", 0, i * 100L)))
      assert(files(q).map(_.getFileName.toString.toInt).sorted == (0 to 2))
      q.stop()
      Files.writeString(files(q).maxBy(_.getFileName.toString.toInt), "spark-windowing partitions 1\n{")
      files(q).foreach(f => Files.deleteIfExists(f.resolveSibling(s".${f.getFileName}.crc")))
      val outcome = Changing.outcome(q.start().batch(0, at("a", 0, 2000)))
      assert(outcome.left.exists(_.contains("partitions-0/2 cannot be read: it was damaged")), outcome)
    }
  }

  test("another column of partitions is refused on a checkpoint") {
    var column = col("value")
    running(df => counts(monotonous, column)(df)) { q =>
      q.batch(0, at("a", 0, 1000))
      q.stop()
      column = col("key")
      val outcome = Changing.outcome(q.start().batch(0, at("a", 0, 2000)))
      assert(outcome.left.exists(_.contains("per_partition was changed since the checkpoint was written")), outcome)
      assert(outcome.left.exists(_.contains("it was value, is key")), outcome)
    }
  }

  test("a strategy whose watermark does not come from rows is refused, and a column that is not there") {
    val events = spark.createDataFrame(Seq(at("a", 0, 0)))
    for (strategy <- Seq(ingestionTime(), noWatermarks())) {
      val e = intercept[IllegalArgumentException](
        SparkWindowing.assignTimestampsAndWatermarks(events, strategy, "at", col("value"))
      )
      assert(e.getMessage.contains("perPartition with a strategy of"))
    }
    intercept[org.apache.spark.sql.AnalysisException](
      SparkWindowing.assignTimestampsAndWatermarks(events, monotonous, "ts", col("shard"))
    )
  }

  test("a static DataFrame has event times as without partitions") {
    val events = spark.createDataFrame(Seq(at("a", 0, 60000), at("a", 1, 1000)))
    assert(
      WindowText.of(counts(monotonous)(events).collect().toSeq).sorted == Seq("a [0, 10000) 1", "a [60000, 70000) 1")
    )
  }
}
