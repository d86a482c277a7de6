package dev.sparkwindowing.bench

import org.apache.flink.api.common.ExecutionConfig
import org.apache.flink.api.common.functions.AggregateFunction
import org.apache.flink.api.common.typeinfo.Types
import org.apache.flink.api.java.functions.KeySelector
import org.apache.flink.api.java.tuple.Tuple2
import org.apache.flink.streaming.api.functions.windowing.PassThroughWindowFunction
import org.apache.flink.streaming.api.watermark.Watermark
import org.apache.flink.streaming.api.windowing.assigners.WindowAssigner
import org.apache.flink.streaming.api.windowing.windows.TimeWindow
import org.apache.flink.streaming.runtime.operators.windowing.WindowOperatorBuilder
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord
import org.apache.flink.streaming.util.KeyedOneInputStreamOperatorTestHarness

import java.lang.{Long => JLong}

/** Runs Flink's window operator on the heap, in its test harness, over rounds of a stream; a watermark each second. */
final class FlinkHost(stream: Stream, assigner: WindowAssigner[Object, TimeWindow]) {
  import FlinkHost._

  private[this] val keys    = Array.tabulate(Stream.Keys)(k => JLong.valueOf(k.toLong))
  private[this] var round   = 0L
  private[this] val harness = new KeyedOneInputStreamOperatorTestHarness[JLong, In, JLong](
    new WindowOperatorBuilder[In, JLong, TimeWindow](
      assigner,
      assigner.getDefaultTrigger,
      new ExecutionConfig,
      Types.TUPLE[In](Types.LONG, Types.LONG),
      ByKey,
      Types.LONG
    ).aggregate(AddUp, new PassThroughWindowFunction[JLong, TimeWindow, JLong], Types.LONG),
    ByKey,
    Types.LONG
  )
  harness.setup()
  harness.open()

  def close(): Unit = harness.close()

  /** One round; the number of windows that fired. */
  def run(): Int = {
    val start  = round * Stream.Millis
    var second = 0
    var i      = 0
    while (second < Stream.Millis / 1000) {
      // All elements of the seconds before this one have come.
      harness.processWatermark(new Watermark(start + second * 1000L - 1))
      second += 1
      while (i < stream.size && stream.time(i) < second * 1000) {
        val element: In = Tuple2.of(keys(stream.key(i)), JLong.valueOf(stream.value(i)))
        harness.processElement(new StreamRecord[In](element, start + stream.time(i)))
        i += 1
      }
    }
    round += 1
    val fired = harness.getOutput.size - Stream.Millis / 1000 // without the watermarks
    harness.getOutput.clear()
    fired
  }
}

object FlinkHost {

  /** Key and value. */
  type In = Tuple2[JLong, JLong]

  private object ByKey extends KeySelector[In, JLong] {
    def getKey(in: In): JLong = in.f0
  }

  private object AddUp extends AggregateFunction[In, JLong, JLong] {
    def createAccumulator(): JLong       = 0L
    def add(in: In, sum: JLong): JLong   = in.f1 + sum
    def merge(a: JLong, b: JLong): JLong = a + b
    def getResult(sum: JLong): JLong     = sum
  }
}
