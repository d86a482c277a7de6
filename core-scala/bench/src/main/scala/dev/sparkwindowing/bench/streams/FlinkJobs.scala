package dev.sparkwindowing.bench.streams

import org.apache.flink.api.common.eventtime.WatermarkStrategy
import org.apache.flink.api.common.functions.{AggregateFunction, MapFunction}
import org.apache.flink.api.common.typeinfo.{TypeInformation, Types}
import org.apache.flink.api.java.functions.KeySelector
import org.apache.flink.api.java.tuple.{Tuple2, Tuple3, Tuple5}
import org.apache.flink.streaming.api.datastream.{DataStream, KeyedStream, WindowedStream}
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment
import org.apache.flink.streaming.api.functions.windowing.ProcessWindowFunction
import org.apache.flink.streaming.api.windowing.assigners.{
  EventTimeSessionWindows,
  SlidingEventTimeWindows,
  TumblingEventTimeWindows
}
import org.apache.flink.streaming.api.windowing.triggers.{ContinuousProcessingTimeTrigger, CountTrigger, Trigger}
import org.apache.flink.streaming.api.windowing.windows.{GlobalWindow, TimeWindow, Window}
import org.apache.flink.util.Collector

import java.lang.{Double => JDouble, Iterable => JIterable, Long => JLong}
import java.time.Duration

/** A work as Flink's DataStream API writes it.
  *
  * @param windows
  *   `session`, `tumbling`, `sliding`, `count` or `several`, tumbling windows of each of `sizes`
  * @param size
  *   milliseconds of the window or the gap; of a count window its elements
  * @param sizes
  *   milliseconds of several windows
  * @param slide
  *   milliseconds from one sliding window to the next
  * @param early
  *   elements from one early firing to the next, 0 for none
  * @param earlyMillis
  *   processing time from one early firing to the next, 0 for none
  * @param functions
  *   `count,sum` or `sum,max` of the value
  * @param delay
  *   milliseconds that the watermark is behind the largest time
  */
final case class FlinkWork(
    windows: String,
    size: Long,
    sizes: Seq[Long],
    slide: Long,
    early: Long,
    earlyMillis: Long,
    functions: String,
    delay: Long
)

object FlinkJobs {

  /** Key, time, value. */
  type Event = Tuple3[JLong, JLong, JDouble]

  /** Both figures of a window. */
  type Figures = Tuple2[JDouble, JDouble]

  /** Key, start and end (0 for count windows), both figures. */
  type Out = Tuple5[JLong, JLong, JLong, JDouble, JDouble]

  private val event: TypeInformation[Event]     = Types.TUPLE[Event](Types.LONG, Types.LONG, Types.DOUBLE)
  private val figures: TypeInformation[Figures] = Types.TUPLE[Figures](Types.DOUBLE, Types.DOUBLE)
  private val out: TypeInformation[Out]         =
    Types.TUPLE[Out](Types.LONG, Types.LONG, Types.LONG, Types.DOUBLE, Types.DOUBLE)

  /** The results of a work.
    *
    * @param finalOnly
    *   leaves out early results, whose contents depend on the order of elements
    */
  def results(env: StreamExecutionEnvironment, work: FlinkWork, events: Events, finalOnly: Boolean): DataStream[Out] = {
    val source = new EventSource(events.count, env.getParallelism)
    val keyed  = env
      .fromSource(source, WatermarkStrategy.noWatermarks[JLong](), "numbers")
      .map(new Make(events, source), event)
      .assignTimestampsAndWatermarks(
        WatermarkStrategy
          .forBoundedOutOfOrderness[Event](Duration.ofMillis(work.delay))
          .withTimestampAssigner((e: Event, _: Long) => e.f1)
      )
      .keyBy(ByKey, Types.LONG)
    work.windows match {
      case "count" =>
        fired(keyed.countWindow(work.size), work, new Rows[GlobalWindow](_ => (0L, 0L), finalOnly = false))
      case "several" =>
        val each = work.sizes.map(size => timed(keyed, work.copy(windows = "tumbling", size = size), finalOnly))
        each.head.union(each.tail: _*)
      case _ => timed(keyed, work, finalOnly)
    }
  }

