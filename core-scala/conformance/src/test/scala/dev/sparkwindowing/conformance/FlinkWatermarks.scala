package dev.sparkwindowing.conformance

import org.apache.flink.api.common.eventtime.{WatermarkGenerator, WatermarkOutput, WatermarkStrategy}
import org.apache.flink.runtime.event.WatermarkEvent
import org.apache.flink.streaming.api.watermark.Watermark
import org.apache.flink.streaming.runtime.io.PushingAsyncDataInput.DataOutput
import org.apache.flink.streaming.runtime.operators.{
  TimestampsAndWatermarksOperator,
  TimestampsAndWatermarksOperatorFactory
}
import org.apache.flink.streaming.runtime.streamrecord.{LatencyMarker, RecordAttributes, StreamRecord}
import org.apache.flink.streaming.runtime.watermarkstatus.{StatusWatermarkValve, WatermarkStatus}
import org.apache.flink.streaming.util.OneInputStreamOperatorTestHarness

import java.lang.{Long => JLong}
import java.time.Duration.ofMillis

/** Flink's own valve; what comes out as texts: watermarks as numbers, `idle` and `active`. */
final class FlinkValve(inputs: Int) {
  private[this] val out   = new FlinkWatermarks.Heard
  private[this] val valve = new StatusWatermarkValve(inputs)

  def take(event: ValveEvent): Seq[String] = {
    event match {
      case ValveEvent.Watermark(input, time) => valve.inputWatermark(new Watermark(time), input, out)
      case ValveEvent.Idle(input)            => valve.inputWatermarkStatus(WatermarkStatus.IDLE, input, out)
      case ValveEvent.Active(input)          => valve.inputWatermarkStatus(WatermarkStatus.ACTIVE, input, out)
    }
    out.take()
  }
}

/** Flink's own operator for timestamps and watermarks in its test harness; elements come out as `element`. */
final class FlinkGenerator(setup: GeneratorSetup) {
  import FlinkWatermarks._

  // The interval is longer than any case: probes come by hand.
  private[this] val harness = {
    val h = new OneInputStreamOperatorTestHarness(
      new TimestampsAndWatermarksOperatorFactory[JLong](strategy(setup), true)
    )
    h.getExecutionConfig.setAutoWatermarkInterval(1L << 40)
    h.setProcessingTime(1)
    h.open()
    h
  }

  def take(event: InputEvent): Seq[String] = {
    event match {
      case InputEvent.Element(Long.MinValue) => harness.processElement(new StreamRecord[JLong](Long.MinValue))
      case InputEvent.Element(timestamp)     => harness.processElement(new StreamRecord[JLong](timestamp, timestamp))
      case InputEvent.Probe(time)            =>
        harness.setProcessingTime(time)
        harness.getOperator match {
          case o: TimestampsAndWatermarksOperator[_] => o.onProcessingTime(time)
          case other                                 => throw new IllegalStateException(s"another operator: $other")
        }
    }
    Vector.unfold(harness.getOutput)(q => Option(q.poll()).map((_, q))).map {
      case w: Watermark       => w.getTimestamp.toString
      case s: WatermarkStatus => statusText(s)
      case _: StreamRecord[_] => "element"
      case other              => other.toString
    }
  }

  def close(): Unit = harness.close()
}

object FlinkWatermarks {

  def statusText(status: WatermarkStatus): String = if (status.isIdle) "idle" else "active"

  def strategy(setup: GeneratorSetup): WatermarkStrategy[JLong] = {
    val made: WatermarkStrategy[JLong] = setup.kind match {
      case GeneratorKind.Bounded(delay)    => WatermarkStrategy.forBoundedOutOfOrderness(ofMillis(delay))
      case GeneratorKind.Monotonous        => WatermarkStrategy.forMonotonousTimestamps()
      case GeneratorKind.None              => WatermarkStrategy.noWatermarks()
      case GeneratorKind.Punctuated(every) => WatermarkStrategy.forGenerator(_ => new AtMultiples(every))
    }
    if (setup.idleTimeout == 0) made else made.withIdleness(ofMillis(setup.idleTimeout))
  }

  private final class AtMultiples(every: Long) extends WatermarkGenerator[JLong] {
    def onEvent(element: JLong, timestamp: Long, out: WatermarkOutput): Unit =
      if (element != Long.MinValue && element % every == 0)
        out.emitWatermark(new org.apache.flink.api.common.eventtime.Watermark(element))
    def onPeriodicEmit(out: WatermarkOutput): Unit = ()
  }

  final class Heard extends DataOutput[AnyRef] {
    private[this] val all = Vector.newBuilder[String]

    def take(): Seq[String] = {
      val now = all.result()
      all.clear()
      now
    }

    def emitRecord(record: StreamRecord[AnyRef]): Unit           = all += "element"
    def emitWatermark(watermark: Watermark): Unit                = all += watermark.getTimestamp.toString
    def emitWatermarkStatus(status: WatermarkStatus): Unit       = all += statusText(status)
    def emitLatencyMarker(marker: LatencyMarker): Unit           = all += "latency"
    def emitRecordAttributes(attributes: RecordAttributes): Unit = all += "attributes"
    override def emitWatermark(event: WatermarkEvent): Unit      = all += "event"
  }
}
