package dev.sparkwindowing.testing

import dev.sparkwindowing.assigners._
import dev.sparkwindowing.evictors.{CountEvictor, Evictor}
import dev.sparkwindowing.triggers._

import java.time.Duration
import scala.jdk.CollectionConverters._

/** Windows, triggers and evictors as the scenario files write them: `{Class: [arguments of its factory, in order]}`. */
object Parts {

  def window(part: Any): WindowAssigner[Any] = part match {
    case Part("TumblingEventTimeWindows", Seq(size))           => TumblingEventTimeWindows.of(time(size))
    case Part("TumblingEventTimeWindows", Seq(size, offset))   => TumblingEventTimeWindows.of(time(size), time(offset))
    case Part("TumblingProcessingTimeWindows", Seq(size))      => TumblingProcessingTimeWindows.of(time(size))
    case Part("TumblingProcessingTimeWindows", Seq(size, off)) =>
      TumblingProcessingTimeWindows.of(time(size), time(off))
    case Part("SlidingEventTimeWindows", Seq(size, slide)) => SlidingEventTimeWindows.of(time(size), time(slide))
    case Part("SlidingEventTimeWindows", Seq(size, slide, offset)) =>
      SlidingEventTimeWindows.of(time(size), time(slide), time(offset))
    case Part("EventTimeSessionWindows", Seq(gap)) => EventTimeSessionWindows.withGap(time(gap))
    case Part("GlobalWindows", Seq())              => GlobalWindows.create()
    case other                                     => unknown("window", other)
  }

  def trigger(part: Any): Trigger[Any] = part match {
    case Part("EventTimeTrigger", Seq())                => EventTimeTrigger.create()
    case Part("ProcessingTimeTrigger", Seq())           => ProcessingTimeTrigger.create()
    case Part("NeverTrigger", Seq())                    => NeverTrigger.create()
    case Part("CountTrigger", Seq(n: java.lang.Number)) => CountTrigger.of(n.longValue)
    case Part("PurgingTrigger", Seq(nested))            => PurgingTrigger.of(trigger(nested))
    case other                                          => unknown("trigger", other)
  }

  def evictor(part: Any): Evictor[String] = part match {
    case Part("CountEvictor", Seq(n: java.lang.Number))                           => CountEvictor.of(n.longValue)
    case Part("CountEvictor", Seq(n: java.lang.Number, after: java.lang.Boolean)) =>
      CountEvictor.of(n.longValue, after)
    case other => unknown("evictor", other)
  }

  /** Any of the three, by the name of its class. */
  def any(part: Any): Any = part match {
    case Part(name, _) if name.endsWith("Windows") => window(part)
    case Part(name, _) if name.endsWith("Evictor") => evictor(part)
    case _                                         => trigger(part)
  }

  private def time(value: Any): Duration = Duration.ofMillis(Durations.millis(value))

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
