package dev.sparkwindowing.conformance

import dev.sparkwindowing.conformance.FlinkFunctions._
import org.apache.flink.api.common.ExecutionConfig
import org.apache.flink.api.common.serialization.SerializerConfigImpl
import org.apache.flink.api.common.typeinfo.Types
import org.apache.flink.metrics.Counter
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState
import org.apache.flink.streaming.api.functions.windowing.delta.DeltaFunction
import org.apache.flink.streaming.api.operators.OneInputStreamOperator
import org.apache.flink.streaming.api.watermark.Watermark
import org.apache.flink.streaming.api.windowing.assigners._
import org.apache.flink.streaming.api.windowing.evictors.{CountEvictor, DeltaEvictor, Evictor, TimeEvictor}
import org.apache.flink.streaming.api.windowing.triggers._
import org.apache.flink.streaming.api.windowing.windows.{GlobalWindow, TimeWindow, Window}
import org.apache.flink.streaming.runtime.operators.windowing.{WindowOperator, WindowOperatorBuilder}
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord
import org.apache.flink.streaming.util.KeyedOneInputStreamOperatorTestHarness
import org.apache.flink.util.OutputTag

import java.time.Duration.ofMillis
import java.util.Queue
import scala.util.control.NonFatal

/** Flink's own window operator in its test harness. */
final class FlinkSide(setup: Setup, clockAtStart: Long) extends Side {
  private type Harness = KeyedOneInputStreamOperatorTestHarness[String, In, Out]

  private[this] var clock       = clockAtStart
  private[this] var dropped     = 0L
  private[this] var checkpoints = 0L
  private[this] var harness     = start(None)

  def close(): Unit = harness.close()

  def take(event: Event): Answer =
    try {
      event match {
        case Event.Element(key, value, Long.MinValue) => harness.processElement(new StreamRecord(record(key, value)))
        case Event.Element(key, value, timestamp)     =>
          harness.processElement(new StreamRecord(record(key, value), timestamp))
        case Event.Watermark(time) => harness.processWatermark(new Watermark(time))
        case Event.Clock(time)     =>
          clock = time
          harness.setProcessingTime(time)
        case Event.Restore =>
          checkpoints += 1
          val saved = harness.snapshot(checkpoints, checkpoints)
          harness.close()
          harness = start(Some(saved))
          harness.setProcessingTime(clock) // overdue timers
      }
      answer()
    } catch {
      case NonFatal(e) => Answer.failed(e)
    }

  private def record(key: String, value: Long): In = org.apache.flink.api.java.tuple.Tuple2.of(key, value)

  private def start(saved: Option[OperatorSubtaskState]): Harness = {
    val h = new Harness(newOperator(), ByKey, Types.STRING)
    h.setProcessingTime(clock)
    h.setup()
    saved.foreach(h.initializeState)
    h.open()
    dropped = 0
    h
  }

  private def answer(): Answer = {
    val firings = drain(harness.getOutput).collect { case r: StreamRecord[_] =>
      val out = r.getValue.asInstanceOf[Out]
      Firing(out.f0, out.f1, out.f2, r.getTimestamp, out.f3, out.f4.split(' ').toSeq.filter(_.nonEmpty).map(_.toLong))
    }
    val late         = side(lateTag).map(r => LateElement(r.getValue.f0, r.getValue.f1, r.getTimestamp))
    val cleared      = side(clearedTag).map(r => (r.getValue.f0.longValue, r.getValue.f1.longValue))
    val droppedSoFar = FlinkSide.droppedBy(harness.getOperator)
    val newlyDropped = droppedSoFar - dropped
    dropped = droppedSoFar
    Answer(firings, late, newlyDropped, cleared, harness.numEventTimeTimers, harness.numProcessingTimeTimers, None)
  }

  private def side[X](tag: OutputTag[X]): Seq[StreamRecord[X]] = Option(harness.getSideOutput(tag)).fold(
    Seq.empty[StreamRecord[X]]
  )(drain(_))

  private def drain[X](queue: Queue[X]): Seq[X] = Vector.unfold(queue)(q => Option(q.poll()).map((_, q)))

