package dev.sparkwindowing.spark

import dev.sparkwindowing.api._
import org.apache.spark.sql.functions._
import org.apache.spark.sql.{AnalysisException, DataFrame, Row}
import org.scalatest.funsuite.AnyFunSuite

import java.nio.file.{Files, Paths}
import java.sql.Timestamp
import java.time.Duration
import scala.jdk.CollectionConverters._

/** The Scala API as a program uses it, by one import. */
class ApiSpec extends AnyFunSuite with SharedSpark {
  import spark.implicits._

  private lazy val clicks: DataFrame =
    clicksAt(("ann", "de", 1, 0L), ("bob", "fr", 2, 1L), ("ann", "fr", 4, 2L), ("ann", "de", 8, 7L))

  // User, country, price and second.
  private def clicksAt(rows: (String, String, Int, Long)*): DataFrame =
    rows.toDF("user", "country", "price", "second").withColumn("ts", timestamp_seconds(col("second"))).drop("second")

  private val spent = sum("price").as("spent")

  private def fired(keyed: KeyedStream): Set[String] =
    keyed
      .window(TumblingEventTimeWindows.of("5 seconds"))
      .aggregate(spent)
      .drop("window")
      .collect()
      .map(_.mkString(" "))
      .toSet

  test("keys are given as to groupBy: by names, by columns, or none") {
    val byUser = Set("ann 5", "ann 8", "bob 2")
    assert(fired(clicks.keyBy("user").eventTime("ts")) == byUser)
    assert(fired(clicks.keyBy($"user").eventTime($"ts")) == byUser)
    assert(fired(SparkWindowing.keyBy(clicks, "user").eventTime("ts")) == byUser)
    assert(fired(SparkWindowing.keyBy(clicks, Seq($"user"), Some($"ts"))) == byUser)
    val byBoth = Set("ann de 1", "ann fr 4", "ann de 8", "bob fr 2")
    assert(fired(clicks.keyBy("user", "country").eventTime("ts")) == byBoth)
    assert(fired(clicks.keyBy($"user", $"country").eventTime("ts")) == byBoth)
    assert(fired(clicks.keyBy().eventTime("ts")) == Set("7", "8"))
  }

  test("event time is a column that exists; a row without one does what is asked for") {
    val keyed = clicks.keyBy("user")
    assert(intercept[AnalysisException](keyed.eventTime("time")).getMessage.contains("time"))
    assert(
      intercept[IllegalArgumentException](keyed.onMissingTime("skip")).getMessage ==
        "onMissingTime must be one of 'late', 'drop', 'fail', got 'skip'"
    )
    val without = clicks.withColumn("ts", when($"user" =!= "bob", $"ts")).keyBy("user").eventTime("ts")
    assert(fired(without.onMissingTime("drop")) == Set("ann 5", "ann 8"))
    val failure = intercept[Exception](fired(without.onMissingTime("fail")))
    assert(causes(failure).exists(_.contains("event time")), causes(failure))
  }

  private def causes(e: Throwable): Seq[String] =
    Iterator.iterate(e)(_.getCause).takeWhile(_ != null).map(_.toString).toSeq

  test("it has every assigner, trigger and evictor that a program names") {
    // Made by another part, by columns or by windows: EventTimeSessionWindows, ColumnDelta, a keyed stream.
    val others = Set(
      "CalendarUnit",
      "DeltaEvictor",
      "DeltaTrigger",
      "DynamicEventTimeSessionWindows",
      "DynamicProcessingTimeSessionWindows",
      "LimitedSessionWindows",
      "NamedWindows",
      "TriggerMemory",
      "TriggerResult"
    )
    val named = dev.sparkwindowing.api.getClass.getMethods.map(_.getName).toSet
    val parts = Seq("assigners", "triggers", "evictors").flatMap(publicObjects).toSet
    assert(parts.size > 25)
    assert(parts -- named == others)
  }

  private def publicObjects(pkg: String): Seq[String] = {
    val folder = Paths.get(sys.props("scenarios"), s"../../core-scala/engine/src/main/scala/dev/sparkwindowing/$pkg")
    val files  = Files.list(folder)
    try
      files.iterator.asScala.toSeq.flatMap { file =>
        "(?m)^object (\\w+)".r.findAllMatchIn(new String(Files.readAllBytes(file), "UTF-8")).map(_.group(1))
      }
    finally files.close()
  }

  test("text is a duration wherever one is expected") {
    val five = Duration.ofMinutes(5)
    val hour = Duration.ofHours(1)
    assert(TumblingEventTimeWindows.of("1 hour", "5 minutes") == TumblingEventTimeWindows.of(hour, five))
    assert(SlidingEventTimeWindows.of("1 hour", slide = "5 minutes") == SlidingEventTimeWindows.of(hour, five))
    assert(EventTimeSessionWindows.withGap("5 minutes") == EventTimeSessionWindows.withGap(five))
    assert(OverEventTimeWindows.preceding("5 min") == OverEventTimeWindows.preceding(five))
    assert(ContinuousEventTimeTrigger.of("300 s") == ContinuousEventTimeTrigger.of(five))
    assert(TimeEvictor.of[Any]("1h") == TimeEvictor.of[Any](hour))
    assert(AfterWatermark.of("5 minutes", "micro-batch") == AfterWatermark.of(five, FiringInterval.MicroBatch))
    assert(AfterWatermark.of(late = "5 minutes") == AfterWatermark.of(late = five))
    val text  = WatermarkStrategy.forBoundedOutOfOrderness("5 minutes").withIdleness("1 hour").toString
    val typed = WatermarkStrategy.forBoundedOutOfOrderness(five).withIdleness(hour).toString
    assert(text == typed)
    assert(clicks.keyBy("user").eventTime("ts").timeWindow("1 hour").toString.contains("1 h"))
    val e = intercept[IllegalArgumentException](TumblingEventTimeWindows.of("5"))
    assert(e.getMessage.startsWith("""a duration is text such as "5 minutes" or "1 hour 30 minutes", got '5'"""))
  }

