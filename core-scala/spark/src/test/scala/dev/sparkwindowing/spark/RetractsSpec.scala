package dev.sparkwindowing.spark

import dev.sparkwindowing.assigners.{
  EventTimeSessionWindows,
  GlobalWindows,
  OverEventTimeWindows,
  SlidingEventTimeWindows,
  TumblingEventTimeWindows,
  TumblingProcessingTimeWindows,
  WindowAssigner
}
import dev.sparkwindowing.columns.{ColumnTrigger, TriggerAnswer}
import dev.sparkwindowing.evictors.CountEvictor
import dev.sparkwindowing.spark.plan.PreAggregation
import dev.sparkwindowing.triggers.{AfterWatermark, CountTrigger, FiringInterval, MicroBatchTrigger, PurgingTrigger}
import dev.sparkwindowing.watermarks.WatermarkStrategy
import dev.sparkwindowing.{KeyedStream, SparkWindowing, WindowedStream}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.functions._
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.{Column, DataFrame}
import org.scalatest.funsuite.AnyFunSuite
import org.scalatest.tags.Slow

import java.time.Duration
import scala.util.Random

/** Windows over rows some of which take back earlier ones. In the time lines a negative value takes back the row with
  * that value.
  */
@Slow
class RetractsSpec extends AnyFunSuite with SharedSpark {
  import Event.at

  private def seconds(s: Int): Duration = Duration.ofSeconds(s.toLong)

  private val tumbling = TumblingEventTimeWindows.of(seconds(10))

  private def signed(events: DataFrame): DataFrame =
    events.withColumn("back", col("value") < 0).withColumn("value", abs(col("value")))

  private def keyed(events: DataFrame): KeyedStream =
    SparkWindowing.keyBy(signed(events), Seq(col("key"))).retracts("back")

  private def values(windows: WindowedStream): DataFrame =
    windows.aggregate(count(lit(1)).as("n"), sum("value").as("total"), avg("value").as("mean"))

  private def onStream(build: DataFrame => DataFrame)(timeLine: DrivenQuery => Unit): Unit = {
    val q = new DrivenQuery(spark)(build)
    try timeLine(q.start())
    finally q.stop()
  }

  test("a row that takes back an earlier one, in the same micro-batch and in a later one") {
    onStream(events => values(keyed(events).window(tumbling))) { q =>
      q.batch(at("a", 5, 1000), at("a", 7, 2000), at("a", -7, 2000))
      q.batch(at("a", 9, 3000), at("a", -5, 1000), at("b", 4, 1000))
      assert(WindowText.of(q.watermark(20000)) == Seq("a [0, 10000) 1 9 9.0", "b [0, 10000) 1 4 4.0"))
    }
  }

  test("a window whose rows were all taken back fires with a count of 0: it replaces the row of an earlier firing") {
    val early = AfterWatermark.of(early = FiringInterval.MicroBatch)
    onStream(events => values(keyed(events).window(tumbling).trigger(early))) { q =>
      assert(WindowText.of(q.batch(at("a", 5, 1000), at("a", 7, 2000))) == Seq("a [0, 10000) 2 12 6.0"))
      assert(WindowText.of(q.batch(at("a", -5, 1000))) == Seq("a [0, 10000) 1 7 7.0"))
      assert(WindowText.of(q.batch(at("a", -7, 2000))) == Seq("a [0, 10000) 0 null null"))
      assert(WindowText.of(q.watermark(20000)) == Seq("a [0, 10000) 0 null null"))
    }
  }

  test("a row that takes back a row of a window that has fired is late as that row would be") {
    def query(events: DataFrame) = SparkWindowing.allOutputs(
      values(keyed(events).window(tumbling).allowedLateness(seconds(5)).sideOutputLateData("late"))
    )
    onStream(events => query(events).selectExpr("main.n", "main.total", "late.value", "late.back")) { q =>
      q.batch(at("a", 5, 1000), at("a", 7, 2000))
      assert(WindowText.of(q.watermark(12000)) == Seq("2 12 null null"))
      assert(WindowText.of(q.batch(at("a", -5, 1000))) == Seq("1 7 null null"))
      q.watermark(20000)
      assert(WindowText.of(q.batch(at("a", -7, 2000))) == Seq("null null 7 true"))
    }
  }

