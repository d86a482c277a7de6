package dev.sparkwindowing.conformance

import dev.sparkwindowing.watermarks.{
  BoundedOutOfOrderness,
  Idleness,
  NoWatermarks,
  Punctuated,
  RisingWatermarks,
  WatermarkGenerator,
  WatermarkOutput,
  WatermarkValve
}

import java.time.Duration.ofMillis

/** This project's valve under the same events. */
final class OurValve(inputs: Int) {
  private[this] val out   = new OurWatermarks.Heard
  private[this] val valve = new WatermarkValve(inputs, out)

  def take(event: ValveEvent): Seq[String] = {
    event match {
      case ValveEvent.Watermark(input, time) => valve.inputWatermark(input, time)
      case ValveEvent.Idle(input)            => valve.inputIdle(input)
      case ValveEvent.Active(input)          => valve.inputActive(input)
    }
    out.take()
  }
}

/** This project's generators, with idleness, under the same events. */
final class OurGenerator(setup: GeneratorSetup) {
  private[this] var now       = 1L
  private[this] val heard     = new OurWatermarks.Heard
  private[this] val out       = new RisingWatermarks(heard)
  private[this] val generator = {
    val made: WatermarkGenerator[Long] = setup.kind match {
      case GeneratorKind.Bounded(delay)    => BoundedOutOfOrderness.of(ofMillis(delay))
      case GeneratorKind.Monotonous        => BoundedOutOfOrderness.monotonous()
      case GeneratorKind.None              => NoWatermarks
      case GeneratorKind.Punctuated(every) =>
        new Punctuated[Long]((e, _) => Option.when(e != Long.MinValue && e % every == 0)(e))
    }
    if (setup.idleTimeout == 0) made else Idleness.of(made, ofMillis(setup.idleTimeout), () => now)
  }

  def take(event: InputEvent): Seq[String] = event match {
    case InputEvent.Element(timestamp) =>
      generator.onEvent(timestamp, timestamp, out)
      "element" +: heard.take()
    case InputEvent.Probe(time) =>
      now = time
      generator.onPeriodicEmit(out)
      heard.take()
  }
}

object OurWatermarks {

  final class Heard extends WatermarkOutput {
    private[this] val all = Vector.newBuilder[String]

    def take(): Seq[String] = {
      val now = all.result()
      all.clear()
      now
    }

    def emitWatermark(watermark: Long): Unit = all += watermark.toString
    def markIdle(): Unit                     = all += "idle"
    def markActive(): Unit                   = all += "active"
  }
}
