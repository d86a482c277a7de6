package dev.sparkwindowing.spark.rows

/** Milliseconds of the engine as microseconds of Spark. */
private[sparkwindowing] object Micros {

  /** Limited to the range of a Long. */
  def of(millis: Long): Long =
    if (millis > Long.MaxValue / 1000) Long.MaxValue
    else if (millis < Long.MinValue / 1000) Long.MinValue
    else millis * 1000
}