  test("a count trigger counts each row, also one that takes back another") {
    onStream(events => values(keyed(events).window(GlobalWindows.create()).trigger(CountTrigger.of(3)))) { q =>
      assert(q.batch(at("a", 5, 1000), at("a", 7, 2000)).isEmpty)
      assert(WindowText.of(q.batch(at("a", -5, 1000))) == Seq("a null 1 7 7.0"))
    }
  }

  test("null takes nothing back; null values are in no sum, whether they are taken back or not") {
    val rows = spark.sql("""select k, v, back, timestamp_seconds(1) as ts from values
      ('a', 3, null), ('a', null, false), ('a', 4, false), ('a', null, true), ('a', 4, true),
      ('b', null, false), ('b', 1, false), ('b', 1, true) as t(k, v, back)""")
    val result = SparkWindowing.keyBy(rows, Seq(col("k")), Some(col("ts"))).retracts(col("back")).window(tumbling)
    val shown  = result.aggregate(count(lit(1)), count("v"), sum("v"), avg("v"), count_if(col("v") > 2))
    assert(WindowText.of(shown.collect().toSeq) == Seq("a [0, 10000) 1 1 3 3.0 1", "b [0, 10000) 1 0 null null 0"))
  }

  test("NaN stays in a floating-point sum, as in Flink") {
    val rows = spark.sql("""select v, back, timestamp_seconds(1) as ts from values
      (double('NaN'), false), (1.5D, false), (double('NaN'), true) as t(v, back)""")
    val result = SparkWindowing.keyBy(rows, Nil, Some(col("ts"))).retracts("back").window(tumbling)
    assert(WindowText.of(result.aggregate(count("v"), sum("v")).collect().toSeq) == Seq("[0, 10000) 1 NaN"))
  }

  // Of all types that have a sum. The fractions are exact in binary.
  private val functions: Seq[Column] = Seq(
    count(lit(1)).as("n"),
    expr("count(value, key)").as("known"),
    count_if(col("value") > 20).as("large"),
    sum("value").as("total"),
    avg("value").as("mean"),
    sum(col("value").cast("tinyint")).as("bytes"),
    sum(col("value").cast("decimal(9, 3)") / 8).as("exact"),
    avg(col("value").cast("decimal(9, 3)") / 8).as("exact_mean"),
    sum(col("value").cast("float") / 4).as("fractions"),
    avg(col("value") / 4).as("fraction_mean"),
    sum(expr("value * interval '1' second")).as("spent"),
    avg(expr("value * interval '1' second")).as("spent_mean"),
    (sum("value") / nullif(count(lit(1)), lit(0)) + 1).as("around"),
    expr("sum(value) filter (where value % 2 = 0)").as("even"),
    expr("avg(value) filter (where value % 2 = 0)").as("even_mean"),
    expr("count(*) filter (where value is null)").as("unknown")
  )

  // Six micro-batches of new rows, of which each takes back rows of itself and of those before it.
  private def changes(seed: Int): Seq[Seq[Event]] = {
    val random = new Random(seed)
    var left   = Seq.empty[Event]
    Seq.fill(6) {
      val added = Seq.fill(15)(at(s"k${random.nextInt(3)}", 1 + random.nextInt(40), random.nextInt(60000).toLong))
      val (taken, kept) = random.shuffle(left ++ added).splitAt(random.nextInt(15))
      left = kept
      added ++ taken.map(e => e.copy(value = -e.value))
    }
  }

  // Each fifth value is null.
  private def holed(rows: DataFrame): DataFrame = rows.withColumn("value", when(col("value") % 5 =!= 0, col("value")))

