package dev.sparkwindowing.watermarks

/** The inputs of an operator: a generator each, and the valve that makes one watermark of theirs.
  *
  * @param generators
  *   one an input
  */
final class WatermarkInputs[E](generators: IndexedSeq[WatermarkGenerator[E]]) {
  private[this] val valve = new WatermarkValve(
    generators.size,
    new WatermarkOutput {
      def emitWatermark(watermark: Long): Unit = ()
      def markIdle(): Unit                     = ()
      def markActive(): Unit                   = ()
    }
  )
  private[this] val outputs = generators.indices.map { i =>
    new RisingWatermarks(new WatermarkOutput {
      def emitWatermark(watermark: Long): Unit = valve.inputWatermark(i, watermark)
      def markIdle(): Unit                     = valve.inputIdle(i)
      def markActive(): Unit                   = valve.inputActive(i)
    })
  }

  /** The watermark of all inputs together, `Long.MinValue` before the first. */
  def watermark: Long = valve.watermark

  /** An element of an input has gone by: call it when the operator has taken the element. */
  def element(input: Int, element: E, timestamp: Long): Unit =
    generators(input).onEvent(element, timestamp, outputs(input))

  /** Every input is probed. */
  def probe(): Unit = generators.indices.foreach(i => generators(i).onPeriodicEmit(outputs(i)))

  /** An input is idle from now on, until its next new watermark. */
  def idle(input: Int): Unit = outputs(input).markIdle()

  /** An input is active from now on; it counts again once its watermark has reached that of all. */
  def active(input: Int): Unit = outputs(input).markActive()

  /** Every input ends, an idle one too: its watermark is that of the end of all time. */
  def end(): Unit = outputs.foreach(_.emitWatermark(Long.MaxValue))

  /** The inputs that are idle. */
  def idleInputs: Seq[Int] = outputs.indices.filter(outputs(_).isIdle)
}
