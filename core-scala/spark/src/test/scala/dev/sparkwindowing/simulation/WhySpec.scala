package dev.sparkwindowing.simulation

import dev.sparkwindowing.api._
import dev.sparkwindowing.simulation.{Why => Answer}
import dev.sparkwindowing.spark.SharedSpark
import dev.sparkwindowing.windows.{TimeWindow, Window}
import org.apache.spark.sql.functions._
import org.apache.spark.sql.{DataFrame, Row}
import org.scalatest.funsuite.AnyFunSuite

import scala.util.Random

/** Why a row or a window is in the results, or not: what is said is what the results show. */
class WhySpec extends AnyFunSuite with SharedSpark {
  import spark.implicits._

  private lazy val rows: DataFrame =
    Seq(("a", 1, 0L)).toDF("key", "id", "millis").select($"key", $"id", timestamp_millis($"millis").as("ts"))

  private def keyed(of: DataFrame = rows): KeyedStream = of.keyBy("key").eventTime("ts")

  private val ids = collect_list("id").as("ids")

  private val windows: Seq[(String, KeyedStream => WindowedStream)] = {
    def tumbling(k: KeyedStream) = k.window(TumblingEventTimeWindows.of("10 seconds"))
    Seq(
      "tumbling windows"   -> (tumbling(_).allowedLateness("3 seconds")),
      "sliding windows"    -> (_.window(SlidingEventTimeWindows.of("10 seconds", slide = "2 seconds"))),
      "cumulative windows" -> (_.window(CumulativeEventTimeWindows.of("12 seconds", "4 seconds"))
        .allowedLateness("5 seconds")),
      "sessions" -> (_.window(EventTimeSessionWindows.withGap("4 seconds")).allowedLateness("3 seconds")),
      "sessions that fire by rows" -> (_.window(EventTimeSessionWindows.withGap("4 seconds"))
        .trigger(CountTrigger.of(2))),
      "over windows"         -> (_.window(OverEventTimeWindows.preceding("5 seconds")).allowedLateness("4 seconds")),
      "over windows of rows" -> (_.window(OverEventTimeWindows.precedingRows(2)).allowedLateness("4 seconds")),
      "sessions of processing time" -> (_.window(ProcessingTimeSessionWindows.withGap("4 seconds"))),
      "a trigger that purges"       -> (k =>
        tumbling(k).trigger(
          ColumnTrigger.of(
            onElement = TriggerAnswer.of(fire = col("element.id") % 3 === 0, purge = col("element.id") % 4 === 0)
          )
        )
      ),
      "the global window by rows" -> (_.window(GlobalWindows.create()).trigger(CountTrigger.of(3))),
      "windows of rows"           -> (_.countWindow(3)),
      "windows that fire early"   -> (k => tumbling(k).trigger(AfterWatermark.of(early = CountTrigger.of(2)))),
      "windows that fire by rows" -> (k => tumbling(k).trigger(CountTrigger.of(2)).allowedLateness("9 seconds")),
      "windows by micro-batch" -> (k => tumbling(k).trigger(MicroBatchTrigger.create()).allowedLateness("2 seconds")),
      "windows of processing time" -> (_.window(
        dev.sparkwindowing.assigners.TumblingProcessingTimeWindows.of(java.time.Duration.ofSeconds(5))
      ))
    )
  }

  private def bounds(window: Window): Option[(Long, Long)] = window match {
    case TimeWindow(start, end) => Some(start -> end)
    case _                      => None
  }

  private def bounds(window: Row): Option[(Long, Long)] =
    Option(window).map(w => w.getTimestamp(0).getTime -> w.getTimestamp(1).getTime)

  for ((name, declared) <- windows)
    test(s"the firings of each row are those that show it, and late rows are late: $name") {
      val chance = new Random(name.hashCode)
      val stream = spark.readStream.format("rate").load().select($"timestamp".as("ts"), $"value")
      val input  =
        stream.select(lit("").as("key"), $"value".cast("int").as("id"), $"ts").withWatermark("ts", "0 seconds")
      val result = declared(keyed(input)).sideOutputLateData("late").aggregate(ids)
      for (_ <- 1 to 6) {
        var id    = -1
        def row() = {
          id += 1
          val time = if (chance.nextInt(20) == 0) null else Long.box(chance.nextInt(60) * 1000L)
          sim.element(chance.shuffle(Seq("a", "b")).head, id, time)
        }
        val steps = Seq.fill(25)(chance.nextInt(6) match {
          case 0 => sim.watermark(chance.nextInt(60) * 1000L)
          case 1 => sim.processingTime(chance.nextInt(60) * 1000L)
          case 2 => sim.batch(row(), row(), row())
          case _ => row()
        }) ++ (if (chance.nextBoolean()) Seq(sim.watermark(70000), sim.processingTime(70000)) else Nil)
        val run   = result.simulate(sim.processingTime(0) +: steps: _*)
        val shown = run.main.collect().flatMap { r =>
          r.getSeq[Int](r.fieldIndex("ids")).map(_ -> (r.getInt(0) -> bounds(r.getStruct(r.fieldIndex("window")))))
        }
        val late = run.side("late").collect().map(r => r.getAs[Int]("id") -> r.getAs[String]("late_reason")).toMap
        for (element <- 0 to id) {
          val why   = run.why(element)
          val all   = why.windows.flatMap(_.firings)
          val steps = shown.collect { case (`element`, (step, _)) => step }.toSeq
          assert(all.filter(_.isCertain).map(_.step).diff(steps).isEmpty, s"$name: $why")
          // Of over windows of rows the one of the row itself is named.
          if (name != "over windows of rows") assert(steps.diff(all.map(_.step)).isEmpty, s"$name: $why")
          assert(all.forall(_.isCertain) || name.contains("purges"), why)
          assert(why.late == late.get(element), why)
          assert(why.toString.linesIterator.size >= 2, why)
          if (!Seq("sessions", "of rows", "purges").exists(name.contains)) {
            val firedIn = why.windows.filter(_.firings.nonEmpty).map(w => bounds(w.window)).toSet
            assert(firedIn == shown.collect { case (`element`, (_, window)) => window }.toSet, why)
          }
        }
      }
    }

