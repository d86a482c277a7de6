package dev.sparkwindowing.simulation

import dev.sparkwindowing.spark.outputs.AllOutputs
import dev.sparkwindowing.spark.plan.WindowNode
import dev.sparkwindowing.spark.rows.EventTimeType
import dev.sparkwindowing.windows.{GlobalWindow, TimeWindow, Window}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical.{LocalRelation, Project}
import org.apache.spark.sql.types.{IntegerType, LongType, StringType}
import org.apache.spark.sql.{DataFrame, SparkSession, SparkWindowingBridge}
import org.apache.spark.unsafe.types.UTF8String

/** Result of a simulation, step by step; steps count from 0. */
final class SimulationRun private[sparkwindowing] (
    spark: SparkSession,
    node: WindowNode,
    record: Trace,
    timeName: Option[String],
    answers: WhyOfRun
) {
  import record.{after, facts, produced}

  private val columns = node.output.map(_.newInstance())
  private val step    = AttributeReference("step", IntegerType)()

  // Rows of the operator, preceded by the number of their step.
  private val outputs = {
    val types = columns.map(_.dataType)
    val rows  =
      LocalRelation(columns :+ step, produced.map { case (s, row) => InternalRow.fromSeq(row.toSeq(types) :+ s) })
    AllOutputs(rows, node.program.output)
  }

  /** All of the run as one DataFrame, in rows of these parts: `main` and the side outputs by tag, or `handed` if a
    * function follows the operator; `cleared`, `happened`. See [[WideFrame]].
    */
  def everything: DataFrame = {
    def part(name: String, frame: DataFrame) = RunTable(name, SparkWindowingBridge.analyzedPlan(frame), isRead = true)
    val written                              =
      if (node.program.pythonFunction.nonEmpty)
        Seq(RunTable("handed", Project(step +: columns, outputs.plan), isRead = false))
      else part("main", main) +: node.program.output.sides.map(s => part(s.tag, side(s.tag)))
    val parts = written :+ part("cleared", cleared) :+ part("happened", happened)
    SparkWindowingBridge.toDataFrame(spark, WideFrame.of(spark, parts, node, timeName, afterSteps))
  }

  /** Answers why an element is in the results, or not.
    *
    * @param element
    *   its number among the elements of the run, from 0
    * @throws java.lang.IllegalArgumentException
    *   if the run has no such element
    * @throws java.lang.UnsupportedOperationException
    *   for a function without windows
    */
  def why(element: Int): Why = answers.ofElement(element)

  /** Answers why a window has fired, or not.
    *
    * @param key
    *   values of the key columns, as a `Row` holds them
    * @param start
    *   of the window, milliseconds; it and `end` are ignored for the global window
    */
  def why(key: Seq[Any], start: Long, end: Long): Why = answers.ofWindow(key, TimeWindow(start, end))

  /** A column `step`, then the columns of the result, in the order of output. */
  def main: DataFrame =
    SparkWindowingBridge.toDataFrame(spark, Project(step +: outputs.mainColumns, outputs.mainRows))

  /** A column `step`, then the columns of the side output.
    *
    * @throws java.lang.IllegalArgumentException
    *   if the result has no such side output
    */
  def side(tag: String): DataFrame = {
    val (fields, rows) = outputs.side(tag)
    SparkWindowingBridge.toDataFrame(spark, Project(step +: fields, rows))
  }

  /** The windows that were cleaned up: a column `step`, the key columns, `window`. */
  def cleared: DataFrame = {
    val keys   = keyColumns
    val window = AttributeReference("window", EventTimeType.Instant.window)()
    val data   = facts.filter(_.kind == "cleared").map { f =>
      InternalRow.fromSeq((f.step +: shown(f.key)) ++ f.window.map(bounds))
    }
    SparkWindowingBridge.toDataFrame(spark, LocalRelation((step +: keys) :+ window, data))
  }

  /** All events of the run, in order: the columns `step`, `kind`, `time`, `start`, `end` (of a window; milliseconds)
    * and `detail` as in [[dev.sparkwindowing.simulation.TraceEvent]], then the key columns.
    */
  def happened: DataFrame = {
    val columns = Seq(AttributeReference("kind", StringType)()) ++
      Seq("time", "start", "end").map(AttributeReference(_, LongType)()) :+ AttributeReference("detail", StringType)()
    val data = facts.map { f =>
      val (start, end) = f.window match {
        case Some(TimeWindow(s, e)) => (s, e)
        case _                      => (null, null)
      }
      InternalRow.fromSeq(
        Seq(
          f.step,
          UTF8String.fromString(f.kind),
          f.time.map(Long.box).orNull,
          start,
          end,
          UTF8String.fromString(f.detail.orNull)
        ) ++
          shown(f.key)
      )
    }
    SparkWindowingBridge.toDataFrame(spark, LocalRelation((step +: columns) ++ keyColumns, data))
  }

  private def bounds(window: Window): Any = window match {
    case TimeWindow(start, end) => InternalRow(start * 1000, end * 1000)
    case GlobalWindow           => null
  }

  private def keyColumns = node.program.output.keys.map(f => AttributeReference(f.name, f.dataType)())

  // A constant key has no column.
  private def shown(key: Option[InternalRow]): Seq[Any] = {
    val types = node.program.output.keys.map(_.dataType)
    key.fold[Seq[Any]](types.map(_ => null))(_.toSeq(node.program.input.keyTypes).take(types.size))
  }

  // The state after each step: a line per step with the numbers of live event-time and processing-time timers, the
  // watermark in milliseconds, "-" before the first, and the idle inputs, separated by commas, "-" for none.
  private def afterSteps: String = after
    .map { a =>
      val watermark = if (a.watermark == Long.MinValue) "-" else a.watermark.toString
      val idle      = if (a.idle.isEmpty) "-" else a.idle.mkString(",")
      s"${a.eventTimers} ${a.processingTimers} $watermark $idle"
    }
    .mkString("\n")
}
