package dev.sparkwindowing.spark

import dev.sparkwindowing.assigners.{GlobalWindows, TumblingEventTimeWindows}
import dev.sparkwindowing.spark.rows.RowsBehind
import dev.sparkwindowing.spark.task.TaskCounters
import dev.sparkwindowing.triggers.{AfterWatermark, ContinuousProcessingTimeTrigger, TriggerContext}
import dev.sparkwindowing.{SparkWindowing, WindowedStream}
import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.functions._
import org.scalatest.funsuite.AnyFunSuite

import java.nio.file.{Files, Paths}
import java.time.Duration
import scala.jdk.CollectionConverters._

/** The figures of the operator in the query's progress. */
class MetricsSpec extends AnyFunSuite with SharedSpark {
  import Event.at

  private def windows(events: DataFrame): WindowedStream =
    SparkWindowing
      .keyBy(events, Seq(col("key")))
      .window(TumblingEventTimeWindows.of(Duration.ofSeconds(10)))
      .trigger(AfterWatermark.of(early = Duration.ofMinutes(1)))

  /** A query, and what its figures have become since they were asked for last. */
  private final class Figures(val q: DrivenQuery) {
    private[this] var seen = -1L

    // Of what has happened the sum over all micro-batches, of what there is the last.
    def since(): Map[String, Long] = {
      // A query that waits shows the figures of its last micro-batch again.
      val all  = q.running.recentProgress.toSeq.filter(p => p.batchId > seen && p.durationMs.containsKey("addBatch"))
      val ours = all.map(_.stateOperators(0).customMetrics.asScala.view.mapValues(_.longValue).toMap)
      seen = all.last.batchId
      val events =
        Seq("firedPanes", "skippedFirings", "numLateRecordsDropped", "lateSideOutput", "rowsWithoutEventTime")
      TaskCounters.Descriptions.map { case (name, _) =>
        name -> (if (events.contains(name)) ours.map(_(name)).sum else ours.last(name))
      }.toMap
    }
  }

  private def expect(figures: Map[String, Long])(others: (String, Long)*): Unit = {
    val wanted = others.toMap.withDefaultValue(0L)
    val counts = figures -- Seq("stateBytes", "timerIndexBytes", "timerIndexRebuilds")
    assert(counts == counts.map { case (name, _) => name -> wanted(name) })
    assert((figures("stateBytes") > 0) == (wanted("openWindows") > 0))
  }

  private def running(build: DataFrame => DataFrame)(test: Figures => Unit): Unit = {
    val q = new DrivenQuery(spark)(build)
    try test(new Figures(q.start()))
    finally q.stop()
  }

  test("open windows, firings, late rows, timers and bytes, from the first row until all is closed") {
    running(windows(_).aggregate(count(lit(1)).as("n"))) { f =>
      f.q.batch(at("a", 1, 2000), at("a", 2, 4000), at("b", 3, 3000), Event("a", 4, null))
      expect(f.since())("openWindows" -> 2, "eventTimers" -> 2, "processingTimers" -> 2, "rowsWithoutEventTime" -> 1)

      f.q.batch(at("a", 5, 12000))
      expect(f.since())("openWindows" -> 1, "eventTimers" -> 1, "processingTimers" -> 1, "firedPanes" -> 2)

      f.q.batch(at("a", 6, 5000), at("b", 7, 6000))
      expect(f.since())(
        "openWindows"           -> 1,
        "eventTimers"           -> 1,
        "processingTimers"      -> 1,
        "numLateRecordsDropped" -> 2
      )

      f.q.clock.advance(60001)
      f.q.settle()
      expect(f.since())("openWindows" -> 1, "eventTimers" -> 1, "firedPanes" -> 1)

      f.q.watermark(20000)
      expect(f.since())("firedPanes" -> 1)
    }
  }

  test("with a late side output late rows and those without event time are counted there") {
    val build = (events: DataFrame) =>
      SparkWindowing.allOutputs(windows(events).sideOutputLateData("late").aggregate(count(lit(1)).as("n")))
    running(build) { f =>
      f.q.watermark(20000)
      f.since()
      f.q.batch(at("a", 6, 5000), at("b", 7, 6000), Event("a", 4, null))
      expect(f.since())("lateSideOutput" -> 3, "rowsWithoutEventTime" -> 1)
    }
  }

  test("after an outage of more than a million intervals a query goes on from its checkpoint, and counts them") {
    val many  = TriggerContext.MaxTimerCalls
    val build = (events: DataFrame) =>
      SparkWindowing
        .keyBy(events, Seq(col("key")))
        .window(GlobalWindows.create())
        .trigger(ContinuousProcessingTimeTrigger.of(Duration.ofMillis(10)))
        .aggregate(count(lit(1)).as("n"))
    running(build) { f =>
      f.q.batch(at("a", 1, 2000))
      f.since()
      f.q.stop()
      f.q.clock.advance(20L * many + 10)
      f.q.start()
      assert(f.q.batch(at("b", 1, 2000)).map(_.getString(0)) == Seq("a"))
      val figures = f.since()
      assert((figures("firedPanes"), figures("skippedFirings")) == ((1, 2L * many)))
      f.q.clock.advance(11)
      assert(f.q.settle().map(_.getString(0)).sorted == Seq("a", "b"))
    }
  }

  test("the docs name them all, and no other") {
    val docs  = Paths.get(sys.props("scenarios")).resolve("../../docs/figures.md")
    val table = Files.readString(docs).split("\n## Metrics")(1).split("\n##")(0)
    val names = table.linesIterator.filter(_.startsWith("| `")).map(_.split('`')(1)).toSeq
    assert(names == TaskCounters.Descriptions.map(_._1) :+ RowsBehind.Names.head)
  }
}
