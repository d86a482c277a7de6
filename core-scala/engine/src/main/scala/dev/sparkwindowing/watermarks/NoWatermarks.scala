package dev.sparkwindowing.watermarks

/** Never a watermark. */
case object NoWatermarks extends WatermarkGenerator[Any] {
  def onEvent(element: Any, timestamp: Long, out: WatermarkOutput): Unit = ()
  def onPeriodicEmit(out: WatermarkOutput): Unit                         = ()
}
