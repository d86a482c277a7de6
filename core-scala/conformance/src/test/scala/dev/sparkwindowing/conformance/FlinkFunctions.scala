package dev.sparkwindowing.conformance

import dev.sparkwindowing.conformance.FlinkTriggers.LastTimer
import dev.sparkwindowing.windows.WindowCollector
import org.apache.flink.api.common.functions.AggregateFunction
import org.apache.flink.api.common.typeinfo.{TypeInformation, Types}
import org.apache.flink.api.java.functions.KeySelector
import org.apache.flink.api.java.tuple.{Tuple2, Tuple3, Tuple5}
import org.apache.flink.streaming.api.functions.windowing.{ProcessWindowFunction, WindowFunction}
import org.apache.flink.streaming.api.windowing.windows.{TimeWindow, Window}
import org.apache.flink.util.{Collector, OutputTag}

import java.lang.{Iterable => JIterable, Long => JLong}
import scala.jdk.CollectionConverters._

/** Types and functions that Flink's operator runs with: of Flink's own types only, so that no Kryo is needed. */
object FlinkFunctions {

  /** Key and value. */
  type In = Tuple2[String, JLong]

  /** Key, bounds of the window, the timer that made it fire, and the values with blanks between. */
  type Out = Tuple5[String, JLong, JLong, JLong, String]

  /** Count, sum, merges. */
  type Acc = Tuple3[JLong, JLong, JLong]

  type Bounds = Tuple2[JLong, JLong]

  val inType: TypeInformation[In]         = Types.TUPLE[In](Types.STRING, Types.LONG)
  val accType: TypeInformation[Acc]       = Types.TUPLE[Acc](Types.LONG, Types.LONG, Types.LONG)
  val boundsType: TypeInformation[Bounds] = Types.TUPLE[Bounds](Types.LONG, Types.LONG)
  val lateTag: OutputTag[In]              = new OutputTag[In]("late", inType)
  val clearedTag: OutputTag[Bounds]       = new OutputTag[Bounds]("cleared", boundsType)

  object ByKey extends KeySelector[In, String] {
    def getKey(in: In): String = in.f0
  }

  def bounds(window: Window): Bounds = window match {
    case w: TimeWindow => Tuple2.of(w.getStart, w.getEnd)
    case _             => Tuple2.of(WindowCollector.Global, WindowCollector.Global)
  }

  def show[W <: Window](key: String, window: W, last: LastTimer, values: Iterable[Any]): Out = {
    val b = bounds(window)
    Tuple5.of(key, b.f0, b.f1, last.time, values.mkString(" "))
  }

  final class ApplyAll[W <: Window](last: LastTimer) extends WindowFunction[In, Out, String, W] {
    def apply(key: String, window: W, elements: JIterable[In], out: Collector[Out]): Unit =
      out.collect(show(key, window, last, elements.asScala.map(_.f1)))
  }

  final class ProcessAll[W <: Window](last: LastTimer) extends ProcessWindowFunction[In, Out, String, W] {
    def process(
        key: String,
        context: ProcessWindowFunction[In, Out, String, W]#Context,
        elements: JIterable[In],
        out: Collector[Out]
    ): Unit =
      out.collect(show(key, context.window(), last, elements.asScala.map(_.f1)))
    override def clear(context: ProcessWindowFunction[In, Out, String, W]#Context): Unit =
      context.output(clearedTag, bounds(context.window()))
  }

  final class ProcessTotals[W <: Window](last: LastTimer) extends ProcessWindowFunction[String, Out, String, W] {
    def process(
        key: String,
        context: ProcessWindowFunction[String, Out, String, W]#Context,
        results: JIterable[String],
        out: Collector[Out]
    ): Unit =
      out.collect(show(key, context.window(), last, results.asScala))
    override def clear(context: ProcessWindowFunction[String, Out, String, W]#Context): Unit =
      context.output(clearedTag, bounds(context.window()))
  }

  object AddUp extends AggregateFunction[In, Acc, String] {
    def createAccumulator(): Acc    = Tuple3.of(0L, 0L, 0L)
    def add(in: In, acc: Acc): Acc  = Tuple3.of(acc.f0 + 1, acc.f1 + in.f1, acc.f2)
    def merge(a: Acc, b: Acc): Acc  = Tuple3.of(a.f0 + b.f0, a.f1 + b.f1, a.f2 + b.f2 + 1)
    def getResult(acc: Acc): String = s"${acc.f0} ${acc.f1} ${acc.f2}"
  }
}
