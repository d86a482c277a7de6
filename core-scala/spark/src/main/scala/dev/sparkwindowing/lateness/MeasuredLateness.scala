package dev.sparkwindowing.lateness

import dev.sparkwindowing.spark.advice.Code
import dev.sparkwindowing.spark.expressions.Columns
import org.apache.spark.sql.expressions.Window
import org.apache.spark.sql.functions._
import org.apache.spark.sql.types._
import org.apache.spark.sql.{Column, DataFrame}

/** Lateness of the rows of a table, behind the watermark that they would have made, without a delay. Rows of one
  * micro-batch do not delay each other, as in a stream.
  *
  * @param rows
  *   a static DataFrame
  * @param time
  *   the event time, a TIMESTAMP
  * @param arrived
  *   when a row came, a TIMESTAMP; or a number of its micro-batch
  * @param every
  *   milliseconds of the micro-batches into which the times of arrival are divided
  * @param partition
  *   the partition of a row, if the watermark is that of the slowest partition
  */
private[sparkwindowing] final class MeasuredLateness(
    rows: DataFrame,
    time: Column,
    arrived: Column,
    every: Long,
    partition: Option[Column]
) {
  import MeasuredLateness._

  if (rows.isStreaming)
    throw new IllegalArgumentException(
      s"${Code.name("advise")} takes a static DataFrame, and got a stream: read its source with spark.read"
    )

  Columns.resolve(rows, Seq(time), "time").head.dataType match {
    case TimestampType => ()
    case other         => throw new IllegalArgumentException(s"time must be a TIMESTAMP, got ${other.sql}")
  }

  private[this] val batch = new ArrivalTimes(rows, arrived, every).batch

  private[this] val taken = rows.select(
    unix_millis(time).as("time"),
    batch.as("batch"),
    partition.fold(lit(""))(_.cast("string")).as("partition")
  )

  private[this] val known = taken.where(col("time").isNotNull && col("batch").isNotNull)

  /** The column `behind`: milliseconds that the event time of a row is before the greatest one of earlier
    * micro-batches, 0 if it is not. Rows without one of both times are left out.
    */
  def behind: DataFrame = known
    .join(seen, Seq("batch"))
    .select(greatest(lit(0L), coalesce(col("seen") - col("time"), lit(0L))).as("behind"))

  // The watermark at each micro-batch, without a delay.
  private[this] def seen: DataFrame = {
    val before  = Window.orderBy("batch")
    val earlier = before.rowsBetween(Window.unboundedPreceding, -1)
    val names   = if (partition.isEmpty) Seq("") else partitions
    val highest = names.zipWithIndex.map { case (name, i) =>
      max(when(col("partition") <=> name, col("time"))).as(s"p$i")
    }
    val batches = known.groupBy("batch").agg(highest.head, highest.tail: _*)
    // A partition counts from its first row on.
    val ofEach  = names.indices.map(i => max(s"p$i").over(earlier))
    val slowest = if (ofEach.size == 1) ofEach.head else least(ofEach: _*)
    // A watermark never falls, also where a slower partition begins.
    batches
      .select(col("batch"), slowest.as("slowest"))
      .select(col("batch"), max("slowest").over(before.rowsBetween(Window.unboundedPreceding, 0)).as("seen"))
  }

  private[this] def partitions: Seq[String] = {
    val found = known.select("partition").distinct().limit(MostPartitions + 1).collect().map(_.getString(0)).toSeq
    if (found.size > MostPartitions)
      throw new IllegalArgumentException(
        s"${Code.name("per_partition")} has more than $MostPartitions values: take the column with the partition of the source"
      )
    if (found.isEmpty) Seq("") else found
  }

  /** @param shares
    *   of the rows that delays should keep, from 0 to 1
    */
  def advise(shares: Seq[Double]): Advice = {
    Advice.check(shares)
    val measured = behind
    val all      = measured
      .agg(
        count(lit(1)),
        count(when(col("behind") > 0, 1)),
        percentile_approx(col("behind"), typedLit(shares.sorted), lit(Accuracy))
      )
      .head()
    val (rows, ofTime) = (taken.count(), all.getLong(0))
    val delays         = if (ofTime == 0) Nil else all.getSeq[Long](2).map(readable).distinct.sorted.reverse
    val late           =
      if (delays.isEmpty) Nil
      else {
        val counts = delays.map(d => count(when(col("behind") > d, 1)))
        val row    = measured.agg(counts.head, counts.tail: _*).head()
        delays.indices.map(row.getLong)
      }
    val of = delays.zip(late).map { case (d, n) => Advice.Delay(d, n, (ofTime - n).toDouble / ofTime) }
    Advice(rows, rows - ofTime, all.getLong(1), of)
  }
}

private[sparkwindowing] object MeasuredLateness {
  private val MostPartitions = 256
  private val Accuracy       = 100000

  // Rounded up to what is written as a delay: to 10 ms, seconds, tens of seconds from 2 minutes on, minutes from an hour on.
  private def readable(millis: Long): Long = {
    val unit = if (millis < 1000) 10L else if (millis < 120000) 1000L else if (millis < 3600000) 10000L else 60000L
    Math.floorDiv(millis + unit - 1, unit) * unit
  }
}