  private def timed(keyed: KeyedStream[Event, JLong], work: FlinkWork, finalOnly: Boolean): DataStream[Out] = {
    val windows = timeWindows(keyed, work)
    val early   = earlyTrigger(work).fold(windows)(trigger => windows.trigger(new EarlyFirings(trigger)))
    fired(early, work, new Rows[TimeWindow](w => (w.getStart, w.getEnd), finalOnly))
  }

  private def earlyTrigger(work: FlinkWork): Option[Trigger[Object, TimeWindow]] =
    if (work.early > 0) Some(CountTrigger.of(work.early).asInstanceOf[Trigger[Object, TimeWindow]])
    else if (work.earlyMillis > 0)
      Some(
        ContinuousProcessingTimeTrigger
          .of(Duration.ofMillis(work.earlyMillis))
          .asInstanceOf[Trigger[Object, TimeWindow]]
      )
    else None

  private def timeWindows(keyed: KeyedStream[Event, JLong], work: FlinkWork): WindowedStream[Event, JLong, TimeWindow] =
    work.windows match {
      case "session"  => keyed.window(EventTimeSessionWindows.withGap(Duration.ofMillis(work.size)))
      case "tumbling" => keyed.window(TumblingEventTimeWindows.of(Duration.ofMillis(work.size)))
      case "sliding"  =>
        keyed.window(SlidingEventTimeWindows.of(Duration.ofMillis(work.size), Duration.ofMillis(work.slide)))
      case other => throw new IllegalArgumentException(s"windows: session, tumbling, sliding or count, got $other")
    }

  private def fired[W <: Window](
      windows: WindowedStream[Event, JLong, W],
      work: FlinkWork,
      rows: Rows[W]
  ): DataStream[Out] =
    work.functions match {
      case "count,sum" => windows.aggregate(CountAndSum, rows, figures, figures, out)
      case "sum,max"   => windows.aggregate(SumAndMax, rows, figures, figures, out)
      case other       => throw new IllegalArgumentException(s"functions: count,sum or sum,max, got $other")
    }

  private final class Make(events: Events, source: EventSource) extends MapFunction[JLong, Event] {
    def map(number: JLong): Event = {
      val i = source.event(number)
      Tuple3.of(events.key(i), events.time(i), events.value(i))
    }
  }

  private object ByKey extends KeySelector[Event, JLong] {
    def getKey(e: Event): JLong = e.f0
  }

  private object CountAndSum extends Aggregate(0.0) {
    def add(e: Event, a: Figures): Figures = {
      a.f0 = a.f0 + 1.0
      a.f1 = a.f1 + e.f2
      a
    }
    def merge(a: Figures, b: Figures): Figures = {
      a.f0 = a.f0 + b.f0
      a.f1 = a.f1 + b.f1
      a
    }
  }

  private object SumAndMax extends Aggregate(Double.NegativeInfinity) {
    def add(e: Event, a: Figures): Figures = {
      a.f0 = a.f0 + e.f2
      a.f1 = math.max(a.f1, e.f2)
      a
    }
    def merge(a: Figures, b: Figures): Figures = {
      a.f0 = a.f0 + b.f0
      a.f1 = math.max(a.f1, b.f1)
      a
    }
  }

  private abstract class Aggregate(second: Double) extends AggregateFunction[Event, Figures, Figures] {
    def createAccumulator(): Figures   = Tuple2.of(0.0, second)
    def getResult(a: Figures): Figures = a
  }

  /** One row a firing. */
  private final class Rows[W <: Window](bounds: W => (Long, Long), finalOnly: Boolean)
      extends ProcessWindowFunction[Figures, Out, JLong, W] {
    def process(
        key: JLong,
        context: ProcessWindowFunction[Figures, Out, JLong, W]#Context,
        results: JIterable[Figures],
        rows: Collector[Out]
    ): Unit =
      if (!finalOnly || context.currentWatermark >= context.window.maxTimestamp) {
        val figures      = results.iterator.next()
        val (start, end) = bounds(context.window)
        rows.collect(Tuple5.of(key, start, end, figures.f0, figures.f1))
      }
  }
}
