package dev.sparkwindowing.spark.sources

import dev.sparkwindowing.spark.advice.Code
import org.apache.spark.sql.connector.read.streaming.Offset

/** Offset of a source without rows: a recorded time, and for a quiet input the watermark to rise to, in milliseconds.
  * Spark writes it to its log before the micro-batch runs, so a micro-batch that runs again sees the same.
  */
private[sparkwindowing] final case class TickOffset(time: Long, watermark: Option[Long]) extends Offset {
  override def json(): String              = s"""{"time":$time${watermark.fold("")(w => s""","watermark":$w""")}}"""
  override def toString: String            = json()
  override def equals(other: Any): Boolean = super[Offset].equals(other)
  override def hashCode: Int               = super[Offset].hashCode
}

private[sparkwindowing] object TickOffset {

  /** Before the first tick; never in a log. */
  val Initial: TickOffset = TickOffset(Long.MinValue, None)

  private val Json = """\{"time":(-?\d+)(?:,"watermark":(-?\d+))?\}""".r

  /** True for the JSON of an offset of this class. */
  def isOne(json: String): Boolean = Json.pattern.matcher(json).matches

  /** @throws java.lang.IllegalArgumentException
    *   if it is the offset of another source
    */
  def of(json: String): TickOffset = json match {
    case Json(time, watermark) => TickOffset(time.toLong, Option(watermark).map(_.toLong))
    case other                 =>
      throw new IllegalArgumentException(
        s"the checkpoint has the offset of another source, $other, where the query has ${Code.name("with_clock")} or " +
          s"${Code.name("with_idleness")}. " +
          "Declare the inputs in the order in which the checkpoint was written, or start with a new checkpointLocation"
      )
  }
}
