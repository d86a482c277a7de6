package dev.sparkwindowing.testing

import dev.sparkwindowing.assigners.{
  CalendarUnit,
  CalendarWindows,
  CountWindows,
  CumulativeEventTimeWindows,
  EventTimeSessionWindows,
  GlobalWindows,
  NamedWindows,
  OverEventTimeWindows,
  ProcessingTimeSessionWindows,
  SessionEnd,
  SessionWindowAssigner,
  SessionWindowTimeGapExtractor,
  SlidingEventTimeWindows,
  SlidingProcessingTimeWindows,
  TumblingEventTimeWindows,
  TumblingProcessingTimeWindows,
  WindowAssigner,
  WindowStagger
}
import dev.sparkwindowing.codec.ValueCodec
import dev.sparkwindowing.evictors.{CountEvictor, DeltaEvictor, Evictor, TimeEvictor}
import dev.sparkwindowing.functions.DeltaFunction
import dev.sparkwindowing.triggers.{
  AfterWatermark,
  AllTrigger,
  AnyTrigger,
  ContinuousEventTimeTrigger,
  ContinuousProcessingTimeTrigger,
  CountTrigger,
  DeltaTrigger,
  EndOfStreamTrigger,
  EventTimeTrigger,
  FiringInterval,
  MicroBatchTrigger,
  NeverTrigger,
  OnceTrigger,
  ProcessingTimeTrigger,
  ProcessingTimeoutTrigger,
  PurgingTrigger,
  Trigger
}
import dev.sparkwindowing.watermarks.{AheadOfClock, BoundedOutOfOrderness, Heartbeat, Idleness, NoWatermarks}

import java.time.{DateTimeException, Duration, LocalDate}
import scala.jdk.CollectionConverters._

/** Windows, triggers and evictors as the scenario files write them: `{Class: [arguments of its factory, in order]}`. */
object Parts {
  private val Calendar = """CalendarWindows\.(.*)""".r

  private def named(part: Any): (String, WindowAssigner[Any]) = part match {
    case Part(name, Seq(windows)) => name -> window(windows).asInstanceOf[WindowAssigner[Any]]
    case other                    => throw new IllegalStateException(s"a name and its windows, not $other")
  }

  def window(part: Any): WindowAssigner[String] = part match {
    case Part("NamedWindows", all)                           => NamedWindows.of(all.map(named): _*)
    case Part("TumblingEventTimeWindows", Seq(size))         => TumblingEventTimeWindows.of(time(size))
    case Part("TumblingEventTimeWindows", Seq(size, offset)) => TumblingEventTimeWindows.of(time(size), time(offset))
    case Part("TumblingEventTimeWindows", Seq(size, offset, name)) =>
      TumblingEventTimeWindows.of(time(size), time(offset), stagger(name))
    case Part("TumblingProcessingTimeWindows", Seq(size))      => TumblingProcessingTimeWindows.of(time(size))
    case Part("TumblingProcessingTimeWindows", Seq(size, off)) =>
      TumblingProcessingTimeWindows.of(time(size), time(off))
    case Part("TumblingProcessingTimeWindows", Seq(size, off, name)) =>
      TumblingProcessingTimeWindows.of(time(size), time(off), stagger(name))
    case Part("SlidingEventTimeWindows", Seq(size, slide)) => SlidingEventTimeWindows.of(time(size), time(slide))
    case Part("SlidingEventTimeWindows", Seq(size, slide, offset)) =>
      SlidingEventTimeWindows.of(time(size), time(slide), time(offset))
    case Part("SlidingProcessingTimeWindows", Seq(size, slide)) =>
      SlidingProcessingTimeWindows.of(time(size), time(slide))
    case Part("SlidingProcessingTimeWindows", Seq(size, slide, offset)) =>
      SlidingProcessingTimeWindows.of(time(size), time(slide), time(offset))
    case Part("CumulativeEventTimeWindows", Seq(size, step)) =>
      CumulativeEventTimeWindows.of(time(size), time(step))
    case Part("CumulativeEventTimeWindows", Seq(size, step, offset)) =>
      CumulativeEventTimeWindows.of(time(size), time(step), time(offset))
    case Part(Calendar(unit), n +: rest)                => calendar(unit, int(n), rest)
    case Part("EventTimeSessionWindows", gap +: limits) =>
      limited(EventTimeSessionWindows.withGap(time(gap)), limits)
    case Part("EventTimeSessionWindows.withDynamicGap", gap +: limits) =>
      limited(EventTimeSessionWindows.withDynamicGap(of(gap)), limits)
    case Part("ProcessingTimeSessionWindows", gap +: limits) =>
      limited(ProcessingTimeSessionWindows.withGap(time(gap)), limits)
    case Part("ProcessingTimeSessionWindows.withDynamicGap", gap +: limits) =>
      limited(ProcessingTimeSessionWindows.withDynamicGap(of(gap)), limits)
    case Part("OverEventTimeWindows.preceding", Seq(length)) => OverEventTimeWindows.preceding(time(length))
    case Part("OverEventTimeWindows.precedingRows", Seq(rows: java.lang.Number)) =>
      OverEventTimeWindows.precedingRows(rows.longValue)
    case Part("CountWindows", Seq(n: java.lang.Number))            => CountWindows.of(n.longValue)
    case Part("GlobalWindows", Seq())                              => GlobalWindows.create()
    case Part("GlobalWindows.createWithEndOfStreamTrigger", Seq()) => GlobalWindows.createWithEndOfStreamTrigger()
    case other                                                     => unknown("window", other)
  }

