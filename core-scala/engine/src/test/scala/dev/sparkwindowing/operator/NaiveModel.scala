package dev.sparkwindowing.operator

import dev.sparkwindowing.windows.{GlobalWindow, TimeWindow, Window}

/** Assigner of the naive model, as plain data. */
sealed trait NaiveWindows
object NaiveWindows {
  final case class Tumbling(size: Long, offset: Long)                extends NaiveWindows
  final case class TumblingByClock(size: Long, offset: Long)         extends NaiveWindows
  final case class Sliding(size: Long, slide: Long, offset: Long)    extends NaiveWindows
  final case class Cumulative(step: Long, steps: Long, offset: Long) extends NaiveWindows
  final case class Sessions(gap: Long)                               extends NaiveWindows
  final case class Limited(limits: NaiveLimits)                      extends NaiveWindows
  case object Global                                                 extends NaiveWindows
}

sealed trait NaiveTrigger
object NaiveTrigger {
  case object ByWatermark               extends NaiveTrigger
  case object ByClock                   extends NaiveTrigger
  final case class ByCount(count: Long) extends NaiveTrigger
  case object Never                     extends NaiveTrigger
}

final case class NaiveSpec(
    windows: NaiveWindows,
    trigger: NaiveTrigger,
    purging: Boolean,
    keepNewest: Option[Long],
    evictAfter: Boolean,
    lateness: Long
)

/** The window rules for one key, with lists and filters and no thought of speed. Times are far from the extremes. */
final class NaiveModel(spec: NaiveSpec) {
  import NaiveTrigger._
  import NaiveWindows._

  private case class Timer(byWatermark: Boolean, time: Long)
  private case class Live(
      window: Window,
      elements: List[String],
      count: Long,
      timers: Set[Timer],
      session: Option[NaiveSession] = None
  )

  private var watermark = Long.MinValue
  private var clock     = Long.MinValue
  private var live      = List.empty[Live]
  private var out       = List.empty[String]

  def take(): List[String] = {
    val all = out
    out = Nil
    all
  }

  def timers: Int = live.map(_.timers.size).sum

  private val isEventTime = spec.windows match {
    case Tumbling(_, _) | Sliding(_, _, _) | Cumulative(_, _, _) | Sessions(_) => true
    case Limited(limits)                                                       => !limits.byClock
    case TumblingByClock(_, _) | Global                                        => false
  }

  private def cleanup(w: Window): Option[Timer] = w match {
    case GlobalWindow       => None
    case TimeWindow(_, end) => Some(Timer(isEventTime, end - 1 + (if (isEventTime) spec.lateness else 0)))
  }

  private def isLate(w: Window): Boolean = isEventTime && cleanup(w).exists(_.time <= watermark)

  private def assigned(timestamp: Long, row: NaiveRow): List[Window] = {
    def grid(time: Long, size: Long, every: Long, offset: Long) =
      (time to time - size + 1 by -1)
        .filter(s => Math.floorMod(s - offset, every) == 0L)
        .map(s => TimeWindow(s, s + size))
    spec.windows match {
      case Tumbling(size, offset)          => grid(timestamp, size, size, offset).toList
      case TumblingByClock(size, offset)   => grid(clock, size, size, offset).toList
      case Sliding(size, slide, offset)    => grid(timestamp, size, slide, offset).toList
      case Cumulative(step, steps, offset) =>
        grid(timestamp, step * steps, step * steps, offset).toList.flatMap { longest =>
          (steps to 1L by -1).map(k => longest.copy(end = longest.start + k * step)).filter(_.end > timestamp)
        }
      case Sessions(gap) => List(TimeWindow(timestamp, timestamp + gap))
      case Limited(_)    => List(TimeWindow(row.time, row.ownEnd))
      case Global        => List(GlobalWindow)
    }
  }

  /** @param gap
    *   in sessions with limits
    * @param isEnd
    *   whether it ends its session
    */
  def element(value: String, timestamp: Long, gap: Long = 0, isEnd: Boolean = false): Unit = {
    val row = spec.windows match {
      case Limited(limits) => limits.row(if (limits.byClock) clock else timestamp, gap, isEnd)
      case _               => NaiveRow(timestamp, timestamp, isEnd = false)
    }
    val taken = assigned(timestamp, row).map(joined(_, row)).filter(!isLate(_))
    taken.foreach(addTo(_, value))
    if (taken.isEmpty && isEventTime && timestamp + spec.lateness <= watermark) out :+= s"late $value"
  }

