package dev.sparkwindowing.watermarks

/** Forwards only changes: a watermark greater than the last one, and a change between idle and active. A new watermark
  * makes the input active again; an element without one does not.
  */
final class RisingWatermarks(out: WatermarkOutput) extends WatermarkOutput {
  private[this] var last = Long.MinValue
  private[this] var idle = false

  /** True if the input is idle. */
  def isIdle: Boolean = idle

  def emitWatermark(watermark: Long): Unit =
    if (watermark > last) {
      last = watermark
      markActive()
      out.emitWatermark(watermark)
    }

  def markIdle(): Unit =
    if (!idle) {
      idle = true
      out.markIdle()
    }

  def markActive(): Unit =
    if (idle) {
      idle = false
      out.markActive()
    }
}