  private def newOperator(): OneInputStreamOperator[In, Out] = setup.assigner match {
    case AssignerSetup.TumblingEventTime(size, offset) =>
      build[TimeWindow](TumblingEventTimeWindows.of(ofMillis(size), ofMillis(offset)))
    case AssignerSetup.SlidingEventTime(size, slide, offset) =>
      build[TimeWindow](SlidingEventTimeWindows.of(ofMillis(size), ofMillis(slide), ofMillis(offset)))
    case AssignerSetup.CumulativeEventTime(step, steps, offset) =>
      build[TimeWindow](new FlinkAssigners.Cumulative(step, steps, offset))
    case AssignerSetup.Session(gap)         => build[TimeWindow](EventTimeSessionWindows.withGap(ofMillis(gap)))
    case AssignerSetup.DynamicSession(gaps) =>
      build[TimeWindow](EventTimeSessionWindows.withDynamicGap[In](extractor(gaps)))
    case AssignerSetup.TumblingProcessingTime(size, offset) =>
      build[TimeWindow](TumblingProcessingTimeWindows.of(ofMillis(size), ofMillis(offset)))
    case AssignerSetup.SlidingProcessingTime(size, slide, offset) =>
      build[TimeWindow](SlidingProcessingTimeWindows.of(ofMillis(size), ofMillis(slide), ofMillis(offset)))
    case AssignerSetup.ProcessingTimeSession(gap) =>
      build[TimeWindow](ProcessingTimeSessionWindows.withGap(ofMillis(gap)))
    case AssignerSetup.DynamicProcessingTimeSession(gaps) =>
      build[TimeWindow](ProcessingTimeSessionWindows.withDynamicGap[In](extractor(gaps)))
    case AssignerSetup.Global(true)  => build[GlobalWindow](GlobalWindows.createWithEndOfStreamTrigger())
    case AssignerSetup.Global(false) => build[GlobalWindow](GlobalWindows.create())
  }

  private def extractor(gaps: Gaps): SessionWindowTimeGapExtractor[In] = in => gaps.of(in.f1)

  private def build[W <: Window](assigner: WindowAssigner[_ >: In, W]): OneInputStreamOperator[In, Out] = {
    val default = assigner.getDefaultTrigger.asInstanceOf[Trigger[In, W]]
    val builder =
      new WindowOperatorBuilder[In, String, W](assigner, default, new ExecutionConfig, inType, ByKey, Types.STRING)
    val last = new FlinkTriggers.LastTimer
    builder.trigger(new FlinkTriggers.Watched(setup.trigger.fold(default)(trigger[W]), last))
    setup.evictor.foreach(e => builder.evictor(evictor[W](e)))
    builder.allowedLateness(ofMillis(setup.lateness))
    if (setup.lateOutput) builder.sideOutputLateData(lateTag)
    setup.contents match {
      case ContentsSetup.Apply      => builder.apply(new ApplyAll[W](last))
      case ContentsSetup.Process    => builder.process(new ProcessAll[W](last))
      case ContentsSetup.Join(kind) => builder.apply(new FlinkJoin[W](kind, last))
      case ContentsSetup.Aggregate  => builder.aggregate(AddUp, new ProcessTotals[W](last), accType)
    }
  }

  private def trigger[W <: Window](kind: TriggerSetup): Trigger[In, W] = {
    val isGlobal = setup.assigner.isGlobal
    val made     = kind match {
      case TriggerSetup.EventTime if isGlobal       => new FlinkTriggers.EndOfTime
      case TriggerSetup.EventTime                   => EventTimeTrigger.create()
      case TriggerSetup.ProcessingTime if isGlobal  => new FlinkTriggers.EndOfClock
      case TriggerSetup.ProcessingTime              => ProcessingTimeTrigger.create()
      case TriggerSetup.Never                       => new FlinkTriggers.Never[W]
      case TriggerSetup.EndOfStream if isGlobal     => new GlobalWindows.EndOfStreamTrigger
      case TriggerSetup.EndOfStream                 => new FlinkTriggers.EndOfStream[W]
      case TriggerSetup.Count(n)                    => CountTrigger.of[W](n)
      case TriggerSetup.ContinuousEventTime(i)      => ContinuousEventTimeTrigger.of[W](ofMillis(i))
      case TriggerSetup.ContinuousProcessingTime(i) => ContinuousProcessingTimeTrigger.of[W](ofMillis(i))
      case TriggerSetup.Delta(threshold, distance)  =>
        DeltaTrigger.of[In, W](threshold, delta(distance), inType.createSerializer(new SerializerConfigImpl))
      case TriggerSetup.Purging(nested)                        => PurgingTrigger.of[In, W](trigger[W](nested))
      case TriggerSetup.Timeout(nested, timeout, reset, clear) =>
        ProcessingTimeoutTrigger.of[In, W](trigger[W](nested), ofMillis(timeout), reset, clear)
    }
    made.asInstanceOf[Trigger[In, W]]
  }

  private def evictor[W <: Window](kind: EvictorSetup): Evictor[_ >: In, W] = kind match {
    case EvictorSetup.Count(keep, after)                => CountEvictor.of[W](keep, after)
    case EvictorSetup.Time(size, after)                 => TimeEvictor.of[W](ofMillis(size), after)
    case EvictorSetup.Delta(threshold, distance, after) => DeltaEvictor.of[In, W](threshold, delta(distance), after)
  }

  private def delta(distance: Distance): DeltaFunction[In] = (old, in) => distance.between(old.f1, in.f1)
}

object FlinkSide {
  private val counter = classOf[WindowOperator[_, _, _, _, _]].getDeclaredField("numLateRecordsDropped")
  counter.setAccessible(true)

  private def droppedBy(operator: Object): Long = counter.get(operator) match {
    case c: Counter => c.getCount
    case _          => 0L
  }
}