  test("parts that nest others, and evictors, need no types") {
    val windows = clicks.keyBy("user").eventTime("ts").window(GlobalWindows.create())
    assert(windows.trigger(PurgingTrigger.of(CountTrigger.of(2))).toString.contains("PurgingTrigger"))
    assert(windows.trigger(OnceTrigger.of(CountTrigger.of(2))).toString.contains("OnceTrigger"))
    assert(windows.trigger(AnyTrigger.of(CountTrigger.of(2), CountTrigger.of(3))).toString.contains("AnyTrigger"))
    assert(windows.trigger(AllTrigger.of(CountTrigger.of(2), CountTrigger.of(3))).toString.contains("AllTrigger"))
    assert(windows.trigger(AfterWatermark.of(early = CountTrigger.of(2))).toString.contains("early = CountTrigger"))
    assert(windows.evictor(CountEvictor.of(2)).toString.contains("CountEvictor"))
    assert(windows.evictor(TimeEvictor.of("2 s")).toString.contains("TimeEvictor"))
    assert(windows.evictor(ColumnEvictor.keep($"element.price" > 1)).toString.contains("ColumnEvictor"))
  }

  test("the import hides neither the session of a shell nor Spark's functions") {
    val spark = this.spark
    import org.apache.spark.sql.functions
    import dev.sparkwindowing.api._
    val one = spark.range(1).select(functions.lit(1).as("n"))
    assert(one.keyBy("n").countWindow(1).aggregate(functions.count("*")).count() == 1)
  }

  private def withLate: DataFrame = clicks
    .keyBy("user")
    .eventTime("ts")
    .window(TumblingEventTimeWindows.of("5 seconds"))
    .sideOutputLateData("late")
    .withPane()
    .aggregate(spent)

  test("outputs of a result, in collections of Scala") {
    assert(withLate.outputTags == Seq("late"))
    assert(withLate.windowColumns == Seq("user", "window"))
    assert(withLate.allOutputs.columns.toSeq == Seq("output", "main", "late"))
    assert(withLate.explainWindows.contains("TumblingEventTimeWindows"))
  }

  private def click(user: String, price: Int, second: Long) = sim.element(user, "de", price, second * 1000)

  // Rows of a run as text: step, user, and what was spent or is the price.
  private def byStep(rows: DataFrame): Seq[String] = {
    val value = if (rows.columns.contains("spent")) "spent" else "price"
    rows.select("step", "user", value).collect().toSeq.map(_.mkString(" "))
  }

  test("a simulation: rows and moves of time, main rows and late ones by step") {
    val run = withLate.simulate(
      click("ann", 1, 1),
      sim.batch(click("ann", 2, 2), click("bob", 4, 3)),
      sim.snapshotRestore(),
      sim.watermark(5000),
      sim.element("ann", null, 8, new Timestamp(4000)),
      sim.end()
    )
    assert(byStep(run.main).sorted == Seq("3 ann 3", "3 bob 4"))
    assert(byStep(run.side("late")) == Seq("4 ann 8"))
  }

  test("a simulation with a strategy that generates the watermark of two inputs") {
    val strategy                     = WatermarkStrategy.forBoundedOutOfOrderness("1 second")
    def of(input: Int)(second: Long) = sim.elementOf(input)("ann", "de", 1, second * 1000)
    val run = withLate.simulate(strategy, of(0)(1), of(1)(2), of(0)(9), sim.probe(0), of(1)(9), sim.probe(1))
    assert(byStep(run.main) == Seq("5 ann 2"))
  }

  test("a simulation of a join, with an element of each input") {
    val orders = Seq(("ann", 5L)).toDF("who", "second").select($"who", timestamp_seconds($"second").as("at"))
    val joined = SparkWindowing
      .join(clicks.keyBy("user").eventTime("ts"), orders.keyBy("who").eventTime("at"))
      .window(TumblingEventTimeWindows.of("5 seconds"))
      .inner()
    val run = joined.simulate(
      sim.elementOf(1)("ann", 2000L),
      sim.elementOf(0)("ann", "de", 7, 1000L),
      sim.elementOf(0)("bob", "de", 8, 1000L),
      sim.watermark(5000)
    )
    val Array(row) = run.main.collect()
    assert(
      (row.getAs[Row]("left").getAs[Int]("price"), row.getAs[Row]("right").getAs[Timestamp]("at").getTime) == (7, 2000L)
    )
    val e = intercept[IllegalArgumentException](joined.simulate(sim.elementOf(2)("ann", 2000L)))
    assert(e.getMessage == "an element is of input 2, and there are the inputs 0 to 1")
  }

  test("an element has a value for each column") {
    val e = intercept[IllegalArgumentException](withLate.simulate(sim.element("ann", 1)))
    assert(
      e.getMessage == "an element has 2 values, and its input the 4 columns user, country, price, ts: give one value for each, null for none"
    )
  }

  test("defaults of factories are those of Python") {
    assert(ColumnAssigner.of($"windows").isEventTime)
    assert(!ColumnEvictor.keep($"element.price" > 1).toString.contains("doEvictAfter"))
    assert(!ColumnDelta.evictor(5, $"element.price" - $"last.price").toString.contains("doEvictAfter"))
  }
}
