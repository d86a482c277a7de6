package dev.sparkwindowing.spark

import dev.sparkwindowing.assigners.{
  CalendarWindows,
  CumulativeEventTimeWindows,
  EventTimeSessionWindows,
  SlidingEventTimeWindows,
  TumblingEventTimeWindows,
  WindowAssigner
}
import dev.sparkwindowing.columns.{ColumnAggregateFunction, ColumnReduceFunction}
import dev.sparkwindowing.functions.{AggregateFunction, ReduceFunction}
import dev.sparkwindowing.spark.plan.PreAggregation
import dev.sparkwindowing.triggers.{
  AfterWatermark,
  CountTrigger,
  FiringInterval,
  MicroBatchTrigger,
  PurgingTrigger,
  Trigger
}
import dev.sparkwindowing.{SparkWindowing, WindowedStream}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.functions._
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.{Column, DataFrame, Row, SparkSession}
import org.scalatest.funsuite.AnyFunSuite

import java.sql.Timestamp
import java.time.{Duration, Instant}
import scala.util.Random

/** The largest value as a text, how often it came, and the number of all values. */
final class MergedWords extends AggregateFunction {
  def accumulatorSchema: StructType = StructType.fromDDL("seen MAP<STRING, INT>")
  def resultSchema: StructType      = StructType.fromDDL("word STRING, n INT, all INT")
  def createAccumulator(): Row      = Row(Map.empty[String, Int])
  override def isMergeable: Boolean = true
  def add(kept: Row, row: Row): Row = merge(kept, Row(Map(s"v${row.getAs[Int]("value")}" -> 1)))
  def getResult(kept: Row): Row     = {
    val seen = kept.getMap[String, Int](0)
    val most = seen.maxBy(_._1)
    if (seen.size == 2) null else Row(most._1, most._2, seen.values.sum)
  }
  def merge(kept: Row, merged: Row): Row = {
    val (a, b) = (kept.getMap[String, Int](0), merged.getMap[String, Int](0))
    Row(b.foldLeft(a.toMap) { case (all, (word, n)) => all.updated(word, all.getOrElse(word, 0) + n) })
  }
}

/** The sum of the values, with the latest time. */
final class MergedRows extends ReduceFunction {
  override def isMergeable: Boolean    = true
  def reduce(kept: Row, row: Row): Row =
    Row(kept(0), kept.getInt(1) + row.getInt(1), Seq(kept, row).map(_.getTimestamp(2)).maxBy(_.getTime))
}

/** Where a time line begins, and how much longer than a millisecond each of its milliseconds is. */
private final case class Scale(from: String, factor: Long) {
  def at(millis: Long): Long = Instant.parse(from).toEpochMilli + millis * factor
}

/** Rows that are aggregated before the exchange give what rows one by one give, micro-batch for micro-batch: results,
  * and the numbers of late rows and of rows without event time.
  */
class FastPathSpec extends AnyFunSuite with SharedSpark {

  private def session(fast: Boolean): SparkSession = {
    val own = spark.newSession()
    own.conf.set(PreAggregation.Setting, fast.toString)
    own
  }

  private def seconds(s: Double): Duration = Duration.ofMillis((s * 1000).toLong)

  private val plain: Seq[Column] = Seq(
    count(lit(1)).as("n"),
    sum("value").as("total"),
    min("value").as("least"),
    max("value").as("most"),
    count_if(col("value") > 20).as("large"),
    approx_count_distinct("value").as("different")
  )

  // With objects, texts, and wide numbers.
  private val rich: Seq[Column] = plain ++ Seq(
    min(concat(lit("v"), col("value"))).as("text"),
    percentile(col("value"), lit(0.5)).as("median"),
    sum(col("value").cast("decimal(30, 2)")).as("exact")
  )

