package dev.sparkwindowing.lateness

import dev.sparkwindowing.functions.TimeDomain
import dev.sparkwindowing.operator.KeyedPlan
import dev.sparkwindowing.simulation.Simulation
import dev.sparkwindowing.spark.advice.Code
import dev.sparkwindowing.spark.expressions.Columns
import dev.sparkwindowing.spark.plan.{PreAggregation, WindowProgram}
import dev.sparkwindowing.watermarks.PartitionTimes
import org.apache.spark.sql.catalyst.expressions.{Alias, Attribute, MonotonicallyIncreasingID, NamedExpression}
import org.apache.spark.sql.catalyst.plans.logical.Project
import org.apache.spark.sql.functions.{coalesce, col, lit, max}
import org.apache.spark.sql.{Column, DataFrame, SparkWindowingBridge}

/** Replays a declaration on the rows of its static DataFrame in the order in which they came, key by key: the operator
  * gets them in the micro-batches of their arrival, with the watermark that all rows have made by then.
  *
  * @param result
  *   of the declaration, exactly what its function returned
  * @param arrived
  *   when a row came, a TIMESTAMP column of the input; or the number of its micro-batch
  * @param every
  *   milliseconds of a micro-batch
  * @param partition
  *   column of the input with the partition of a row, if the watermark is that of the slowest partition
  */
private[sparkwindowing] final class VariantReplay(
    result: DataFrame,
    arrived: Column,
    every: Long,
    partition: Option[Column]
) {
  import VariantReplay._

  private[this] val node = Simulation.operatorOf(result, "what_if")
  if (node.child.isStreaming)
    throw new IllegalArgumentException(
      s"${Code.name("what_if")} takes the rows of a static DataFrame, and got a stream: read its source with spark.read"
    )
  if (Simulation.inputSchemas(result).nonEmpty)
    throw new UnsupportedOperationException("what_if replays the rows of one input, and the result has several")
  node.program.pythonFunction.foreach { _ =>
    throw new UnsupportedOperationException(
      "what_if replays windows in Spark, and the declaration ends in a function of Python: end it in .aggregate(..), such " +
        "as of count(*), whose windows and late rows are the same"
    )
  }

  private[this] val spark                   = result.sparkSession
  private[this] val Project(columns, input) = Simulation.projectionUnder(node)
  private[this] val came                    = new ArrivalTimes(frame(input.output), arrived, every)
  private[this] val program                 = replayed(node.program)

  private[this] def frame(columns: Seq[NamedExpression]): DataFrame =
    SparkWindowingBridge.toDataFrame(spark, Project(columns, input))

  // Stores the windows as a query does; rows come one by one.
  private[this] def replayed(program: WindowProgram): WindowProgram = program.plan match {
    case _: KeyedPlan.SharedSlices[_] | _: KeyedPlan.Sections[_] =>
      throw new UnsupportedOperationException(
        "what_if replays windows of one kind, and the declaration has those of several names: ask for the windows of one " +
          "name, declared alone by .window(..)"
      )
    case plan: KeyedPlan.Windowed[_] if !plan.isEventTime || program.staggered.nonEmpty =>
      throw new UnsupportedOperationException(
        s"what_if replays windows that end by event time and lie the same in each run, got ${plan.assigner}"
      )
    case plan: KeyedPlan.Windowed[_] if plan.setsTimers(TimeDomain.ProcessingTime) && !came.areTimes =>
      throw new UnsupportedOperationException(
        s"${plan.trigger} fires by processing time, and arrived has numbers of micro-batches: give the times of arrival, a " +
          "TIMESTAMP"
      )
    case _: KeyedPlan.Windowed[_] =>
      program.over(PreAggregation.ofSession(program).over(program.plan), program.computation, program.input)
    case _ =>
      throw new UnsupportedOperationException("what_if replays windows, and a function without windows has none")
  }

  // The columns of the operator, then the micro-batch, the order of arrival and the partition, under names of their own.
  private[this] val laid: DataFrame = {
    def resolved(column: Column, name: String = "arrived") =
      Columns.resolve(frame(input.output), Seq(column), name).head
    def over(e: NamedExpression) = Alias(
      e match {
        case Alias(of, _) => of
        case other        => other
      },
      "of"
    )()
    val further = Seq(
      over(resolved(came.batch)),
      over(resolved(arrived)),
      Alias(MonotonicallyIncreasingID(), "came")(),
      over(resolved(partition.fold(lit(""))(of => coalesce(of.cast("string"), lit(""))), "per_partition"))
    )
    val taken = Project(columns ++ further, input)
    val named = taken.output.zipWithIndex.map { case (a: Attribute, i) => Alias(a, s"c$i")() }
    SparkWindowingBridge.toDataFrame(spark, Project(named, taken)).where(col(s"c${columns.size}").isNotNull)
  }

  private[this] val Seq(batch, order, number, place) = Seq(0, 1, 2, 3).map(i => col(s"c${columns.size + i}"))

  // The numbers of the micro-batches in order, and the greatest event time up to each, or that of the slowest partition.
  private[this] lazy val (numbers, highest) = {
    val time = col(s"c${program.input.timeOrdinal}")
    val rows = laid.groupBy(batch.as("batch"), place.as("partition")).agg(max(time)).limit(MostBatches + 1).collect()
    if (rows.length > MostBatches)
      throw new IllegalArgumentException(
        s"the rows came in more than $MostBatches micro-batches: take a longer ${Code.name("every")}, such as 1 minute"
      )
    val batches = rows.groupBy(_.getLong(0)).toSeq.sortBy(_._1)
    val times   = batches.map { case (_, of) =>
      of.map(row => row.getString(1) -> (if (row.isNullAt(2)) Long.MinValue else row.getLong(2))).toMap
    }
    val slowest = times.scanLeft(PartitionTimes.Empty)(_.after(_, now = 0, timeout = None)).tail.flatMap(_.slowest)
    // A watermark never falls, also where a slower partition begins.
    (batches.map(_._1).toArray, slowest.scanLeft(Long.MinValue)(math.max(_, _)).tail.toArray)
  }

  private[this] lazy val sorted = {
    val keys = (0 until program.input.keyCount).map(i => col(s"c$i"))
    laid.repartition(keys: _*).sortWithinPartitions(keys ++ Seq(batch, order, number): _*).queryExecution.toRdd
  }

  /** Replays the rows with a watermark that is this many milliseconds behind the greatest event time. */
  def outcome(delay: Long): Outcome = {
    // The tasks get no more than this, and of what is broadcast only types that every class loader has.
    val sent    = spark.sparkContext.broadcast((numbers, highest))
    val length  = if (came.areTimes) Some(every) else None
    val program = this.program
    val counts  = new ReplayCounts(numbers.length)
    try
      sorted
        .mapPartitions { rows =>
          val batches = ReplayedBatches(sent.value._1, sent.value._2, delay, length)
          Iterator(new ReplayedKeys(program, batches, rows).run().sent)
        }
        .toLocalIterator
        .foreach(counts.add)
    finally sent.destroy()
    counts.outcome(delay, came.areTimes)
  }
}

private[lateness] object VariantReplay {
  private val MostBatches = 1000000
}
