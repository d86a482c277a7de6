package dev.sparkwindowing

import dev.sparkwindowing.WatermarkStrategy.Kind
import dev.sparkwindowing.watermarks._
import dev.sparkwindowing.windows.Millis
import org.apache.spark.sql.Column

import java.time.Duration

/** Where event times and watermarks come from: for [[SparkWindowing.assignTimestampsAndWatermarks]] and
  * [[SparkWindowing.simulate]].
  *
  * {{{
  * WatermarkStrategy.forBoundedOutOfOrderness(Duration.ofSeconds(5)).withTimestampAssigner(to_timestamp(col("at")))
  * }}}
  *
  * Immutable; each call gives a new one.
  */
final class WatermarkStrategy private (
    private[sparkwindowing] val kind: Kind,
    private[sparkwindowing] val timestampAssigner: Option[Column],
    private[sparkwindowing] val idleTimeout: Option[Long],
    private[sparkwindowing] val maxAheadOfClock: Option[Long]
) {

  private def copy(
      timestampAssigner: Option[Column] = timestampAssigner,
      idleTimeout: Option[Long] = idleTimeout,
      maxAheadOfClock: Option[Long] = maxAheadOfClock
  ): WatermarkStrategy = new WatermarkStrategy(kind, timestampAssigner, idleTimeout, maxAheadOfClock)

  /** The event time of a row: a TIMESTAMP over its columns. Without one the event time is a column that there is.
    *
    * @throws java.lang.IllegalArgumentException
    *   for ingestion time, which is the clock's
    */
  def withTimestampAssigner(column: Column): WatermarkStrategy = {
    if (column == null) throw new NullPointerException("the timestamp assigner must not be null")
    if (isIngestionTime)
      throw new IllegalArgumentException(
        "ingestion time stamps rows by the clock and takes no timestamp assigner: use forBoundedOutOfOrderness (in Python " +
          "for_bounded_out_of_orderness) for event times of your own"
      )
    copy(timestampAssigner = Some(column))
  }

  /** An input that is quiet for longer does not hold the others back. Only for simulations: a stream has no idleness.
    *
    * @throws java.lang.IllegalArgumentException
    *   if not positive
    */
  def withIdleness(timeout: Duration): WatermarkStrategy = copy(idleTimeout = Some(Idleness.check(timeout)))

  /** The watermark follows no row further than the clock and this allowance, so that a row from a far future does not
    * make all others late. The row keeps its event time.
    *
    * @throws java.lang.IllegalArgumentException
    *   if negative
    */
  def withMaxAheadOfClock(allowance: Duration): WatermarkStrategy =
    copy(maxAheadOfClock = Some(AheadOfClock.check(allowance)))

  private[sparkwindowing] def isIngestionTime: Boolean = kind == Kind.IngestionTime

  private[sparkwindowing] def needsClock: Boolean = isIngestionTime || maxAheadOfClock.isDefined

  /** The watermark that a row proves, if the user wrote the generator. */
  private[sparkwindowing] def provedBy: Option[Column] = kind match {
    case Kind.Generator(column) => Some(column)
    case _                      => None
  }

  /** A new generator for one input.
    *
    * @param proves
    *   the watermark that an element proves, for a generator of the user's
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
    val more = timestampAssigner.map(a => s"timestamps $a") ++ idleTimeout.map(t => s"idle after ${Millis.show(t)}") ++
      maxAheadOfClock.map(a => s"at most ${Millis.show(a)} ahead of the clock")
    s"WatermarkStrategy(${(kind.toString +: more.toSeq).mkString(", ")})"
  }
}

object WatermarkStrategy {

  /** What makes the watermarks. */
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

  private def of(kind: Kind) = new WatermarkStrategy(kind, None, None, None)

  /** Event times never fall. */
  def forMonotonousTimestamps(): WatermarkStrategy = of(Kind.Bounded(0))

  /** Rows come at most that far behind the highest event time so far.
    *
    * @throws java.lang.IllegalArgumentException
    *   if negative
    */
  def forBoundedOutOfOrderness(outOfOrderness: Duration): WatermarkStrategy =
    of(Kind.Bounded(BoundedOutOfOrderness.check(outOfOrderness)))

  /** Rows say what they prove.
    *
    * @param column
    *   the watermark, a TIMESTAMP over the columns of a row and its event time: nothing at or before it is expected any
    *   more; null if the row proves none
    */
  def forGenerator(column: Column): WatermarkStrategy = {
    if (column == null) throw new NullPointerException("the column of a generator must not be null")
    of(Kind.Generator(column))
  }

  /** Event times, but never a watermark: event-time windows stay open. */
  def noWatermarks(): WatermarkStrategy = of(Kind.NoWatermarks)

  /** Rows are stamped by the clock as they come, so that none is ever late. */
  def ingestionTime(): WatermarkStrategy = of(Kind.IngestionTime)
}