  // The window that `w` becomes a part of; only session windows grow.
  private def joined(w: Window, row: NaiveRow): Window = (spec.windows, w) match {
    case (Limited(limits), _) =>
      val (parts, session) = limits.join(live.flatMap(_.session), row, s => !isLate(TimeWindow(s.start, s.end)))
      val result           = TimeWindow(session.start, session.end)
      val merged           = live.filter(_.session.exists(parts.contains)).sortBy(_.session.fold(0L)(_.start))
      if (merged.nonEmpty) {
        live = live.filterNot(merged.contains)
        if (merged.map(_.window) == List(result)) live :+= merged.head.copy(session = Some(session))
        else
          live :+= Live(
            result,
            merged.flatMap(_.elements),
            merged.map(_.count).sum,
            endTimer(result).toSet,
            Some(session)
          )
      } else if (!isLate(result)) live :+= Live(result, Nil, 0, Set.empty, Some(session))
      result
    case (Sessions(_), own: TimeWindow) =>
      val touched = live.collect { case l @ Live(other: TimeWindow, _, _, _, _) if own.intersects(other) => other -> l }
      val result  = touched.map(_._1).foldLeft(own)(_ cover _)
      if (touched.nonEmpty && !touched.exists(_._1 == result)) {
        val parts = touched.sortBy(_._1.start).map(_._2)
        live = live.filterNot(parts.contains) :+
          Live(result, parts.flatMap(_.elements), parts.map(_.count).sum, endTimer(result).toSet)
      }
      result
    case _ => w
  }

  // The trigger's timer at the end of a window, if that lies ahead.
  private def endTimer(w: Window): Option[Timer] = spec.trigger match {
    case ByWatermark if w.maxTimestamp > watermark => Some(Timer(byWatermark = true, w.maxTimestamp))
    case ByClock if w.maxTimestamp > clock         => Some(Timer(byWatermark = false, w.maxTimestamp))
    case _                                         => None
  }

  private def find(w: Window): Live = live.find(_.window == w).getOrElse(Live(w, Nil, 0, Set.empty))
  private def put(l: Live): Unit    = live = live.filterNot(_.window == l.window) :+ l

  private def addTo(w: Window, value: String): Unit = {
    val l = find(w)
    put(l.copy(elements = l.elements :+ value, count = l.count + 1))
    spec.trigger match {
      case ByWatermark if w.maxTimestamp <= watermark => fire(w)
      case ByCount(n) if l.count + 1 >= n             =>
        put(find(w).copy(count = 0))
        fire(w)
      case _ => ()
    }
    val trigger = spec.trigger match {
      case ByClock => Some(Timer(byWatermark = false, w.maxTimestamp))
      case _       => endTimer(w)
    }
    val now = find(w)
    put(now.copy(timers = now.timers ++ trigger ++ cleanup(w)))
  }

  private def fire(w: Window): Unit = {
    val l = find(w)
    if (l.elements.nonEmpty) {
      def evict(elements: List[String]) = spec.keepNewest.fold(elements)(n => elements.takeRight(n.max(0).toInt))
      val seen                          = if (spec.evictAfter) l.elements else evict(l.elements)
      val left                          = if (spec.evictAfter) evict(seen) else seen
      out :+= s"fire $w ${seen.mkString(" ")}".trim
      put(l.copy(elements = if (spec.purging) Nil else left))
    }
  }

  def advanceWatermark(time: Long): Unit = {
    watermark = time
    fireTimers(byWatermark = true, time)
  }

  def advanceClock(time: Long): Unit = {
    clock = time
    fireTimers(byWatermark = false, time)
  }

  private def fireTimers(byWatermark: Boolean, limit: Long): Unit = {
    val due = for {
      l     <- live
      timer <- l.timers if timer.byWatermark == byWatermark && timer.time <= limit
    } yield (timer.time, bounds(l.window), timer, l.window)
    due.sortBy(d => (d._1, d._2)).headOption.foreach { case (_, _, timer, w) =>
      val l = find(w)
      put(l.copy(timers = l.timers - timer))
      spec.trigger match {
        case ByWatermark if byWatermark && timer.time == w.maxTimestamp => fire(w)
        case ByClock if !byWatermark                                    => fire(w)
        case _                                                          => ()
      }
      if (cleanup(w).contains(timer)) {
        live = live.filterNot(_.window == w)
        out :+= s"cleared $w"
      }
      fireTimers(byWatermark, limit)
    }
  }

  private def bounds(w: Window): (Long, Long) = w match {
    case GlobalWindow           => (Long.MinValue, Long.MinValue)
    case TimeWindow(start, end) => (start, end)
  }
}