  private val cases: Seq[(WindowAssigner[InternalRow], Seq[Column])] = Seq(
    TumblingEventTimeWindows.of(seconds(4))                              -> plain,
    TumblingEventTimeWindows.of(seconds(4), seconds(-1.5))               -> (plain :+ avg("value").as("mean")),
    SlidingEventTimeWindows.of(seconds(6), seconds(2))                   -> plain,
    SlidingEventTimeWindows.of(seconds(5), seconds(2), seconds(0.5))     -> plain,
    SlidingEventTimeWindows.of(seconds(7), seconds(3), seconds(-1))      -> plain,
    TumblingEventTimeWindows.of(seconds(3))                              -> rich,
    SlidingEventTimeWindows.of(seconds(5), seconds(2))                   -> rich,
    CumulativeEventTimeWindows.of(seconds(6), seconds(2))                -> plain,
    CumulativeEventTimeWindows.of(seconds(9), seconds(1.5), seconds(-4)) -> rich,
    EventTimeSessionWindows.withGap(seconds(1))                          -> plain,
    EventTimeSessionWindows.withGap(seconds(2))                          -> rich,
    EventTimeSessionWindows.withGap(seconds(0.3))                        -> rich
  )

  private val plainScale = Scale("1970-01-01T00:00:00Z", 1)

  // Six micro-batches, each four seconds on, with rows up to sixteen seconds back (the watermark is two behind),
  // some without an event time; then one row that ends all.
  private def batches(seed: Int, scale: Scale): Seq[Seq[Event]] = {
    val random                 = new Random(seed)
    def row(batch: Int): Event = {
      val back = if (random.nextInt(3) == 0) random.nextInt(16000) else random.nextInt(1500)
      val time = math.max(0, batch * 4000 + random.nextInt(4000) - back)
      val ts   = if (random.nextInt(20) == 0) null else new Timestamp(scale.at(time.toLong))
      Event(s"k${random.nextInt(3)}", random.nextInt(40), ts)
    }
    (1 to 6).map(batch => Seq.fill(20 + random.nextInt(30))(row(batch))) :+ Seq(Event.at("end", 0, scale.at(600000)))
  }

  private def run(
      fast: Boolean,
      stops: Boolean,
      seed: Int,
      assigner: WindowAssigner[InternalRow],
      compute: WindowedStream => DataFrame,
      scale: Scale = plainScale
  ) = {
    val q = new DrivenQuery(session(fast), delay = Some(s"${2 * scale.factor} seconds"), partitions = Some(2))(events =>
      compute(SparkWindowing.keyBy(events, Seq(col("key"))).window(assigner).withPane())
    )
    try {
      q.start()
      batches(seed, scale).map { rows =>
        if (stops) q.restart()
        val results = q.batch(rows: _*).map(rounded).sorted
        (results, counted(q, "numLateRecordsDropped"), counted(q, "rowsWithoutEventTime"))
      }
    } finally q.stop()
  }

  private def counted(q: DrivenQuery, name: String): Long =
    q.running.recentProgress
      .flatMap(_.stateOperators.flatMap(o => Option(o.customMetrics.get(name))))
      .map(_.longValue)
      .sum

  private def rounded(row: Row): String = row.toSeq
    .map {
      case d: Double => f"$d%.9g"
      case other     => other
    }
    .mkString(", ")

  // A micro-batch is eleven hours on, and the clocks change, or a day is left out, in the third or fourth.
  private val calendar: Seq[(CalendarWindows, Scale, Seq[Column])] = Seq(
    (CalendarWindows.days(timeZone = "Europe/Berlin"), Scale("2026-10-23T22:00:00Z", 10000), plain),
    (CalendarWindows.days(timeZone = "Africa/Cairo"), Scale("2026-04-22T22:00:00Z", 10000), rich),
    (CalendarWindows.days(2, "Pacific/Apia"), Scale("2011-12-28T10:00:00Z", 10000), plain),
    (CalendarWindows.weeks(timeZone = "America/New_York"), Scale("2026-10-20T04:00:00Z", 60000), plain),
    (CalendarWindows.months(1, 28, "Asia/Kolkata"), Scale("2026-01-05T00:00:00Z", 400000), rich)
  )