  private def told(of: WindowedStream => WindowedStream, steps: SimulationStep*): SimulationRun =
    of(keyed().window(TumblingEventTimeWindows.of("10 seconds"))).aggregate(ids).simulate(steps: _*)

  test("a late row: which window it missed, by how much, and the lateness with which it would have been taken") {
    val steps = Seq(sim.element("a", 1, 1000L), sim.watermark(12000), sim.element("a", 2, 2000L))
    val run   = told(identity, steps: _*)
    assert(
      run.why(1).toString ==
        """The row of the key [a] has the event time 1970-01-01 00:00:02, and came in step 2, at the watermark 1970-01-01 00:00:12.
          |[1970-01-01 00:00:00, 1970-01-01 00:00:10): it was cleaned up before, when the watermark reached 1970-01-01 00:00:09.999. With .allowedLateness("3 seconds") it would have taken the row""".stripMargin
    )
    assert(run.why(1).late.contains("late") && run.why(1).lateBy.contains(10000L))
    val longer = told(_.allowedLateness("3 seconds"), steps: _*).why(1)
    assert(longer.late.isEmpty && longer.windows.map(_.firings.map(_.timing)) == Seq(Seq("late")))
    assert(told(_.allowedLateness("2 seconds"), steps: _*).why(1).late.contains("late"))
  }

  test("an open window: what it waits for, and since when the watermark stands") {
    def waits(run: SimulationRun) = run.why(0).windows.map(w => w.state -> w.waitsFor.getOrElse(""))
    assert(
      waits(told(identity, sim.element("a", 1, 1000L))) ==
        Seq("open" -> "the watermark to reach 1970-01-01 00:00:09.999: there is none yet")
    )
    assert(
      waits(told(identity, sim.element("a", 1, 1000L), sim.watermark(5000))) ==
        Seq("open" -> "the watermark to reach 1970-01-01 00:00:09.999: it is 1970-01-01 00:00:05, 4999 ms before")
    )
    assert(
      waits(told(_.allowedLateness("1 minute"), sim.element("a", 1, 1000L), sim.watermark(10000))) ==
        Seq(
          "open" -> "late rows, until the watermark reaches 1970-01-01 00:01:09.999: it is 1970-01-01 00:00:10, 59999 ms before"
        )
    )
    assert(
      waits(told(_.trigger(CountTrigger.of(2)), sim.element("a", 1, 1000L))).head._2.startsWith(
        "its trigger, CountTrigger(2); it is cleaned up when the watermark reaches 1970-01-01 00:00:09.999"
      )
    )
  }

  test("of several inputs those are named that hold the watermark back") {
    val strategy = WatermarkStrategy.forMonotonousTimestamps()
    val result   = keyed().window(TumblingEventTimeWindows.of("10 seconds")).aggregate(ids)
    val run      = result.simulate(
      strategy,
      sim.elementOf(0)("a", 1, 1000L),
      sim.elementOf(1)("a", 2, 25000L),
      sim.elementOf(2)("b", 3, 3000L),
      sim.probe(0)
    )
    assert(
      run
        .why(0)
        .windows
        .head
        .waitsFor
        .contains(
          "the watermark to reach 1970-01-01 00:00:09.999: it is 1970-01-01 00:00:00.999, 9 s before, held back by input 0"
        )
    )
  }

  test("a window by its key and bounds") {
    val run = told(
      identity,
      sim.element("a", 1, 1000L),
      sim.element("a", 2, 2000L),
      sim.watermark(10000),
      sim.element("a", 3, 1500L)
    )
    assert(
      run.why(Seq("a"), 0, 10000).toString ==
        """The key [a]: 2 rows were taken into this window.
          |[1970-01-01 00:00:00, 1970-01-01 00:00:10): it fired on time in step 2, and is cleaned up""".stripMargin
    )
    assert(run.why(Seq("b"), 0, 10000).windows.map(_.state) == Seq("none"))
    assert(run.why(Seq("a"), 10000, 20000).windows.map(_.state) == Seq("none"))
  }

