package dev.sparkwindowing.watermarks

import dev.sparkwindowing.spark.advice.Code
import dev.sparkwindowing.watermarks.WatermarkStrategy.Kind
import dev.sparkwindowing.windows.Millis
import org.apache.spark.sql.Column

import java.time.Duration
import java.util.Objects

/** Source of event times and watermarks, for [[SparkWindowing.assignTimestampsAndWatermarks]] and
  * [[SparkWindowing.simulate]].
  *
  * {{{
  * WatermarkStrategy.forBoundedOutOfOrderness(Duration.ofSeconds(5)).withTimestampAssigner(to_timestamp(col("at")))
  * }}}
  *
  * Immutable; each call returns a new strategy.
  */
final class WatermarkStrategy private (
    private[sparkwindowing] val kind: Kind,
    private[sparkwindowing] val timestampAssigner: Option[Column],
    private[sparkwindowing] val idleTimeout: Option[Long],
    private[sparkwindowing] val isBoundedByClock: Boolean,
    private[sparkwindowing] val maxAheadOfClock: Option[Long]
) {

  private def copy(
      timestampAssigner: Option[Column] = timestampAssigner,
      idleTimeout: Option[Long] = idleTimeout,
      isBoundedByClock: Boolean = isBoundedByClock,
      maxAheadOfClock: Option[Long] = maxAheadOfClock
  ): WatermarkStrategy =
    new WatermarkStrategy(kind, timestampAssigner, idleTimeout, isBoundedByClock, maxAheadOfClock)

  /** Sets the event time of a row: a TIMESTAMP expression over its columns. Without it the event time is an existing
    * column.
    *
    * @throws java.lang.IllegalArgumentException
    *   for ingestion time, which is the processing time of the row
    */
  def withTimestampAssigner(column: Column): WatermarkStrategy = {
    Objects.requireNonNull(column, "the timestamp assigner must not be null")
    if (isIngestionTime)
      throw new IllegalArgumentException(
        "ingestion time stamps rows with processing time and takes no timestamp assigner: use " +
          s"${Code.name("for_bounded_out_of_orderness")} for event times of your own"
      )
    copy(timestampAssigner = Some(column))
  }

  /** Marks an input idle after it had no element for `timeout`, so that it does not hold back the watermark.
    *
    * On a stream an input is idle when its sources have found nothing new for the timeout. Its watermark then rises as
    * processing time does: it is the last one plus the idle time, and if `boundedByClock`, at most processing time less
    * the timeout and the delay of the strategy. A window that ends at E then fires at E plus timeout and delay, if
    * event times follow the clock. It is a source of its own in the checkpoint. A static DataFrame has no idle times.
    *
    * @param boundedByClock
    *   on a stream, whether the watermark of an idle input stays behind processing time
    * @throws java.lang.IllegalArgumentException
    *   if not positive
    */
  def withIdleness(timeout: Duration, boundedByClock: Boolean): WatermarkStrategy =
    copy(idleTimeout = Some(Idleness.check(timeout)), isBoundedByClock = boundedByClock)

  /** [[withIdleness]], bounded by the clock. */
  def withIdleness(timeout: Duration): WatermarkStrategy = withIdleness(timeout, boundedByClock = true)

  /** Limits the watermark: a row moves it no further than processing time plus `allowance`, so that one row from the
    * far future does not make all others late. The row keeps its event time.
    *
    * @throws java.lang.IllegalArgumentException
    *   if negative
    */
  def withMaxAheadOfClock(allowance: Duration): WatermarkStrategy =
    copy(maxAheadOfClock = Some(AheadOfClock.check(allowance)))

  private[sparkwindowing] def isIngestionTime: Boolean = kind == Kind.IngestionTime

  private[sparkwindowing] def needsProcessingTime: Boolean = isIngestionTime || maxAheadOfClock.isDefined

  /** The watermark that a row carries, for a user's generator. */
  private[sparkwindowing] def provedBy: Option[Column] = kind match {
    case Kind.Generator(column) => Some(column)
    case _                      => None
  }

  /** A new generator for one input.
    *
    * @param proves
    *   the watermark that an element carries, for a user's generator
    */
  private[sparkwindowing] def generator[E](
      proves: (E, Long) => Option[Long],
      clock: () => Long
  ): WatermarkGenerator[E] = {
    val made: WatermarkGenerator[E] = kind match {
      case Kind.Bounded(delay) => BoundedOutOfOrderness.of(Duration.ofMillis(delay))
      case Kind.IngestionTime  => IngestionTime.generator()
      case Kind.Generator(_)   => new Punctuated(proves)
      case Kind.NoWatermarks   => NoWatermarks
    }
    val limited = maxAheadOfClock.fold(made)(a => AheadOfClock.of(made, Duration.ofMillis(a), clock))
    idleTimeout.fold(limited)(t => Idleness.of(limited, Duration.ofMillis(t), clock))
  }

  override def toString: String = {
    val more = timestampAssigner.map(a => s"timestamps $a") ++ idleTimeout.map(idleText) ++
      maxAheadOfClock.map(a => s"at most ${Millis.show(a)} ahead of the clock")
    s"WatermarkStrategy(${(kind.toString +: more.toSeq).mkString(", ")})"
  }

  private def idleText(timeout: Long): String =
    s"idle after ${Millis.show(timeout)}${if (isBoundedByClock) "" else ", not bounded by the clock"}"
}

object WatermarkStrategy {

  /** Generator of the watermarks. */
  private[sparkwindowing] sealed trait Kind extends Product with Serializable

  private[sparkwindowing] object Kind {
    final case class Bounded(delay: Long) extends Kind {
      override def toString: String = if (delay == 0) "monotonous" else s"out of order by ${Millis.show(delay)}"
    }
    final case class Generator(column: Column) extends Kind {
      override def toString: String = s"proved by $column"
    }
    case object NoWatermarks  extends Kind { override def toString: String = "no watermarks"  }
    case object IngestionTime extends Kind { override def toString: String = "ingestion time" }
  }

  private def of(kind: Kind) = new WatermarkStrategy(kind, None, None, true, None)

  /** Watermarks for event times that never decrease. */
  def forMonotonousTimestamps(): WatermarkStrategy = of(Kind.Bounded(0))

  /** Watermarks for rows that arrive at most `outOfOrderness` behind the highest event time so far.
    *
    * @throws java.lang.IllegalArgumentException
    *   if negative
    */
  def forBoundedOutOfOrderness(outOfOrderness: Duration): WatermarkStrategy =
    of(Kind.Bounded(BoundedOutOfOrderness.check(outOfOrderness)))

  /** Watermarks that the rows carry themselves.
    *
    * @param column
    *   a TIMESTAMP over the columns of a row and its event time: no further row is expected at or before it; null if
    *   the row carries no watermark
    */
  def forGenerator(column: Column): WatermarkStrategy =
    of(Kind.Generator(Objects.requireNonNull(column, "the column of a generator must not be null")))

  /** Event times without watermarks: event-time windows stay open. */
  def noWatermarks(): WatermarkStrategy = of(Kind.NoWatermarks)

  /** Stamps rows with processing time on arrival, so that none is ever late. */
  def ingestionTime(): WatermarkStrategy = of(Kind.IngestionTime)
}