  private def left(changes: Seq[Event]): Seq[Event] =
    changes.groupBy(e => (e.key, math.abs(e.value), e.ts)).values.toSeq.flatMap { same =>
      Seq.fill(same.count(_.value > 0) - same.count(_.value < 0))(same.head.copy(value = math.abs(same.head.value)))
    }

  for {
    (assigner, size, slide) <- Seq[(WindowAssigner[InternalRow], String, String)](
      (tumbling, "10 seconds", "10 seconds"),
      (SlidingEventTimeWindows.of(seconds(15), seconds(5)), "15 seconds", "5 seconds")
    )
    fast <- Seq(true, false)
  } test(s"$assigner, fast path $fast: what Spark gives for the rows that are left") {
    val seed = if (fast) 3 else 4
    val own  = spark.newSession()
    own.conf.set(PreAggregation.Setting, fast.toString)
    val rows = changes(seed)
    val q    = new DrivenQuery(own, delay = Some("100 seconds"))(events =>
      SparkWindowing
        .keyBy(holed(signed(events)), Seq(col("key")))
        .retracts("back")
        .window(assigner)
        .aggregate(functions: _*)
    )
    try {
      q.start()
      rows.zipWithIndex.foreach { case (batch, i) => if (i == 3) q.restart(); assert(q.batch(batch: _*).isEmpty) }
      val got      = q.watermark(1000000).filter(_.getAs[Long]("n") > 0)
      val all      = left(rows.flatten)
      val expected = holed(own.createDataFrame(all))
        .groupBy(col("key"), window(col("ts"), size, slide))
        .agg(functions.head, functions.tail: _*)
      assert(all.size > 40 && all.size < 80 && got.head.schema.map(_.dataType) == expected.schema.map(_.dataType))
      assert(WindowText.of(got) == WindowText.of(expected.collect().toSeq))
    } finally q.stop()
  }

  private def static: DataFrame = signed(spark.createDataFrame(Seq(at("a", 5, 1000), at("a", -5, 1000))).drop("tick"))

  private def ofStatic: KeyedStream = SparkWindowing.keyBy(static, Seq(col("key")), Some(col("ts"))).retracts("back")

  private def refusal(declared: => Any): String = intercept[IllegalArgumentException](declared).getMessage

