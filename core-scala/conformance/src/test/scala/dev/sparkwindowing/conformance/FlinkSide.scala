package dev.sparkwindowing.conformance

import dev.sparkwindowing.conformance.FlinkFunctions._
import org.apache.flink.api.common.ExecutionConfig
import org.apache.flink.api.common.typeinfo.Types
import org.apache.flink.metrics.Counter
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState
import org.apache.flink.streaming.api.operators.OneInputStreamOperator
import org.apache.flink.streaming.api.watermark.Watermark
import org.apache.flink.streaming.api.windowing.evictors.CountEvictor
import org.apache.flink.streaming.api.windowing.windows.{GlobalWindow, TimeWindow, Window}
import org.apache.flink.streaming.api.windowing.{assigners, triggers}
import org.apache.flink.streaming.runtime.operators.windowing.{WindowOperator, WindowOperatorBuilder}
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord
import org.apache.flink.streaming.util.KeyedOneInputStreamOperatorTestHarness
import org.apache.flink.util.OutputTag

import java.time.Duration
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
      Firing(out.f0, out.f1, out.f2, r.getTimestamp, out.f3.split(' ').toSeq.filter(_.nonEmpty).map(_.toLong))
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
      build[TimeWindow](assigners.TumblingEventTimeWindows.of(Duration.ofMillis(size), Duration.ofMillis(offset)))
    case AssignerSetup.SlidingEventTime(size, slide, offset) =>
      build[TimeWindow](
        assigners.SlidingEventTimeWindows
          .of(Duration.ofMillis(size), Duration.ofMillis(slide), Duration.ofMillis(offset))
      )
    case AssignerSetup.Session(gap) =>
      build[TimeWindow](assigners.EventTimeSessionWindows.withGap(Duration.ofMillis(gap)))
    case AssignerSetup.TumblingProcessingTime(size, offset) =>
      build[TimeWindow](assigners.TumblingProcessingTimeWindows.of(Duration.ofMillis(size), Duration.ofMillis(offset)))
    case AssignerSetup.Global => build[GlobalWindow](assigners.GlobalWindows.create())
  }

  private def build[W <: Window](
      assigner: assigners.WindowAssigner[Object, W]
  ): OneInputStreamOperator[In, Out] = {
    val builder = new WindowOperatorBuilder[In, String, W](
      assigner,
      assigner.getDefaultTrigger,
      new ExecutionConfig,
      inType,
      ByKey,
      Types.STRING
    )
    setup.trigger.foreach(t => builder.trigger(trigger[W](t)))
    setup.evictor.foreach(e => builder.evictor(CountEvictor.of[W](e.keep, e.after)))
    builder.allowedLateness(Duration.ofMillis(setup.lateness))
    if (setup.lateOutput) builder.sideOutputLateData(lateTag)
    setup.contents match {
      case ContentsSetup.Apply     => builder.apply(new ApplyAll[W])
      case ContentsSetup.Process   => builder.process(new ProcessAll[W])
      case ContentsSetup.Aggregate => builder.aggregate(AddUp, new ProcessTotals[W], accType)
    }
  }

  private def trigger[W <: Window](setup: TriggerSetup): triggers.Trigger[Object, W] = {
    val made = setup match {
      case TriggerSetup.EventTime if isGlobal      => new FlinkTriggers.EndOfTime
      case TriggerSetup.ProcessingTime if isGlobal => new FlinkTriggers.EndOfClock
      case TriggerSetup.EventTime                  => triggers.EventTimeTrigger.create()
      case TriggerSetup.ProcessingTime             => triggers.ProcessingTimeTrigger.create()
      case TriggerSetup.Never                      => new FlinkTriggers.Never[W]
      case TriggerSetup.Count(n)                   => triggers.CountTrigger.of[W](n)
      case TriggerSetup.Purging(nested)            => triggers.PurgingTrigger.of[Object, W](trigger[W](nested))
    }
    made.asInstanceOf[triggers.Trigger[Object, W]]
  }

  private def isGlobal: Boolean = setup.assigner == AssignerSetup.Global
}

object FlinkSide {
  private val counter = classOf[WindowOperator[_, _, _, _, _]].getDeclaredField("numLateRecordsDropped")
  counter.setAccessible(true)

  private def droppedBy(operator: Object): Long = counter.get(operator) match {
    case c: Counter => c.getCount
    case _          => 0L
  }
}
