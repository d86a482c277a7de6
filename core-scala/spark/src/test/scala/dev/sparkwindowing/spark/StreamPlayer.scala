package dev.sparkwindowing.spark

import dev.sparkwindowing.SparkWindowing
import dev.sparkwindowing.assigners.WindowAssigner
import dev.sparkwindowing.evictors.Evictor
import dev.sparkwindowing.testing.{Happened, Player, Scenario, ScenarioEvent, ScenarioStep, TimerCounts}
import dev.sparkwindowing.triggers.Trigger
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.functions._
import org.apache.spark.sql.{DataFrame, Row, SparkSession}

import java.time.Duration

/** Plays the steps of a scenario to a running streaming query: a watermark, and the rows behind it, a micro-batch each.
  *
  * The rows themselves move no watermark: Spark's delay is longer than all times of the scenarios.
  */
final class StreamPlayer(spark: SparkSession, s: Scenario) extends Player {
  import StreamPlayer._

  private[this] val query = new DrivenQuery(spark, delay = Some(s"$DelayDays days"))(build).start()

  // The parts chosen here do not look at elements, so rows do as well as the scenarios' texts.
  private def build(events: DataFrame): DataFrame = {
    val assigner  = s.window().asInstanceOf[WindowAssigner[InternalRow]]
    val windows   = SparkWindowing.keyBy(events, Seq(col("key"))).window(assigner)
    val fired     = s.trigger.fold(windows)(t => windows.trigger(t().asInstanceOf[Trigger[InternalRow]]))
    val evicted   = s.evictor.fold(fired)(e => fired.evictor(e().asInstanceOf[Evictor[InternalRow]]))
    val late      = evicted.allowedLateness(Duration.ofMillis(s.allowedLateness)).sideOutputLateData("late")
    val paned     = if (s.withPane) late.withPane() else late
    val collapsed = if (s.collapseFirings) paned.collapseFirings() else paned
    val filled    = s.fillEmpty.fold(collapsed)(time => collapsed.fillEmpty(Duration.ofMillis(time)))
    SparkWindowing.allOutputs(filled.aggregate(collect_list("value").as("values")))
  }

  def play(steps: Seq[ScenarioStep]): Happened = {
    val times = steps.map(_.event).collect {
      case ScenarioEvent.Watermark(time) =>
        query.watermark(time + 1 + Delay) // Spark's watermark is Flink's and one more
      case ScenarioEvent.Restore =>
        query.restart()
        Nil
    }
    val rows =
      steps.map(_.event).collect { case ScenarioEvent.Row(key, value, at, _, _) => Event.at(key, value.toInt, at) }
    val out          = times.flatten ++ (if (rows.isEmpty) Nil else query.batch(rows: _*))
    val (main, late) = out.partition(_.getString(0) == "main")
    Happened(main.map(r => fired(r.getStruct(1))), late.map(lateRow), Nil)
  }

  private def fired(r: Row): String = {
    val bounds = r.getAs[Row]("window")
    val window = if (bounds == null) "[global]" else WindowText.of(Seq(Row(bounds))).mkString
    val values = r.getSeq[Any](r.fieldIndex("values")).map(_.toString)
    val shown  = r.getString(0) +: nameOf(r) :+ window
    (shown ++ values ++ (if (s.withPane) pane(r.getAs[Row]("pane")) else Nil)).mkString(" ")
  }

  private def pane(r: Row): Seq[String] = {
    val replaced = r.getSeq[Row](r.fieldIndex("replaced")).map(w => WindowText.of(Seq(Row(w))).mkString)
    Seq("@", r.getAs[String]("timing"), r.getAs[Long]("number").toString) ++
      (if (s.fillEmpty.nonEmpty && r.getAs[Boolean]("is_empty")) Seq("empty") else Nil) ++
      (if (r.getAs[Boolean]("is_last")) Seq("last") else Nil) ++
      (if (replaced.isEmpty) Nil else "replaces" +: replaced)
  }

  private def nameOf(r: Row): Seq[String] =
    if (r.schema.fieldNames.contains("window_name")) Seq(r.getAs[String]("window_name")) else Nil

  private def lateRow(r: Row): String = {
    val late = r.getAs[Row]("late")
    (late.getAs[String]("key") +: nameOf(late) :+ late.getAs[Int]("value").toString).mkString(" ")
  }

  def timers: TimerCounts = throw new IllegalStateException("a stream does not show its timers after each step")
  def watermark: Long     = throw new IllegalStateException("a stream does not show its watermark after each step")

  def stop(): Unit = query.stop()
}

object StreamPlayer {
  private val DelayDays = 40000L
  private val Delay     = DelayDays * 86400000L

  private val OnElements = Seq("Delta", "withDynamicGap", "endsAt")

  /** True if a stream can play the scenario: Spark's watermark is never below 1970 and never decreases, a
    * processing-time timer is due a millisecond later than in the scenarios, and parts that read texts find none.
    */
  def canPlay(s: Scenario): Boolean = {
    val marks = s.steps.map(_.event).collect { case ScenarioEvent.Watermark(time) => time }
    s.error.isEmpty && s.mustFail.isEmpty && s.sameInBatches && !s.isCompound && !s.engineOnly && s.steps.nonEmpty &&
    marks.forall(t => t >= 0 && t < Delay) && marks == marks.sorted &&
    s.allowedLateness < Delay && isPlain(s) && s.steps.forall(playable)
  }

  private def playable(step: ScenarioStep): Boolean = step.error.isEmpty && (step.event match {
    case ScenarioEvent.Row(_, value, at, _, _) => at > -Delay && at < Delay && value.toIntOption.isDefined
    case ScenarioEvent.Clock(_)                => false
    case _                                     => true
  })

  private def isPlain(s: Scenario): Boolean = {
    val parts = Seq(s.window().toString) ++ s.trigger.map(_.apply().toString) ++ s.evictor.map(_.apply().toString)
    val clock = Seq("Processing", "stagger", "EndOfStream", "early", "late =")
    !parts.exists(part => (OnElements ++ clock).exists(part.contains(_)))
  }
}
