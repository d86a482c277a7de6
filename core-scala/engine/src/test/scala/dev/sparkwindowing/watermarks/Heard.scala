package dev.sparkwindowing.watermarks

/** Writes down what comes out: watermarks as numbers, `idle` and `active`. */
final class Heard extends WatermarkOutput {
  private[this] val all = Vector.newBuilder[String]

  def emitWatermark(watermark: Long): Unit = all += watermark.toString
  def markIdle(): Unit                     = all += "idle"
  def markActive(): Unit                   = all += "active"

  /** The output since the last call, separated by blanks. */
  def take(): String = {
    val now = all.result().mkString(" ")
    all.clear()
    now
  }
}