  // The figures are those of one run of the query.
  for {
    ((assigner, scale, functions), seed) <- Cases.each(2)(
      (cases.map { case (assigner, functions) => (assigner, plainScale, functions) } ++ calendar).zipWithIndex
    )
  } test(s"$assigner, ${functions.size} functions") {
    def compute(w: WindowedStream): DataFrame = w.aggregate(functions: _*)
    val slow                                  = run(fast = false, stops = false, seed, assigner, compute, scale)
    assert(slow.map(_._1.size).sum > 5 && slow.last._2 > 0 && slow.last._3 > 0, "the time line must show something")
    if (seed % 4 < 2) assert(run(fast = true, stops = false, seed, assigner, compute, scale) == slow)
    else assert(run(fast = true, stops = true, seed, assigner, compute, scale).map(_._1) == slow.map(_._1))
  }

  private val byMicroBatch: Seq[(WindowAssigner[InternalRow], Trigger[InternalRow], Double)] = for {
    assigner <- Seq[WindowAssigner[InternalRow]](
      TumblingEventTimeWindows.of(seconds(4)),
      SlidingEventTimeWindows.of(seconds(5), seconds(2)),
      CumulativeEventTimeWindows.of(seconds(4), seconds(2)),
      EventTimeSessionWindows.withGap(seconds(1))
    )
    (trigger, lateness) <- Seq[(Trigger[InternalRow], Double)](
      (MicroBatchTrigger.create(), 0),
      (MicroBatchTrigger.create(), 6),
      (PurgingTrigger.of(MicroBatchTrigger.create()), 6),
      (AfterWatermark.of(early = FiringInterval.MicroBatch), 0),
      (AfterWatermark.of(FiringInterval.MicroBatch, FiringInterval.MicroBatch), 6)
    )
  } yield (assigner, trigger, lateness)

  // Each trigger with an assigner, each assigner with a trigger or two.
  for (
    ((assigner, trigger, lateness), seed) <- byMicroBatch.zipWithIndex
    if Cases.areAll || (seed / 5 + seed % 5) % 4 == 1
  )
    test(s"$assigner, $trigger, lateness of $lateness s") {
      def compute(w: WindowedStream): DataFrame =
        w.trigger(trigger).allowedLateness(seconds(lateness)).aggregate(plain: _*)
      val slow = run(fast = false, stops = false, seed, assigner, compute)
      assert(slow.map(_._1.size).sum > 20 && slow.last._2 > 0, "the time line must show something")
      assert(run(fast = true, stops = seed % 2 == 0, seed, assigner, compute).map(_._1) == slow.map(_._1))
    }

  // The initial accumulator is not neutral in a merge, and an odd sum emits no row.
  private val evenTotal = ColumnAggregateFunction.of(
    expr("named_struct('total', 100, 'names', '')"),
    expr("named_struct('total', acc.total + row.value, 'names', greatest(acc.names, concat(row.key, row.value)))"),
    expr("named_struct('total', a.total + b.total - 100, 'names', greatest(a.names, b.names))"),
    expr("if(acc.total % 2 = 0, named_struct('total', acc.total, 'names', acc.names), null)"),
    mergeable = true
  )

  private val newest = ColumnReduceFunction.of(
    expr("named_struct('key', a.key, 'value', a.value + b.value, 'ts', greatest(a.ts, b.ts))"),
    mergeable = true
  )

  private val mergeable: Seq[(String, WindowedStream => DataFrame)] = Seq(
    ("an aggregate of columns", _.aggregate(evenTotal)),
    ("a reduce of columns", _.reduce(newest)),
    ("an aggregate on Row", _.aggregate(new MergedWords)),
    ("a reduce on Row", _.reduce(new MergedRows))
  )

  for {
    (assigner, i)        <- Seq(1, 3, 7, 9, 11).map(cases(_)._1).zipWithIndex
    ((name, compute), j) <- mergeable.zipWithIndex
    if Cases.areAll || (i + j) % 4 == 0
  } test(s"$assigner, $name") {
    val seed = 10 * i + j
    val slow = run(fast = false, stops = false, seed, assigner, compute)
    assert(slow.map(_._1.size).sum > 3 && slow.last._2 > 0 && slow.last._3 > 0, "the time line must show something")
    assert(run(fast = true, stops = seed % 2 == 0, seed, assigner, compute).map(_._1) == slow.map(_._1))
  }