  test("an evictor may have removed the row") {
    val evicting = told(
      _.trigger(CountTrigger.of(2)).evictor(CountEvictor.of(1)),
      sim.element("a", 1, 1000L),
      sim.element("a", 2, 2000L)
    )
    assert(evicting.why(0).windows.head.firings == Seq(Answer.Firing(1, "early", isCertain = false)))
    assert(evicting.why(0).toString.contains("it fired early in step 1, if CountEvictor(1) kept the row since"))
  }

  private lazy val table: DataFrame =
    Seq(("a", 1, Some(1000L)), ("a", 2, Some(12000L)), ("a", 3, None), ("b", 4, Some(1000L)), ("b", 4, Some(1000L)))
      .toDF("key", "id", "millis")
      .withColumn("ts", timestamp_millis($"millis"))

  test("a static DataFrame: the row by a condition, the window by its key") {
    val result = keyed(table).window(SlidingEventTimeWindows.of("10 seconds", slide = "5 seconds")).aggregate(ids)
    assert(
      Why.of(result, $"id" === 1).toString ==
        """The row of the key [a] has the event time 1970-01-01 00:00:01.
          |[1969-12-31 23:59:55, 1970-01-01 00:00:05): it fired on time, and is cleaned up
          |[1970-01-01 00:00:00, 1970-01-01 00:00:10): it fired on time, and is cleaned up""".stripMargin
    )
    assert(Why.of(result, $"millis" === 1000 && $"key" === "b").windows.size == 2)
    assert(
      Why.of(result, $"id" === 3).toString ==
        "The row of the key [a] has no event time.\nWithout an event time no window takes it."
    )
    assert(Why.ofWindow(result, Seq("a"), 5000, 15000).toString.contains("1 row was taken into this window"))
  }

  test(
    "a static DataFrame: the firings of each row are those that show it, also of triggers by micro-batch and empty windows"
  ) {
    val chance = new Random(7)
    val times  = Seq.tabulate(12)(id => (Seq("a", "b")(chance.nextInt(2)), id, chance.nextInt(60000) * 1000L + 500))
    val random =
      times.toDF("key", "id", "micros").withColumn("ts", timestamp_micros($"micros")).select("key", "id", "ts")
    val filled = "windows without rows" -> ((k: KeyedStream) =>
      k.window(TumblingEventTimeWindows.of("5 seconds")).fillEmpty(java.time.Duration.ofSeconds(20))
    )
    val early = "windows that fire early by micro-batch" -> ((k: KeyedStream) =>
      k.window(TumblingEventTimeWindows.of("5 seconds")).trigger(AfterWatermark.of(early = "micro-batch"))
    )
    val exact =
      (windows.filterNot(w => Seq("processing", "purges", "over windows of").exists(w._1.contains)) :+ filled) :+ early
    for ((name, declared) <- exact) {
      val result = declared(keyed(random)).aggregate(ids)
      val shown  = result.collect().toSeq.flatMap(_.getAs[scala.collection.Seq[Int]]("ids"))
      for ((_, id, _) <- times) {
        val why = Why.of(result, $"id" === id)
        assert(why.windows.map(_.firings.size).sum == shown.count(_ == id), s"$name: $why")
      }
    }
  }

  private def refusal(body: => Any): String = intercept[RuntimeException](body).getMessage

  test("refused: rows that there are none or several of, streams, joins, functions without windows") {
    val result = keyed(table).window(TumblingEventTimeWindows.of("10 seconds")).aggregate(ids)
    assert(refusal(Why.of(result, $"id" === 9)).startsWith("why: no row of the input is as asked for"))
    assert(
      refusal(Why.of(result, $"key" === "a"))
        .startsWith("why: 3 different rows of the input are as asked for")
    )
    assert(refusal(Why.of(result, $"id")).startsWith("why takes a condition on a row, got"))
    assert(refusal(Why.of(result, $"no" === 1)).startsWith("why knows no column `no`"))
    assert(refusal(Why.ofWindow(result, Seq("a", 1), 0, 1)).startsWith("the key has 1 columns, got 2 values"))
    val joined =
      SparkWindowing.join(keyed(table), keyed(table)).window(TumblingEventTimeWindows.of("10 seconds")).inner()
    assert(refusal(Why.of(joined, $"id" === 1)).contains("ask a run of simulate"))
    val stream  = spark.readStream.format("rate").load().withWatermark("timestamp", "0 seconds")
    val minutes = stream.keyBy("value").window(TumblingEventTimeWindows.of("10 seconds")).aggregate(count("*"))
    assert(refusal(Why.of(minutes, $"value" === 1)).startsWith("why is asked of a static DataFrame"))
    assert(refusal(told(identity, sim.element("a", 1, 1000L)).why(1)) == "the run has the elements 0 to 0, got 1")
  }
}