  test("refused: functions that cannot take a row back, as they were written") {
    for (
      (function, text) <- Seq(
        min("value")                   -> "min(`value#0`)",
        max("value")                   -> "max(`value#0`)",
        collect_list("value")          -> "collect_list(`value#0`)",
        first("value")                 -> "first(`value#0`)",
        stddev("value")                -> "stddev(",
        expr("try_sum(value)")         -> "try_sum(`value#0`)",
        expr("try_avg(value)")         -> "try_avg(`value#0`)",
        expr("bool_and(back)")         -> "bool_and(`back#0`)",
        approx_count_distinct("value") -> "approx_count_distinct("
      )
    ) {
      val said = refusal(ofStatic.window(tumbling).aggregate(count(lit(1)), function))
      assert(
        said.contains(" cannot take a row back, as retracts says of some: ") && said.contains("use count, sum, avg")
      )
      assert(said.startsWith(s"aggregate: ${text.replace("#0", "")}") || said.startsWith(s"aggregate: $text"), said)
    }
  }

  test("refused: other functions, by name") {
    val windows = ofStatic.window(tumbling)
    val others  = Seq[(String, WindowedStream => Any)](
      "is for aggregates of Spark SQL"        -> (_.sum("value")),
      "is for aggregates of Spark SQL"        -> (_.reduce(col("a"))),
      "is for aggregates of Spark SQL"        -> (_.reduce(new Added)),
      "is for aggregates of Spark SQL"        -> (_.aggregate(new MergedWords)),
      "cannot be used with process and apply" -> (_.process(new Silent, StructType.fromDDL("n INT")))
    )
    others.foreach { case (said, call) => assert(refusal(call(windows)).startsWith(s"retracts $said")) }
  }

  test("refused: windows that a row which takes back another does not come to, where they are declared") {
    val stream                                                    = keyed(new DrivenQuery(spark)(identity).events)
    def refused(declared: KeyedStream => Any)(said: String): Unit = {
      val message = refusal(declared(stream))
      assert(message.startsWith("retracts cannot be used with ") && message.contains(said), message)
    }
    refused(_.window(EventTimeSessionWindows.withGap(seconds(1))))("stay when one of them is taken back")
    refused(_.window(OverEventTimeWindows.preceding(seconds(1))))("stay when one of them is taken back")
    refused(_.window(TumblingProcessingTimeWindows.of(seconds(1))))("use the event-time windows of that name")
    refused(_.countWindow(2))("PurgingTrigger(CountTrigger(2)): a purged window")
    refused(_.countWindow(2, 1))("CountEvictor(2): it removes rows")
    refused(_.window(tumbling).evictor(CountEvictor.of(2)))("take it away")
    refused(_.window(tumbling).trigger(PurgingTrigger.of(MicroBatchTrigger.create())))("that does not purge")
    val purging = ColumnTrigger.of(onElement = TriggerAnswer.of(fire = lit(true), purge = col("element.value") > 3))
    refused(_.window(tumbling).trigger(purging))("that does not purge")
    stream.window(tumbling).trigger(ColumnTrigger.of(onElement = TriggerAnswer.of(fire = lit(true))))
  }

  test("refused: an event time that is not the row's own") {
    val read = SparkWindowing.assignTimestampsAndWatermarks(
      signed(new DrivenQuery(spark, delay = None)(identity).events),
      WatermarkStrategy.ingestionTime(),
      "read"
    )
    val stamps = SparkWindowing.keyBy(read, Seq(col("key"))).retracts("back")
    assert(refusal(stamps.window(tumbling)).contains("event time 'read', the time at which a row is read: "))
    val commits =
      SparkWindowing.keyBy(feed.withColumnRenamed("_commit_timestamp", "at"), Seq(col("key")), Some(col("at")))
    assert(refusal(commits.retracts(deletes).window(tumbling)).contains("event time 'at', the time of a change: "))
  }

  test("refused: another type than a boolean, a random one, and rows of several inputs") {
    assert(refusal(ofStatic.retracts("value")).startsWith("retracts takes a boolean column, got value of type INT: "))
    assert(refusal(ofStatic.retracts(rand() > 0.5)).contains("the same whenever it is computed"))
    val other = SparkWindowing.keyBy(static, Seq(col("key")), Some(col("ts")))
    for (
      several <- Seq[() => Any](
        () => SparkWindowing.join(ofStatic, other),
        () => SparkWindowing.coGroup("a" -> other, "b" -> ofStatic),
        () => SparkWindowing.coGroup("a" -> other, "b" -> other).retracts("a.back")
      )
    ) assert(refusal(several()).startsWith("retracts is for one input: "))
  }

  test("refused on the checkpoint of a query without it, or with another column; the same one goes on") {
    def count(of: KeyedStream) = of.window(tumbling).aggregate(sum("value").as("total"))
    Changing(spark)(events => count(keyed(events))) { c =>
      c.driven.batch(at("a", 5, 1000), at("a", 7, 2000))
      val plain = c.refused(events => count(SparkWindowing.keyBy(signed(events), Seq(col("key")))))
      assert(plain.contains("functions"), plain)
      val other = c.refused(events => count(SparkWindowing.keyBy(signed(events), Seq(col("key"))).retracts("not back")))
      assert(other.contains("functions"), other)
      c.to(events => count(keyed(events)))
      c.driven.batch(at("a", -5, 1000))
      assert(WindowText.of(c.driven.watermark(20000)) == Seq("a [0, 10000) 7"))
    }
  }

  // Stands for a source; nothing of it is computed.
  private def read(rows: DataFrame): DataFrame = spark.createDataFrame(rows.collectAsList(), rows.schema)

  // As Delta Lake gives it.
  private def feed: DataFrame = read(
    static
      .withColumn("_change_type", when(col("back"), "delete").otherwise("insert"))
      .withColumn("_commit_version", lit(1L))
      .withColumn("_commit_timestamp", timestamp_seconds(lit(70)))
  )

  private def iceberg: DataFrame = read(
    static
      .withColumn("_change_type", when(col("back"), "DELETE").otherwise("INSERT"))
      .withColumn("_change_ordinal", lit(0))
  )

  private val deletes = "_change_type IN ('delete', 'update_preimage')"

  private def ofFeed(rows: DataFrame, keys: Column*): KeyedStream = SparkWindowing.keyBy(rows, keys, Some(col("ts")))

  private def n(stream: KeyedStream): Seq[String] =
    WindowText.of(stream.window(tumbling).aggregate(count(lit(1)).as("n")).collect().toSeq)

  test("refused: a change feed of which nobody has said what a delete is") {
    val said = "aggregate(count(1)) over a change feed would count a delete as a row: its column '_change_type' says "
    assert(refusal(n(ofFeed(feed, col("key")))).startsWith(said))
    assert(refusal(n(ofFeed(feed.drop("_commit_version", "_commit_timestamp")))).startsWith(said), "they are below")
    val other = refusal(n(ofFeed(iceberg)))
    assert(other.startsWith(said) && other.contains("retracts(\"_change_type IN ('DELETE', 'UPDATE_BEFORE')\")"))
    val windows = ofFeed(feed).window(tumbling)
    assert(refusal(windows.aggregate(min("_change_type"), sum("value"))).startsWith("aggregate(sum(`value`)) over"))
    assert(refusal(windows.sum("value")).startsWith("sum over a change feed"))
    assert(
      refusal(SparkWindowing.join(ofFeed(static), ofFeed(feed))).startsWith("'right' is a change feed, whose column")
    )
  }

  test("refused: a condition that says of a kind of change the opposite of what it is") {
    assert(
      refusal(ofFeed(feed).retracts("_change_type = 'delete'")) ==
        "retracts is wrong for the rows of this change feed whose '_change_type' is 'update_preimage': delete and " +
        "update_preimage take back an earlier row, insert and update_postimage do not, " +
        "df.keyBy(..).retracts(\"_change_type IN ('delete', 'update_preimage')\")"
    )
    val said = refusal(ofFeed(iceberg).retracts(deletes))
    assert(said.endsWith("retracts(\"_change_type IN ('DELETE', 'UPDATE_BEFORE')\")"), said)
    assert(
      n(ofFeed(iceberg).retracts("_change_type LIKE 'DEL%' or _change_type = 'UPDATE_BEFORE'")) == Seq("[0, 10000) 0")
    )
    ofFeed(feed).retracts("_change_type = 'delete' AND value > 1")
    ofFeed(iceberg.withColumn("_change_type", lower(col("_change_type")))).retracts("_change_type = 'delete'")
  }

  test("a change feed whose deletes take back, are left out, or are rows because that is said") {
    assert(n(ofFeed(feed).retracts(deletes)) == Seq("[0, 10000) 0"))
    assert(n(ofFeed(feed.where("_change_type = 'insert'").drop("_change_type"))) == Seq("[0, 10000) 1"))
    assert(n(ofFeed(feed.withColumnRenamed("_change_type", "change"))) == Seq("[0, 10000) 2"))
    assert(n(ofFeed(feed, col("_change_type"))) == Seq("delete [0, 10000) 1", "insert [0, 10000) 1"))
    val own = static.withColumn("_change_type", lit("return"))
    assert(n(ofFeed(own)) == Seq("[0, 10000) 2"), "a column of a user's own")
    val each = ofFeed(feed).window(tumbling).aggregate(count_if(col("_change_type") === "insert").as("n"))
    assert(WindowText.of(each.collect().toSeq) == Seq("[0, 10000) 1"), "the function reads it")
  }
}