  // What depends on the order of the rows, with values that are often equal and sometimes null.
  private val ordered: Seq[Seq[Column]] = {
    val value = when(col("value") % 5 =!= 0, col("value"))
    val rank  = col("value") % 3
    Seq(
      Seq(
        first(value).as("first"),
        first(value, ignoreNulls = true).as("first_known"),
        max_by(col("value"), rank).as("most"),
        min_by(col("value"), rank).as("least")
      ),
      Seq(
        last(value).as("last"),
        last(value, ignoreNulls = true).as("last_known"),
        any_value(value).as("any"),
        collect_list(value).as("all")
      )
    )
  }

  private def inSessions(fast: Boolean, functions: Seq[Column], batches: Seq[Seq[Event]]): Seq[Seq[String]] = {
    val q = new DrivenQuery(session(fast), delay = Some("1 day"), partitions = Some(1))(events =>
      SparkWindowing
        .keyBy(events, Seq(col("key")))
        .window(EventTimeSessionWindows.withGap(seconds(30)))
        .aggregate(functions: _*)
    )
    try {
      q.start()
      (batches :+ Seq(Event.at("end", 0, 100000000))).map(rows => q.batch(rows: _*).map(_.toString).sorted)
    } finally q.stop()
  }

  test("the first row of a session that later rows reach from before it") {
    val batches = Seq(Seq(Event.at("a", 0, 1100000)), Seq(Event.at("a", 1, 1050000), Event.at("a", 2, 1075000)))
    assert(
      inSessions(fast = true, Seq(first("value").as("first")), batches).flatten ==
        Seq("[a,[1970-01-01 00:17:30.0,1970-01-01 00:18:50.0],1]")
    )
  }

  test("functions that depend on the order of rows, over sessions that join in all ways") {
    val random = new Random(7)
    // Forty places, and at each a few rows a micro-batch, no further apart than four gaps.
    val batches = Seq.fill(4)(
      random.shuffle((0 until 40).flatMap { place =>
        Seq.fill(4)(Event.at(s"k${place % 2}", random.nextInt(60), (place * 200 + random.nextInt(120)) * 1000L))
      })
    )
    ordered.foreach { functions =>
      val slow = inSessions(fast = false, functions, batches)
      assert(slow.flatten.size > 40)
      assert(inSessions(fast = true, functions, batches) == slow)
    }
  }

  test("a checkpoint of slices is refused when the path is turned off") {
    val own = session(fast = true)
    val q   = new DrivenQuery(own)(events =>
      SparkWindowing
        .keyBy(events, Seq(col("key")))
        .window(SlidingEventTimeWindows.of(seconds(4), seconds(1)))
        .aggregate(sum("value").as("total"))
    )
    try {
      q.start().batch(Event.at("a", 1, 1000), Event.at("a", 1, 2000))
      q.stop()
      own.conf.set(PreAggregation.Setting, "false")
      val outcome = Changing.outcome(q.start().batch(Event.at("a", 1, 3000)))
      val refusal = s"kept: was slices, is windows (row by row, since ${PreAggregation.Setting} is false)"
      assert(outcome.left.exists(_.contains(refusal)), outcome)
    } finally q.stop()
  }

  test("a setting that is neither true nor false is refused by its name") {
    val before = spark.conf.getOption(PreAggregation.Setting)
    val result = SparkWindowing
      .keyBy(spark.createDataFrame(Seq(Event.at("a", 1, 1000))), Seq(col("key")), Some(col("ts")))
      .window(TumblingEventTimeWindows.of(seconds(4)))
      .aggregate(sum("value").as("total"))
    try {
      spark.conf.set(PreAggregation.Setting, "yes")
      val e = intercept[IllegalArgumentException](SparkWindowing.explain(result))
      assert(e.getMessage.startsWith(s"${PreAggregation.Setting} must be true or false, got 'yes'"))
    } finally before.fold(spark.conf.unset(PreAggregation.Setting))(spark.conf.set(PreAggregation.Setting, _))
  }

