package dev.sparkwindowing.spark.portable

import dev.sparkwindowing.assigners.{
  EventTimeSessionWindows,
  OverEventTimeWindows,
  TumblingEventTimeWindows,
  WindowAssigner,
  WindowStagger
}
import dev.sparkwindowing.columns.{ColumnProcess, Do}
import dev.sparkwindowing.evictors.CountEvictor
import dev.sparkwindowing.spark.links.OperatorSetting
import dev.sparkwindowing.spark.metrics.QueryMetrics
import dev.sparkwindowing.spark.plan.StateLimits
import dev.sparkwindowing.spark.{Cases, DrivenQuery, Event, SharedSpark, WindowText}
import dev.sparkwindowing.triggers.{AfterWatermark, CountTrigger, FiringInterval, Trigger}
import dev.sparkwindowing.watermarks.WatermarkStrategy
import dev.sparkwindowing.{SparkWindowing, WindowedStream}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.functions._
import org.apache.spark.sql.{DataFrame, SparkSession, SparkTestBridge}
import org.scalatest.funsuite.AnyFunSuite
import org.scalatest.tags.Slow

import java.time.Duration
import scala.jdk.CollectionConverters._

/** The portable operator on running streams: the results of the native one, what it counts, and what it refuses. */
@Slow
class PortableStreamSpec extends AnyFunSuite with SharedSpark {
  import Event.at

  private def session(operator: String, settings: (String, String)*): SparkSession = {
    val own = spark.newSession()
    (settings :+ (OperatorSetting.Name -> operator)).foreach { case (name, value) => own.conf.set(name, value) }
    own
  }

  private lazy val portable = session("portable")
  private lazy val native   = session("native")

  private val ten = TumblingEventTimeWindows.of(Duration.ofSeconds(10))

  private def windows(events: DataFrame, assigner: WindowAssigner[InternalRow] = ten): WindowedStream =
    SparkWindowing.keyBy(events, Seq(col("key"))).window(assigner)

  private def total = sum("value").as("total")

  private def sums(events: DataFrame): DataFrame = windows(events).aggregate(total)

  private def running[A](query: DrivenQuery)(test: DrivenQuery => A): A =
    try test(query.start())
    finally query.stop()

  private val ttl = Duration.ofSeconds(4)

  private def expiring: ColumnProcess = ColumnProcess.of(
    state = struct(lit(0).as("n")),
    onElement = Do.of(state = expr("named_struct('n', state.n + 1)"), emit = struct(expr("state.n").as("n"))),
    ttl = ttl
  )

  private val queries: Seq[(String, DataFrame => DataFrame)] = Seq(
    "lateness and late rows" -> { events =>
      val late = windows(events).allowedLateness(Duration.ofSeconds(4)).sideOutputLateData("late")
      SparkWindowing.allOutputs(late.withPane().aggregate(count(lit(1)).as("n"), total).drop("pane"))
    },
    "changes" -> { events =>
      val each = windows(events, EventTimeSessionWindows.withGap(Duration.ofSeconds(3))).trigger(CountTrigger.of(1))
      each.allowedLateness(Duration.ofSeconds(2)).changelog(before = true).aggregate(total)
    },
    "sessions"     -> (windows(_, EventTimeSessionWindows.withGap(Duration.ofSeconds(3))).aggregate(total)),
    "over windows" -> (windows(_, OverEventTimeWindows.preceding(Duration.ofSeconds(5))).withRow().aggregate(total)),
    "an evictor"   -> (e => windows(e).evictor(CountEvictor.of[InternalRow](2)).aggregate(total)),
    "window_all"   -> (SparkWindowing.windowAll(_, ten).aggregate(total)),
    "state that expires" -> (e => SparkWindowing.keyBy(e, Seq(col("key"))).process(expiring)),
    "keys null and NaN"  -> { events =>
      val keys = Seq(
        when(col("value") % 3 =!= 0, col("key")).as("who"),
        when(col("value") % 2 === 0, lit(Double.NaN)).otherwise(lit(-0.0) * col("value")).as("x")
      )
      SparkWindowing.keyBy(events, keys).window(ten).aggregate(total)
    }
  )

  private val batches = Seq(
    Seq(at("a", 1, 2000), at("b", 2, 3000), at("a", 3, 9000), at("a", 6, 2500)),
    Seq(at("a", 4, 12000), at("b", 5, 3500), at("c", 6, 11000)),
    Seq(at("a", 7, 30000), at("b", 8, 1000)),
    Seq(at("c", 9, 31000), at("a", 10, 31500), at("end", 0, 600000))
  )

