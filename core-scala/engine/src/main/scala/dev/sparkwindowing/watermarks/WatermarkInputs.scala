package dev.sparkwindowing.watermarks

/** Inputs of an operator: a generator for each, and the valve that combines their watermarks.
  *
  * @param generators
  *   one per input
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

  /** The combined watermark, `Long.MinValue` before the first. */
  def watermark: Long = valve.watermark

  /** The inputs whose watermark the combined one waits for. */
  def slowest: Seq[Int] = valve.slowest

  /** Passes an element of an input to its generator; call it after the operator has processed the element. */
  def element(input: Int, element: E, timestamp: Long): Unit =
    generators(input).onEvent(element, timestamp, outputs(input))

  /** Probes every input. */
  def probe(): Unit = generators.indices.foreach(i => generators(i).onPeriodicEmit(outputs(i)))

  /** Makes an input idle until its next new watermark. */
  def idle(input: Int): Unit = outputs(input).markIdle()

  /** Makes an input active; it counts again once its watermark has reached the combined one. */
  def active(input: Int): Unit = outputs(input).markActive()

  /** Ends every input, including idle ones: their watermarks become the end of time. */
  def end(): Unit = outputs.foreach(_.emitWatermark(Long.MaxValue))

  /** The idle inputs. */
  def idleInputs: Seq[Int] = outputs.indices.filter(outputs(_).isIdle)
}
