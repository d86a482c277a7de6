package dev.sparkwindowing.bench.streams

import org.apache.flink.api.common.eventtime.WatermarkStrategy
import org.apache.flink.api.common.functions.{AggregateFunction, MapFunction}
import org.apache.flink.api.common.typeinfo.Types
import org.apache.flink.api.connector.sink2.{Sink, SinkWriter, WriterInitContext}
import org.apache.flink.api.java.functions.KeySelector
import org.apache.flink.api.java.tuple.Tuple2
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment
import org.apache.flink.streaming.api.functions.windowing.ProcessWindowFunction
import org.apache.flink.streaming.api.windowing.assigners.TumblingEventTimeWindows
import org.apache.flink.streaming.api.windowing.windows.TimeWindow
import org.apache.flink.util.Collector

import java.lang.{Iterable => JIterable, Long => JLong}
import java.time.Duration
import java.util.concurrent.ConcurrentHashMap
import scala.jdk.CollectionConverters._

/** The windows of `benchmarks/latency.py`: counts of 100 keys in windows of 500 ms, of events that come at a rate with
  * the time at which they come.
  */
object FlinkLatency {

  /** Key and time. */
  private type Event = Tuple2[JLong, JLong]

  /** When the last row of each window that ends at the key was in the sink, in microseconds. */
  private val arrived = new ConcurrentHashMap[Long, Long]

  /** Runs it for so many seconds.
    *
    * @return
    *   milliseconds from the end of each window to its last row, for the windows of the later half
    */
  def measure(env: StreamExecutionEnvironment, execute: () => Unit, rate: Int, seconds: Int): Seq[Double] = {
    arrived.clear()
    val source = new EventSource(rate.toLong * seconds / 2 * 2, env.getParallelism)
    val start  = System.currentTimeMillis + 2000 // when the job runs
    env
      .fromSource(source, WatermarkStrategy.noWatermarks[JLong](), "numbers")
      .map(new Due(source, start, rate), Types.TUPLE[Event](Types.LONG, Types.LONG))
      .assignTimestampsAndWatermarks(
        WatermarkStrategy.forMonotonousTimestamps[Event]().withTimestampAssigner((e: Event, _: Long) => e.f1)
      )
      .keyBy(ByKey, Types.LONG)
      .window(TumblingEventTimeWindows.of(Duration.ofMillis(500)))
      .aggregate(Counted, Ends, Types.LONG, Types.LONG, Types.LONG)
      .sinkTo(new Arrivals)
    execute()
    arrived.asScala.toSeq.collect { case (end, at) if end > start + seconds * 500L => (at - end * 1000L) / 1000.0 }
  }

  // One clock for all rows, finer than milliseconds.
  private val (startNanos, startMillis) = (System.nanoTime, System.currentTimeMillis)
  private def micros(): Long            = startMillis * 1000L + (System.nanoTime - startNanos) / 1000L

  /** Passes a number on when its time has come. */
  private final class Due(source: EventSource, start: Long, rate: Int) extends MapFunction[JLong, Event] {
    def map(number: JLong): Event = {
      val event = source.event(number)
      val time  = start + event * 1000 / rate
      val early = time - System.currentTimeMillis
      if (early > 0) Thread.sleep(early)
      Tuple2.of(event % 100, time)
    }
  }

  private object ByKey extends KeySelector[Event, JLong] {
    def getKey(e: Event): JLong = e.f0
  }

  private object Counted extends AggregateFunction[Event, JLong, JLong] {
    def createAccumulator(): JLong       = 0L
    def add(e: Event, n: JLong): JLong   = n + 1
    def getResult(n: JLong): JLong       = n
    def merge(a: JLong, b: JLong): JLong = a + b
  }

  private object Ends extends ProcessWindowFunction[JLong, JLong, JLong, TimeWindow] {
    def process(
        key: JLong,
        context: ProcessWindowFunction[JLong, JLong, JLong, TimeWindow]#Context,
        counts: JIterable[JLong],
        ends: Collector[JLong]
    ): Unit = ends.collect(context.window.getEnd)
  }

  private final class Arrivals extends Sink[JLong] {
    def createWriter(context: WriterInitContext): SinkWriter[JLong] = new SinkWriter[JLong] {
      def write(end: JLong, context: SinkWriter.Context): Unit = {
        arrived.merge(end, micros(), (a, b) => math.max(a, b))
        ()
      }
      def flush(endOfInput: Boolean): Unit = ()
      def close(): Unit                    = ()
    }
  }
}