  for ((name, query) <- Cases.each(2)(queries)) test(s"the results of the native operator, through a restart: $name") {
    def results(on: SparkSession) = running(new DrivenQuery(on, delay = Some("2 seconds"))(query)) { q =>
      batches.zipWithIndex.map { case (rows, i) =>
        if (i == 2) q.restart()
        WindowText.of(q.batch(rows: _*))
      }
    }
    val expected = results(native)
    assert(expected.flatten.size >= 3)
    assert(results(portable) == expected)
  }

  test("windows of rows on a stream without a watermark: no timers, so the query rests") {
    val query = new DrivenQuery(portable, delay = None)(e =>
      SparkWindowing.keyBy(e, Seq(col("key"))).countWindow(2).aggregate(total)
    )
    running(query) { q =>
      assert(WindowText.of(q.batch(at("a", 1, 0), at("a", 2, 0), at("a", 3, 0))) == Seq("a null 3"))
      q.restart()
      assert(WindowText.of(q.batch(at("a", 4, 0))) == Seq("a null 7"))
      val plan = SparkTestBridge.lastPlan(q.running).toString
      assert(plan.contains("FlatMapGroupsWithState") && plan.contains("RowsOfBytes"), plan)
      assert(!plan.contains("AdaptiveSparkPlan"), plan)
    }
  }

  test("a function sees the watermark of the slowest partition") {
    val seen  = ColumnProcess.of(onElement = Do.of(emit = struct(expr("ctx.watermark").as("watermark"))))
    val query = new DrivenQuery(portable, delay = None)({ events =>
      val strategy = WatermarkStrategy.forBoundedOutOfOrderness(Duration.ofSeconds(1))
      val timed    = SparkWindowing.assignTimestampsAndWatermarks(events, strategy, "ts", col("value"))
      SparkWindowing.keyBy(timed, Seq(col("key"))).process(seen)
    })
    running(query) { q =>
      assert(WindowText.of(q.batch(at("a", 1, 5000), at("a", 2, 3000))).forall(_.endsWith("null")))
      assert(WindowText.of(q.batch(at("a", 1, 6000))) == Seq("a 6000 1999"))
    }
  }

  test("late rows and firings are observed metrics") {
    running(new DrivenQuery(portable)(sums)) { q =>
      q.batch(at("a", 1, 2000))
      q.watermark(10000)
      q.batch(at("a", 9, 3000), at("a", 4, 12000))
      val counts = q.running.recentProgress.toSeq.flatMap(p => Option(p.observedMetrics.get(QueryMetrics.Observed)))
      assert(counts.map(_.getAs[Long]("numLateRecordsDropped")).sum == 1)
      assert(counts.forall(_.schema.fieldNames.toSeq == CountsOfCall.Names))
    }
  }

  private def failure(body: => Any): String = Iterator
    .iterate[Throwable](intercept[Exception](body))(_.getCause)
    .takeWhile(_ != null)
    .map(_.getMessage)
    .mkString("\n")

  test("a changed query is refused before it has any row, so also if all its rows have new keys") {
    var size  = 10L
    val query =
      new DrivenQuery(portable)(e => windows(e, TumblingEventTimeWindows.of(Duration.ofSeconds(size))).aggregate(total))
    running(query) { q =>
      q.batch(at("a", 1, 2000))
      size = 20
      q.stop()
      val text = failure { q.start(); q.batch(at("new", 1, 2500)) }
      assert(text.contains("the query was changed since its checkpoint was written"), text)
      size = 10
      q.stop().start()
      assert(WindowText.of(q.watermark(10000)) == Seq("a [0, 10000) 1"))
    }
  }

  test("the state of one operator is refused by the other, and by read_state, by name") {
    val query = new DrivenQuery(portable)(e => SparkWindowing.keyBy(e, Seq(col("key"))).window(ten).aggregate(total))
    running(query) { q =>
      q.batch(at("a", 1, 2000))
      q.stop()
      val text = failure(SparkWindowing.readState(spark, q.checkpoint.toString))
      assert(text.contains("its state is that of the portable window operator"), text)
      portable.conf.set(OperatorSetting.Name, "native")
      try {
        val other = failure { q.start(); q.batch(at("a", 1, 2500)) }
        assert(other.contains("the state was written by the portable window operator"), other)
        assert(other.contains("spark.conf.set(\"spark.windowing.operator\", \"portable\")"), other)
      } finally portable.conf.set(OperatorSetting.Name, "portable")
    }
  }

  test("a state beyond maxBytes is refused with its key") {
    val small = session("portable", StateLimits.MaxSetting -> "200")
    val text  = running(new DrivenQuery(small)(e => windows(e).aggregate(collect_list("value").as("values")))) { q =>
      failure(q.batch((1 to 100).map(at("big", _, 2000)): _*))
    }
    assert(text.contains("the state of the key [big]"), text)
    assert(text.contains(StateLimits.MaxSetting), text)
  }

  private def events = new DrivenQuery(portable)(identity).events

