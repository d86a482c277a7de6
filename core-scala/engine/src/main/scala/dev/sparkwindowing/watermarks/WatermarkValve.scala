package dev.sparkwindowing.watermarks

/** The watermark of several inputs: the minimum over those that are active and have caught up. It never decreases.
  *
  * An input that becomes idle leaves the minimum, so the result may rise. If it is the last active one and its
  * watermark was the result, the maximum of all inputs is emitted before the idleness. An input that becomes active
  * counts again once its watermark has reached the result. The rules are in docs/semantics.md, 3.3.
  *
  * @param inputs
  *   their number, at least 1
  */
final class WatermarkValve(inputs: Int, out: WatermarkOutput) {
  if (inputs < 1) throw new IllegalArgumentException(s"inputs must be at least 1, got $inputs")

  private[this] val watermarks  = Array.fill(inputs)(Long.MinValue)
  private[this] val active      = Array.fill(inputs)(true)
  private[this] val caughtUp    = Array.fill(inputs)(true)
  private[this] var activeCount = inputs
  private[this] var last        = Long.MinValue

  /** The last emitted watermark, `Long.MinValue` before the first. */
  def watermark: Long = last

  /** The inputs whose watermark the result waits for: of those that count the ones that are farthest behind. */
  def slowest: Seq[Int] = {
    val counted = watermarks.indices.filter(caughtUp(_))
    counted.filter(watermarks(_) == counted.map(watermarks(_)).min)
  }

  /** Takes a watermark of an input; ignored unless the input is active and the watermark is greater than the one
    * before.
    */
  def inputWatermark(input: Int, watermark: Long): Unit =
    if (active(input) && watermark > watermarks(input)) {
      watermarks(input) = watermark
      if (watermark >= last) caughtUp(input) = true
      emitLeast()
    }

  /** Makes an input idle. */
  def inputIdle(input: Int): Unit =
    if (active(input)) {
      active(input) = false
      activeCount -= 1
      caughtUp(input) = false
      if (activeCount == 0) {
        if (watermarks(input) == last) emit(watermarks.max)
        out.markIdle()
      } else if (watermarks(input) == last) emitLeast()
    }

  /** Makes an idle input active. */
  def inputActive(input: Int): Unit =
    if (!active(input)) {
      active(input) = true
      activeCount += 1
      if (watermarks(input) >= last) caughtUp(input) = true
      if (activeCount == 1) out.markActive()
    }

  private[this] def emitLeast(): Unit = {
    var least = Long.MaxValue
    var any   = false
    var i     = 0
    while (i < inputs) {
      if (caughtUp(i)) {
        any = true
        least = math.min(least, watermarks(i))
      }
      i += 1
    }
    if (any) emit(least)
  }

  private[this] def emit(watermark: Long): Unit =
    if (watermark > last) {
      last = watermark
      out.emitWatermark(watermark)
    }
}
