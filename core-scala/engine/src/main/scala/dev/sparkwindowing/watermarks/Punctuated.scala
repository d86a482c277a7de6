package dev.sparkwindowing.watermarks

/** Emits the watermarks that elements carry, and none when probed.
  *
  * @param proves
  *   the watermark that an element with that event time carries; None for none
  */
final class Punctuated[-E](proves: (E, Long) => Option[Long]) extends WatermarkGenerator[E] {
  def onEvent(element: E, timestamp: Long, out: WatermarkOutput): Unit =
    proves(element, timestamp).foreach(out.emitWatermark)
  def onPeriodicEmit(out: WatermarkOutput): Unit = ()
  override def toString: String                  = "Punctuated"
}