  private def refusal(body: => Any): String = {
    val text = intercept[UnsupportedOperationException](body).getMessage
    assert(text.contains("the portable window operator cannot do this"), text)
    text
  }

  private def early: Trigger[InternalRow] = AfterWatermark.of(early = FiringInterval.Every(Duration.ofSeconds(5)))

  test("what it cannot do is refused by name where it is declared") {
    assert(refusal(windows(events).trigger(early).aggregate(total)).contains("early = CountTrigger.of(100)"))
    val ttlOfOtherClock = ColumnProcess.of(
      state = struct(lit(0).as("n")),
      onElement = Do.of(
        state = struct(lit(1).as("n")),
        emit = struct(lit(1).as("n")),
        processingTimer = expr("ctx.processing_time")
      ),
      onProcessingTimer = Do.of(emit = struct(lit(2).as("n"))),
      ttl = ttl
    )
    assert(refusal(SparkWindowing.keyBy(events, Seq(col("key"))).process(ttlOfOtherClock)).contains("ttlClock"))
    val staggered = TumblingEventTimeWindows.of(Duration.ofSeconds(10), stagger = WindowStagger.Random)
    assert(refusal(windows(events, staggered).aggregate(total)).contains("whose shift is drawn"))
    assert(refusal(windows(events).allowStateChange().aggregate(total)).contains("allowStateChange"))
    assert(refusal(sums(events.limit(10))).contains("another stateful operator"))
    val first = sums(events)
    assert(
      refusal(SparkWindowing.keyBy(first, Nil).window(ten).aggregate(sum("total")))
        .contains("another stateful operator")
    )
  }

  for (
    (name, build) <- Seq[(String, DataFrame => DataFrame)](
      "an aggregation behind it" -> (e => sums(e).groupBy("window").agg(sum("total").as("n"))),
      "a window beside it"       -> (e => sums(e).select("key").union(sums(e).select("key"))),
      "an aggregation beside it" -> (e =>
        sums(e).select("key").union(e.groupBy(window(col("ts"), "10 seconds"), col("key")).count().select("key"))
      ),
      "a deduplication behind it" -> (e => sums(e).dropDuplicates("key", "window")),
      "a limit behind it"         -> (e => sums(e).limit(10))
    )
  ) test(s"refused when the query starts: $name") {
    val query = new DrivenQuery(portable)(build)
    val text  =
      try failure { query.start(); query.batch(at("a", 1, 2000)) }
      finally query.stop()
    assert(text.contains("a window with another stateful operator in the query"), text)
  }

  test("explain names the operator, the reason, and what it stores; another setting is refused") {
    def shown(on: SparkSession) = SparkWindowing.explain(sums(new DrivenQuery(on)(identity).events)).linesIterator.toSeq
    assert(shown(portable).contains("operator: portable (spark.windowing.operator is portable)"))
    assert(shown(portable).exists(_.contains("since the operator is the portable one")))
    assert(shown(native).contains("operator: native (spark.windowing.operator is native)"))
    assert(shown(spark).contains("operator: native"))
    assert(shown(portable).contains("state: a row for each key, since the operator is the portable one"))
    val own = spark.newSession()
    own.conf.set("spark.windowing.state.pageBytes", "500")
    assert(shown(own).contains("state: a row for each key; windows beyond 64 KiB in pages of 500 bytes"))
    own.conf.set("spark.sql.streaming.stateStore.encodingFormat", "avro")
    assert(shown(own).contains("state: a row for each key, since the state store may change the bytes of keys"))
    val text = intercept[IllegalArgumentException](shown(session("fast"))).getMessage
    assert(text.contains("spark.windowing.operator must be native or portable, got 'fast'"))
  }

  test("a count needs no clock: early firings by rows are accepted") {
    val fired = AfterWatermark.of(early = FiringInterval.By(CountTrigger.of(2)): FiringInterval[InternalRow])
    running(new DrivenQuery(portable)(e => windows(e).trigger(fired).aggregate(total))) { q =>
      assert(WindowText.of(q.batch(at("a", 1, 2000), at("a", 2, 2000), at("a", 4, 2000))) == Seq("a [0, 10000) 3"))
      assert(WindowText.of(q.watermark(10000)) == Seq("a [0, 10000) 7"))
    }
  }

  test("the marker of Spark 3.5 and 4: no row is dropped by Spark") {
    running(new DrivenQuery(portable)(sums)) { q =>
      q.batch(at("a", 1, 20000))
      q.batch(at("a", 1, 1000))
      val dropped = q.running.recentProgress.toSeq.flatMap(_.stateOperators.toSeq).map(_.numRowsDroppedByWatermark)
      assert(dropped.nonEmpty && dropped.sum == 0)
      assert(q.running.lastProgress.stateOperators.head.customMetrics.asScala.keySet.forall(_ != "openWindows"))
    }
  }
}
