package dev.sparkwindowing.watermarks

/** Generates watermarks from the elements of one input. It has state: one instance per input. */
trait WatermarkGenerator[-E] {

  /** Called for each element.
    *
    * @param timestamp
    *   its event time in milliseconds, `Long.MinValue` if it has none
    */
  def onEvent(element: E, timestamp: Long, out: WatermarkOutput): Unit

  /** Called when the input is probed: in Flink at an interval of processing time, in a stream at the end of a
    * micro-batch.
    */
  def onPeriodicEmit(out: WatermarkOutput): Unit
}

/** Receiver of the watermarks and the idleness of an input. */
trait WatermarkOutput {

  /** Declares that no element at or before `watermark` is expected any more, and that the input is active. */
  def emitWatermark(watermark: Long): Unit

  /** Declares that no element is expected for now: other inputs need not wait for this one. */
  def markIdle(): Unit

  /** Declares that the input is active again. */
  def markActive(): Unit
}
