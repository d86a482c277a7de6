package dev.sparkwindowing.spark.task

import dev.sparkwindowing.spark.aggregates.SqlAggregates
import dev.sparkwindowing.spark.expressions.SliceStart
import dev.sparkwindowing.spark.plan.InputLayout
import dev.sparkwindowing.spark.relocated.Relocated
import dev.sparkwindowing.windows.{CumulativeSlices, RefinedSlices, SlidingSlices, TimeSlices}
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate.{AggregateExpression, Count, Partial}
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.execution.aggregate.HashAggregateExec

/** Pre-aggregation of rows by key and slice, with the partial mode of Spark's own hash aggregation: its generated code,
  * memory accounting and spilling.
  */
private[spark] object HashedSlices {

  /** @param layout columns of the rows of `input` */
  def plan(aggregates: SqlAggregates, slices: TimeSlices, layout: InputLayout, input: SparkPlan): SparkPlan = {
    val columns   = input.output
    val arguments = layout.argumentOrdinals.toSeq.map(columns)
    val counted   = AggregateExpression(Count(Literal(1)), Partial, isDistinct = false)
    val functions = aggregates.partial(arguments) :+ counted
    val slice     =
      Alias(sliceStart(columns(layout.timeOrdinal), slices), "event_time")(explicitMetadata = Some(InputLayout.Marked))
    val groups = columns.take(layout.keyCount) :+ slice
    HashAggregateExec(
      requiredChildDistributionExpressions = None,
      isStreaming = false,
      numShufflePartitions = None,
      groupingExpressions = groups,
      aggregateExpressions = functions,
      aggregateAttributes = functions.flatMap(_.aggregateFunction.aggBufferAttributes),
      initialInputBufferOffset = 0,
      resultExpressions = groups.map(_.toAttribute) ++ functions.flatMap(_.aggregateFunction.inputAggBufferAttributes),
      child = input
    )
  }

  private def sliceStart(time: Expression, slices: TimeSlices): Expression = slices match {
    // The latest of the window starts and ends at or before the time.
    case SlidingSlices(size, slide, offset) =>
      val starts = onGrid(time, offset, slide)
      if (size % slide == 0) starts else Greatest(Seq(starts, onGrid(time, offset + size, slide)))
    case CumulativeSlices(_, step, offset) => onGrid(time, offset, step)
    case RefinedSlices(Seq(grid))          => sliceStart(time, grid)
    case RefinedSlices(grids)              => Greatest(grids.map(sliceStart(time, _)))
    case other                             => SliceStart(time, other)
  }

  private def onGrid(time: Expression, offset: Long, step: Long): Expression = {
    val since = Subtract(time, Literal(offset % step), Relocated.Wrapping)
    Subtract(time, Pmod(since, Literal(step), Relocated.Wrapping), Relocated.Wrapping)
  }
}