  private def pathOfResult(result: DataFrame): String =
    SparkWindowing.explain(result).linesIterator.filter(_.startsWith("path: ")).mkString

  test("explain says which path, and why not a faster one") {
    def pathOf(assigner: WindowAssigner[InternalRow], rules: WindowedStream => WindowedStream, functions: Column*) = {
      val rows    = spark.readStream.format("rate").load().withWatermark("timestamp", "1 second")
      val windows = SparkWindowing.keyBy(rows, Seq(col("value"))).window(assigner)
      val result  = rules(windows).aggregate(functions: _*)
      pathOfResult(result)
    }
    def path(assigner: WindowAssigner[InternalRow], functions: Column*) = pathOf(assigner, identity, functions: _*)
    val tumbling                                                        = TumblingEventTimeWindows.of(seconds(4))
    assert(path(tumbling, sum("value")) == "path: aggregated by windows before the exchange")
    assert(
      path(SlidingEventTimeWindows.of(seconds(4), seconds(1)), sum("value")) ==
        "path: aggregated by slices of windows before the exchange"
    )
    assert(
      path(EventTimeSessionWindows.withGap(seconds(4)), sum("value")) ==
        "path: aggregated by sessions before the exchange"
    )
    assert(
      path(EventTimeSessionWindows.withGap(seconds(4)), first("value")) ==
        "path: row by row, since the functions depend on the order of the rows"
    )
    assert(
      path(CumulativeEventTimeWindows.of(seconds(4), seconds(1)), sum("value")) ==
        "path: aggregated by slices of windows before the exchange"
    )
    assert(
      path(CalendarWindows.days(timeZone = "Europe/Berlin"), sum("value")) ==
        "path: aggregated by windows before the exchange"
    )
    assert(path(tumbling, first("value")) == "path: row by row, since the functions depend on the order of the rows")
    assert(
      path(SlidingEventTimeWindows.of(seconds(1), seconds(4)), sum("value"))
        .endsWith("there are gaps between the windows")
    )
    byMicroBatch.foreach { case (assigner, trigger, lateness) =>
      val chosen = pathOf(assigner, _.trigger(trigger).allowedLateness(seconds(lateness)), sum("value"))
      assert(chosen.startsWith("path: aggregated by "), s"$assigner, $trigger")
    }
    def late(w: WindowedStream) = w.trigger(AfterWatermark.of(FiringInterval.MicroBatch)).allowedLateness(seconds(1))
    assert(pathOf(tumbling, late, sum("value")).endsWith("within the allowed lateness each late row fires its window"))
    mergeable.foreach { case (name, compute) =>
      val events = spark.createDataFrame(Seq(Event.at("a", 1, 1000))).drop("tick")
      val keyed  = SparkWindowing.keyBy(events, Seq(col("key")), Some(col("ts"))).window(tumbling)
      assert(pathOfResult(compute(keyed)) == "path: aggregated by windows before the exchange", name)
    }
    val declared = spark.createDataFrame(Seq(Event.at("a", 1, 1000))).select("key", "value", "ts")
    val keyed    = SparkWindowing.keyBy(declared, Seq(col("key")), Some(col("ts"))).window(tumbling)
    assert(pathOfResult(keyed.reduce(col("a"))) == "path: row by row, since reduce is not declared mergeable")
    assert(pathOfResult(keyed.reduce(new Added)).endsWith("Added is not declared mergeable"))
    assert(
      pathOfResult(keyed.process(new Silent, StructType.fromDDL("n INT")))
        .endsWith("only aggregates and mergeable functions can take rows in parts")
    )
    assert(
      pathOf(tumbling, _.trigger(CountTrigger.of(2)), sum("value")).endsWith("CountTrigger(2) is told of each element")
    )
  }
}
