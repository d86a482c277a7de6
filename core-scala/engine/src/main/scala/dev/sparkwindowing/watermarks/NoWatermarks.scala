package dev.sparkwindowing.watermarks

/** Generator that never emits a watermark. */
case object NoWatermarks extends WatermarkGenerator[Any] {
  def onEvent(element: Any, timestamp: Long, out: WatermarkOutput): Unit = ()
  def onPeriodicEmit(out: WatermarkOutput): Unit                         = ()
}