  private def limited(sessions: SessionWindowAssigner[String], limits: Seq[Any]): WindowAssigner[String] = {
    val short = limits.headOption.filter(_ != null).fold(sessions)(max => sessions.withMaxLength(time(max)))
    limits.drop(1).foldLeft(short) {
      case (endless, "negative") => endless.endsAt(Negative)
      case (_, other)            => unknown("end of sessions", other)
    }
  }

  private object Negative extends SessionEnd[String] {
    def isEnd(element: String): Boolean = element.toDouble < 0
  }

  def trigger(part: Any): Trigger[String] = part match {
    case null                                            => null
    case Part("EventTimeTrigger", Seq())                 => EventTimeTrigger.create()
    case Part("ProcessingTimeTrigger", Seq())            => ProcessingTimeTrigger.create()
    case Part("NeverTrigger", Seq())                     => NeverTrigger.create()
    case Part("EndOfStreamTrigger", Seq())               => EndOfStreamTrigger.create()
    case Part("CountTrigger", Seq(n: java.lang.Number))  => CountTrigger.of(n.longValue)
    case Part("ContinuousEventTimeTrigger", Seq(i))      => ContinuousEventTimeTrigger.of(time(i))
    case Part("ContinuousProcessingTimeTrigger", Seq(i)) => ContinuousProcessingTimeTrigger.of(time(i))
    case Part("MicroBatchTrigger", Seq())                => MicroBatchTrigger.create()
    case Part("AfterWatermark", Seq(early, late))        => AfterWatermark.of(interval(early), interval(late))
    case Part("DeltaTrigger", Seq(threshold: java.lang.Number, measure)) =>
      DeltaTrigger.of(threshold.doubleValue, delta(measure), ValueCodec.string)
    case Part("PurgingTrigger", Seq(nested))                       => PurgingTrigger.of(trigger(nested))
    case Part("OnceTrigger", Seq(nested))                          => OnceTrigger.of(trigger(nested))
    case Part("AllTrigger", parts)                                 => AllTrigger.of(parts.map(trigger): _*)
    case Part("AnyTrigger", parts :+ (restart: java.lang.Boolean)) => AnyTrigger.of(restart, parts.map(trigger): _*)
    case Part("AnyTrigger", parts)                                 => AnyTrigger.of(parts.map(trigger): _*)
    case Part("ProcessingTimeoutTrigger", Seq(nested, timeout))    =>
      ProcessingTimeoutTrigger.of(trigger(nested), time(timeout))
    case Part(
          "ProcessingTimeoutTrigger",
          Seq(nested, timeout, reset: java.lang.Boolean, clear: java.lang.Boolean)
        ) =>
      ProcessingTimeoutTrigger.of(trigger(nested), time(timeout), reset, clear)
    case other => unknown("trigger", other)
  }

