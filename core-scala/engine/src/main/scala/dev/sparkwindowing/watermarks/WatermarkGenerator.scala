package dev.sparkwindowing.watermarks

/** Makes watermarks of the elements of one input. It has state: one instance an input. */
trait WatermarkGenerator[-E] {

  /** An element has gone by.
    *
    * @param timestamp
    *   its event time in milliseconds, `Long.MinValue` if it has none
    */
  def onEvent(element: E, timestamp: Long, out: WatermarkOutput): Unit

  /** The input is probed: in Flink at an interval of the clock, in a stream at the end of a micro-batch. */
  def onPeriodicEmit(out: WatermarkOutput): Unit
}

/** Where watermarks and the idleness of an input go. */
trait WatermarkOutput {

  /** Nothing at or before `watermark` is expected any more, and the input is active. */
  def emitWatermark(watermark: Long): Unit

  /** Nothing is expected for now: others need not wait for this input. */
  def markIdle(): Unit

  /** The input takes part again. */
  def markActive(): Unit
}
