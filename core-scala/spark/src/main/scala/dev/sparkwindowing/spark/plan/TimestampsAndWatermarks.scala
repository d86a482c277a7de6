package dev.sparkwindowing.spark.plan

import dev.sparkwindowing.spark.advice.Code
import dev.sparkwindowing.spark.expressions.Columns
import dev.sparkwindowing.spark.links.{LinkedFeature, SparkLinks}
import dev.sparkwindowing.watermarks.WatermarkStrategy.Kind
import dev.sparkwindowing.watermarks.{IngestionTime, WatermarkStrategy}
import org.apache.spark.sql.catalyst.expressions.{Alias, AttributeReference}
import org.apache.spark.sql.catalyst.plans.logical.{EventTimeWatermark, LogicalPlan, Project}
import org.apache.spark.sql.catalyst.util.quoteIfNeeded
import org.apache.spark.sql.functions._
import org.apache.spark.sql.types.{Metadata, MetadataBuilder, TimestampType}
import org.apache.spark.sql.{Column, DataFrame, SparkWindowingBridge}

/** Applies a [[WatermarkStrategy]] to a DataFrame. A stream gets Spark's own watermark: on the event time if that alone
  * determines it, else on a column with the watermark of each row, which is dropped above it.
  */
private[sparkwindowing] object TimestampsAndWatermarks {

  def assign(
      df: DataFrame,
      strategy: WatermarkStrategy,
      time: Option[String],
      perPartition: Option[Column]
  ): DataFrame = {
    perPartition.foreach(checkPartitions(df, strategy, _))
    if (df.isStreaming) checkLinks(strategy, perPartition)
    if (df.isStreaming) refuseSecondWatermark(df)
    val name  = nameOf(df, strategy, time)
    val made  = withEventTime(df, strategy, name)
    val timed = if (df.isStreaming) QuietStreams.withIdleness(made, strategy) else made
    if (!df.isStreaming) marked(timed, timed.columns.toSeq, name, isStreaming = false)
    else {
      val watermarked = strategy.kind match {
        case Kind.IngestionTime =>
          timed.withWatermark(quoteIfNeeded(name), s"${IngestionTime.Delay} milliseconds")
        case Kind.Bounded(delay) if strategy.maxAheadOfClock.isEmpty && perPartition.isEmpty =>
          timed.withWatermark(quoteIfNeeded(name), delayText(delay))
        case kind => proved(timed, strategy, kind, name, perPartition)
      }
      val plan = AssignedWatermark(SparkWindowingBridge.analyzedPlan(watermarked))
      SparkWindowingBridge.toDataFrame(df.sparkSession, plan)
    }
  }

  private def checkLinks(strategy: WatermarkStrategy, perPartition: Option[Column]): Unit = {
    if (perPartition.nonEmpty)
      SparkLinks.require(
        LinkedFeature.PerPartition,
        s"Take $PerPartition away: the watermark is then that of the fastest partition, less the out-of-orderness"
      )
    if (strategy.isIngestionTime)
      SparkLinks.require(
        LinkedFeature.IngestionTime,
        "Take windows of processing time, or a column with the time of arrival and withWatermark on it"
      )
  }

  /** True if a strategy has assigned the stream's watermark. */
  def isAssigned(plan: LogicalPlan): Boolean = plan.exists(_.isInstanceOf[AssignedWatermark])

  /** @throws java.lang.IllegalArgumentException
    *   for a stream with Spark's `withWatermark` on top of a strategy's watermark
    */
  def refuseSecond(plan: LogicalPlan): Unit =
    if (plan.exists { case w: EventTimeWatermark => w.child.isStreaming && isAssigned(w.child); case _ => false })
      throw new IllegalArgumentException(
        s"withWatermark on a stream that has its watermark from $Assign: the slower of the two would " +
          "count. Take withWatermark away, or the strategy"
      )

  private def refuseSecondWatermark(df: DataFrame): Unit =
    if (SparkWindowingBridge.analyzedPlan(df).exists(_.isInstanceOf[EventTimeWatermark]))
      throw new IllegalArgumentException(
        s"the stream has a watermark already: take withWatermark away, or $Assign; on the result " +
          "of a window it is never needed"
      )

  private def nameOf(df: DataFrame, strategy: WatermarkStrategy, time: Option[String]): String =
    if (strategy.timestampAssigner.isDefined || strategy.isIngestionTime) {
      val name = time.getOrElse("event_time")
      if (df.columns.exists(_.equalsIgnoreCase(name)))
        throw new IllegalArgumentException(
          s"the event time would be a second column '$name': name it otherwise, " +
            assigned(s"assigned_$name")
        )
      name
    } else {
      val columns = df.schema.filter(_.dataType == TimestampType).map(_.name)
      val shown   = if (columns.isEmpty) "there is none" else columns.map(c => s"'$c'").mkString(", ")
      val name    = time.getOrElse(
        throw new IllegalArgumentException(
          s"which column is the event time? Name a TIMESTAMP column ($shown), ${assigned("ts")}, or have it " +
            s"computed, ${computed(Code.dots)}"
        )
      )
      if (!columns.contains(name))
        throw new IllegalArgumentException(
          s"the event time '$name' is no TIMESTAMP column of the DataFrame ($shown)" +
            df.schema.find(_.name == name).fold(s": name one of its columns, ${Code.named("time", Code.text("ts"))}") {
              field =>
                s", but ${field.dataType.sql}: have it computed, " +
                  TimestampColumn.remedy(field.dataType)(computed, Code.column(name))
            }
        )
      name
    }

  private def withEventTime(df: DataFrame, strategy: WatermarkStrategy, name: String): DataFrame =
    if (strategy.isIngestionTime)
      if (!df.isStreaming) df.withColumn(name, current_timestamp())
      else {
        val stamp = AttributeReference(name, TimestampType, nullable = false)()
        val plan  = IngestionTimeStamp(stamp, SparkWindowingBridge.analyzedPlan(df))
        SparkWindowingBridge.toDataFrame(df.sparkSession, plan)
      }
    else
      strategy.timestampAssigner.fold(df) { assigner =>
        TimestampColumn.resolve(df, assigner, "the timestamp assigner")
        df.withColumn(name, assigner)
      }

  private def checkPartitions(df: DataFrame, strategy: WatermarkStrategy, partition: Column): Unit = {
    Columns.resolve(df, Seq(partition), s"$PerPartition")
    strategy.kind match {
      case Kind.IngestionTime | Kind.NoWatermarks =>
        throw new IllegalArgumentException(
          s"$PerPartition with a strategy of ${strategy.kind}, whose watermark does not depend on event times of rows: take " +
            s"$PerPartition away, or use " +
            Code.call("WatermarkStrategy.for_bounded_out_of_orderness", Code.text("5 seconds"))
        )
      case _ =>
    }
  }

  private def proved(
      df: DataFrame,
      strategy: WatermarkStrategy,
      kind: Kind,
      name: String,
      perPartition: Option[Column]
  ): DataFrame = {
    // A null carries no watermark; `least` alone would skip it.
    def limited(time: Column): Column = strategy.maxAheadOfClock.fold(time) { allowance =>
      val limit = timestamp_micros(unix_micros(current_timestamp()) + lit(math.min(allowance, LongestAllowance) * 1000))
      when(time.isNotNull, least(time, limit))
    }
    val (proof, delay) = kind match {
      case Kind.Bounded(d)        => limited(col(quoteIfNeeded(name))) -> d
      case Kind.Generator(column) =>
        TimestampColumn.resolve(df, column, s"the column of ${Code.name("for_generator")}")
        // Spark's watermark is the first time that may still come, the engine's the last that may not.
        when(
          column.isNotNull,
          timestamp_micros(least(unix_micros(limited(column)), lit(LastMicros)) + lit(1000L))
        ) -> 0L
      case Kind.NoWatermarks | Kind.IngestionTime => lit(null).cast(TimestampType) -> 0L
    }
    val columns = df.columns.toSeq
    val made    =
      perPartition.fold(df.withColumn(Proof, proof))(PartitionProof.add(df, Proof, _, proof, strategy.idleTimeout))
    marked(made.withWatermark(Proof, delayText(delay)), columns, name, isStreaming = true)
  }

  // The columns, with the mark on the event time.
  private def marked(df: DataFrame, columns: Seq[String], name: String, isStreaming: Boolean): DataFrame = {
    val plan  = SparkWindowingBridge.analyzedPlan(df)
    val shown = plan.output.take(columns.size).map { a =>
      if (a.name != name) a else Alias(a, a.name)(explicitMetadata = Some(mark(a.metadata, isStreaming)))
    }
    SparkWindowingBridge.toDataFrame(df.sparkSession, Project(shown, plan))
  }

  // On a stream Spark's own mark, so that its operators take the column too.
  private def mark(metadata: Metadata, isStreaming: Boolean): Metadata = {
    val builder = new MetadataBuilder().withMetadata(metadata).putBoolean(EventTimeMarks.Assigned, true)
    if (isStreaming) builder.putLong(EventTimeWatermark.delayKey, 0L)
    builder.build()
  }

  private def delayText(millis: Long): String = s"${math.min(millis, LongestDelay)} milliseconds"

  private def assigned(time: String) =
    s"${Code.call("assign_timestamps_and_watermarks", Code.plain("df"), Code.plain("strategy"), Code.named("time", Code.text(time)))}"

  private def computed(time: Code) = Code.call("strategy.with_timestamp_assigner", time)

  private val PerPartition = Code.name("per_partition")
  private val Assign       = Code.name("assign_timestamps_and_watermarks")

  private val Proof = "spark_windowing_proved"

  // The most that fits into microseconds: more than the range of TIMESTAMP.
  val LongestDelay: Long       = Long.MaxValue / 1000
  private val LongestAllowance = 1000000000000000L
  private val LastMicros       = Long.MaxValue - 1000
}