  def evictor(part: Any): Evictor[String] = part match {
    case Part("CountEvictor", Seq(n: java.lang.Number))                           => CountEvictor.of(n.longValue)
    case Part("CountEvictor", Seq(n: java.lang.Number, after: java.lang.Boolean)) =>
      CountEvictor.of(n.longValue, after)
    case Part("TimeEvictor", Seq(size))                                => TimeEvictor.of(time(size))
    case Part("TimeEvictor", Seq(size, after: java.lang.Boolean))      => TimeEvictor.of(time(size), after)
    case Part("DeltaEvictor", Seq(threshold: java.lang.Number, value)) =>
      DeltaEvictor.of(threshold.doubleValue, delta(value))
    case Part("DeltaEvictor", Seq(threshold: java.lang.Number, value, after: java.lang.Boolean)) =>
      DeltaEvictor.of(threshold.doubleValue, delta(value), after)
    case other => unknown("evictor", other)
  }

  /** Any of them, by the name of its class. */
  def any(part: Any): Any = part match {
    case Part("WatermarkStrategy.forBoundedOutOfOrderness", Seq(delay)) => BoundedOutOfOrderness.of(time(delay))
    case Part("WatermarkStrategy.withIdleness", Seq(t))                 => Idleness.of(NoWatermarks, time(t), () => 0L)
    case Part("withClock", Seq(every))                                  => Heartbeat.check(time(every))
    case Part("WatermarkStrategy.withMaxAheadOfClock", Seq(a)) => AheadOfClock.of(NoWatermarks, time(a), () => 0L)
    case Part(name, _) if name.takeWhile(_ != '.').endsWith("Windows") => window(part)
    case Part(name, _) if name.endsWith("Evictor")                     => evictor(part)
    case _                                                             => trigger(part)
  }

  private def calendar(unit: String, n: Int, rest: Seq[Any]): CalendarWindows = {
    val (first, zone, start) = unit match {
      case "weeks" | "months" => (Some(rest.head), rest(1).toString, rest.drop(2))
      case _                  => (None, rest.head.toString, rest.drop(1))
    }
    val starting =
      try start.headOption.fold(LocalDate.ofEpochDay(0))(day => LocalDate.parse(day.toString))
      catch { case e: DateTimeException => throw new IllegalArgumentException(e) }
    (unit, first) match {
      case ("days", None)        => CalendarWindows.days(n, zone, starting)
      case ("weeks", Some(day))  => CalendarWindows.weeks(n, CalendarUnit.dayOfWeek(day.toString), zone, starting)
      case ("months", Some(day)) => CalendarWindows.months(n, int(day), zone, starting)
      case ("quarters", None)    => CalendarWindows.quarters(n, zone, starting)
      case ("years", None)       => CalendarWindows.years(n, zone, starting)
      case other                 => unknown("calendar window", other)
    }
  }

  private def int(value: Any): Int = value match {
    case n: java.lang.Number => n.intValue
    case other               => unknown("number", other)
  }

  private def time(value: Any): Duration = if (value == null) null else Duration.ofMillis(Durations.millis(value))

  private def interval(value: Any): FiringInterval[String] = value match {
    case "micro-batch"               => FiringInterval.of("micro-batch")
    case nested: java.util.Map[_, _] => trigger(nested)
    case other                       => time(other)
  }

  private def stagger(name: Any): WindowStagger = if (name == null) null else WindowStagger.of(name.toString)

  /** The word `value` stands for the number that the value of a row is: seconds, where it is a gap. */
  private def of(gap: Any): SessionWindowTimeGapExtractor[String] =
    if (isValue(gap)) element => element.toLong * 1000 else null

  private def delta(measure: Any): DeltaFunction[String] =
    if (isValue(measure)) (old, element) => element.toDouble - old.toDouble else null

  private def isValue(word: Any): Boolean = word match {
    case null    => false
    case "value" => true
    case other   => throw new IllegalStateException(s"only `value` can be measured, not $other")
  }

  private def unknown(what: String, part: Any): Nothing =
    throw new IllegalStateException(s"this is no $what that the scenario files may name: $part")

  private object Part {
    def unapply(part: Any): Option[(String, Seq[Any])] = part match {
      case m: java.util.Map[_, _] if m.size == 1 =>
        m.asScala.headOption.map {
          case (name, arguments: java.util.List[_]) => name.toString -> arguments.asScala.toSeq
          case (name, other)                        => name.toString -> Seq(other)
        }
      case _ => None
    }
  }
}
