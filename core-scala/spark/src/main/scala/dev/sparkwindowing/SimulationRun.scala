package dev.sparkwindowing

import dev.sparkwindowing.simulation.{AfterStep, Simulation}
import dev.sparkwindowing.spark.plan.{OutputLayout, WindowNode}
import dev.sparkwindowing.windows.Window
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical.{LocalRelation, Project}
import org.apache.spark.sql.types.IntegerType
import org.apache.spark.sql.{DataFrame, SparkSession, SparkWindowingBridge}

import scala.jdk.CollectionConverters._

/** What a simulation put out, step by step; steps count from 0. */
final class SimulationRun private[sparkwindowing] (
    spark: SparkSession,
    node: WindowNode,
    produced: Seq[(Int, InternalRow)],
    clearedWindows: Seq[(Int, InternalRow, Window)],
    after: Seq[AfterStep]
) {
  private val columns = node.output.map(_.newInstance())
  private val step    = AttributeReference("step", IntegerType)()

  // The rows of the operator, behind the number of their step.
  private val outputs = {
    val types = columns.map(_.dataType)
    val rows  =
      LocalRelation(columns :+ step, produced.map { case (s, row) => InternalRow.fromSeq(row.toSeq(types) :+ s) })
    AllOutputs(rows, node.program.output)
  }

  /** A column `step`, then all that the operator put out: for a function that stands behind it. */
  def handed: DataFrame = SparkWindowingBridge.toDataFrame(spark, Project(step +: columns, outputs.plan))

  /** A column `step`, then those of the result; in the order in which the rows were put out. */
  def main: DataFrame =
    SparkWindowingBridge.toDataFrame(spark, Project(step +: outputs.mainColumns, outputs.mainRows))

  /** A column `step`, then those of the side output.
    *
    * @throws java.lang.IllegalArgumentException
    *   if the result has no such side output
    */
  def side(tag: String): DataFrame = {
    val (fields, rows) = outputs.side(tag)
    SparkWindowingBridge.toDataFrame(spark, Project(step +: fields, rows))
  }

  /** A column `step`, the key columns, `window`: the windows that were cleaned up. */
  def cleared: DataFrame = {
    val keys   = node.program.output.keys.map(f => AttributeReference(f.name, f.dataType)())
    val window = AttributeReference("window", OutputLayout.WindowType)()
    // A constant key has no column.
    val data = clearedWindows.map { case (s, key, w) =>
      InternalRow.fromSeq(
        (s +: key.toSeq(node.program.input.keyTypes).take(keys.size)) :+ Simulation.windowRow(w)
      )
    }
    SparkWindowingBridge.toDataFrame(spark, LocalRelation((step +: keys) :+ window, data))
  }

  /** The number of event-time timers alive after each step. */
  def eventTimers: java.util.List[Integer] = after.map(a => Integer.valueOf(a.eventTimers)).asJava

  /** The number of processing-time timers alive after each step. */
  def processingTimers: java.util.List[Integer] = after.map(a => Integer.valueOf(a.processingTimers)).asJava

  /** The watermark after each step in milliseconds, null before the first. */
  def watermarks: java.util.List[java.lang.Long] =
    after.map(a => if (a.watermark == Long.MinValue) null else java.lang.Long.valueOf(a.watermark)).asJava
}
