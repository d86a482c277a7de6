package dev.sparkwindowing.simulation

import dev.sparkwindowing.operator.KeyedPlan
import dev.sparkwindowing.spark.advice.Code
import dev.sparkwindowing.spark.plan.WindowProgram
import dev.sparkwindowing.spark.task.Failures
import dev.sparkwindowing.triggers.PurgingTrigger
import dev.sparkwindowing.windows.{GlobalWindow, TimeWindow, Window, WindowCollector}
import org.apache.spark.sql.catalyst.{CatalystTypeConverters, InternalRow}

import java.time.ZoneId

/** Answers why a row or a window of a run is in the results, or not, from the record of the run.
  *
  * @param notes
  *   of each element by number
  * @param keys
  *   after the last step
  * @param slowest
  *   of several inputs those that the watermark waits for
  * @param isStatic
  *   whether the steps are those of a static DataFrame, which its reader does not know
  */
private[simulation] final class WhyOfRun(
    program: WindowProgram,
    record: Trace,
    notes: Map[Int, ElementNote],
    keys: SimulatedKeys,
    slowest: Seq[Int],
    isStatic: Boolean,
    zone: ZoneId
) {
  import Why._

  private[this] val text = new WhyText(zone)
  private[this] val held = if (slowest.isEmpty) None else Some(s"input ${slowest.mkString(" and ")}")

  private[this] def waits(windows: KeyedPlan.Windowed[InternalRow]) = new WhyWaits(windows, keys.watermark, held, text)

  private[this] def plan: KeyedPlan.Windowed[InternalRow] = program.plan match {
    case windowed: KeyedPlan.Windowed[InternalRow] => windowed
    case _                                         =>
      throw new UnsupportedOperationException("why is asked of windows, and a function without windows has none")
  }

  def ofElement(number: Int): Why = {
    val windows = plan
    val note    = notes.getOrElse(
      number,
      throw new IllegalArgumentException(s"the run has the elements 0 to ${notes.size - 1}, got $number")
    )
    val late   = record.at(note.position).detail
    val since  = record.since(note.position).filter(_.key.contains(note.key))
    val facts  = windowsOf(windows, note, since).map(w => fact(windows, w, note.key, Some(note), since))
    val lateBy = late.flatMap(_ => note.time).filter(_ => note.watermark != Long.MinValue).map(note.watermark - _)
    val passed = Some(note.watermark).filter(_ != Long.MinValue)
    val time   = note.time.fold("no event time")(t => s"the event time ${text.time(t)}")
    val step   = s", and came in step ${note.step}${passed.fold("")(w => s", at the watermark ${text.time(w)}")}"
    val of     = if (program.output.keys.isEmpty) "" else s" of the key ${keyText(note.key)}"
    val came   = s"The row$of has $time${if (isStatic) "" else step}."
    val none   =
      if (facts.nonEmpty) Nil
      else
        Seq(
          if (note.time.isEmpty && windows.isEventTime) "Without an event time no window takes it."
          else "No window takes it."
        )
    new Why(
      note.time,
      passed,
      late,
      lateBy,
      facts,
      (came +: (none ++ facts.map(f => line(windows, f, Some(note))))).mkString("\n")
    )
  }

  def ofWindow(key: Seq[Any], asked: Window): Why = {
    val windows = plan
    val types   = program.output.keys.map(_.dataType)
    if (key.size != types.size)
      throw new IllegalArgumentException(s"the key has ${types.size} columns, got ${key.size} values")
    val constant = program.input.types.slice(types.size, program.input.keyCount).map(_ => 0)
    val row      = InternalRow.fromSeq(
      key.zip(types).map { case (value, t) => CatalystTypeConverters.createToCatalystConverter(t)(value) } ++ constant
    )
    val of     = keys.ownKey(row)
    val window = if (windows.clock.isEmpty) GlobalWindow else asked
    val since  = record.since(0).filter(_.key.contains(of))
    val found  = fact(windows, window, of, None, since)
    val rows   = notes.values.count(n => n.key == of && holds(windows, window)(n))
    val taken  = if (rows == 1) "1 row of the run belongs" else s"$rows rows of the run belong"
    new Why(
      None,
      None,
      None,
      None,
      Seq(found),
      s"${if (types.isEmpty) "" else s"The key ${keyText(of)}: "}$taken to this window.\n${line(windows, found, None)}"
    )
  }

  // The windows of an element: those that it was assigned to, as they are after merging.
  private[this] def windowsOf(
      windows: KeyedPlan.Windowed[InternalRow],
      note: ElementNote,
      since: Seq[TraceEvent]
  ): Seq[Window] = windows match {
    case _: KeyedPlan.Over[_] if record.at(note.position).detail.nonEmpty => record.at(note.position).window.toSeq
    case _: KeyedPlan.Over[_]                                             =>
      val seen = since.filter(e => e.kind == "fired" || e.kind == "open").flatMap(_.window)
      seen.filter(w => note.time.exists(isWithin(_, w))).distinct.sortBy(_.maxTimestamp)
    case _ if windows.assigner.isMerging && note.windows.nonEmpty =>
      val seen = since.filter(e => e.kind == "fired" || e.kind == "open").flatMap(_.window)
      Seq(seen.filter(w => note.time.forall(isWithin(_, w))).lastOption.getOrElse(note.windows.head))
    case _ => note.windows.sortBy(_.maxTimestamp)
  }

  private[this] def isWithin(time: Long, window: Window): Boolean = window match {
    case TimeWindow(start, end) => start <= time && time < end
    case GlobalWindow           => true
  }

  private[this] def holds(windows: KeyedPlan.Windowed[InternalRow], window: Window)(note: ElementNote): Boolean =
    windows match {
      case _: KeyedPlan.Over[_]            => note.time.exists(isWithin(_, window))
      case _ if windows.assigner.isMerging => note.windows.nonEmpty && note.time.forall(isWithin(_, window))
      case _                               => note.windows.contains(window)
    }

  private[this] def fact(
      windows: KeyedPlan.Windowed[InternalRow],
      window: Window,
      key: InternalRow,
      note: Option[ElementNote],
      since: Seq[TraceEvent]
  ): OfWindow = {
    // A session that has merged fired with other bounds before.
    def isIt(w: Window) = w == window || windows.assigner.isMerging && ((w, window) match {
      case (TimeWindow(s, e), TimeWindow(start, end)) =>
        start <= s && e <= end && note.flatMap(_.time).forall(isWithin(_, w))
      case _ => false
    })
    // By the clock, which can go back, the same window can begin anew.
    val (own, behind) = since.filter(_.window.exists(isIt)).span(_.kind != "cleared")
    val fired         = own.filter(_.kind == "fired")
    val purges        = windows.trigger.isInstanceOf[PurgingTrigger[_]] && note.nonEmpty
    val mayPurge      = windows.trigger.tree.exists(_.isInstanceOf[PurgingTrigger[_]])
    val firings       = (if (purges) fired.take(1) else fired).zipWithIndex.map { case (e, i) =>
      Firing(e.step, e.detail.getOrElse(""), windows.evictor.isEmpty && !(mayPurge && !purges && i > 0))
    }
    val isMissed = note.exists(n => windows.isEventTime && waits(windows).cleanup(window) <= n.watermark)
    val view     = keys.views(key).find(v => WindowCollector.window(v.start, v.end) == window)
    val isOpen   = behind.isEmpty && (windows match {
      case _: KeyedPlan.Windows[_] => view.nonEmpty
      case _                       => waits(windows).cleanup(window) > keys.watermark && holdsAny(windows, window, key)
    })
    val state =
      if (isMissed) "missed"
      else if (isOpen) "open"
      else if (fired.nonEmpty || holdsAny(windows, window, key)) "cleared"
      else "none"
    OfWindow(
      window,
      state,
      if (isMissed) Nil else firings,
      if (state == "open") Some(waits(windows).of(window, view.flatMap(_.processingTimers.headOption))) else None
    )
  }

  private[this] def holdsAny(windows: KeyedPlan.Windowed[InternalRow], window: Window, key: InternalRow): Boolean =
    notes.values.exists(n => n.key == key && record.at(n.position).detail.isEmpty && holds(windows, window)(n))

  private[this] def line(windows: KeyedPlan.Windowed[InternalRow], f: OfWindow, note: Option[ElementNote]): String = {
    val firings = f.firings.map { firing =>
      s"${firing.timing.replace('_', ' ')}${if (isStatic) "" else s" in step ${firing.step}"}${if (firing.isCertain) ""
        else maybe(windows)}"
    }
    val fired = if (firings.isEmpty) "it has not fired" else s"it fired ${firings.mkString(", ")}"
    val since = if (note.isEmpty || isStatic) "" else " since"
    f.state match {
      case "missed" =>
        val end    = waits(windows).cleanup(f.window)
        val needed = note.fold(0L)(n => n.watermark - f.window.maxTimestamp + 1)
        s"${text.window(f.window)}: it was cleaned up before, when the watermark reached ${text.time(end)}. With " +
          s"${Code.call(".allowed_lateness", Code.text(text.duration(needed)))} it would have taken the row"
      case "open"    => s"${text.window(f.window)}: $fired$since. It is open and waits for ${f.waitsFor.mkString}"
      case "cleared" => s"${text.window(f.window)}: $fired$since, and is cleaned up"
      case _         => s"${text.window(f.window)}: no row that was taken belongs to it"
    }
  }

  private[this] def maybe(windows: KeyedPlan.Windowed[InternalRow]): String =
    if (windows.evictor.nonEmpty) s", if ${windows.evictor.mkString} kept the row"
    else ", if no trigger had purged the row"

  private[this] def keyText(key: InternalRow): String = Failures.keyText(key, program.output)
}
