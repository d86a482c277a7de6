package dev.sparkwindowing.simulation

import dev.sparkwindowing.operator.KeyedPlan
import dev.sparkwindowing.spark.advice.Code
import dev.sparkwindowing.spark.plan.WindowProgram
import dev.sparkwindowing.spark.task.Failures
import dev.sparkwindowing.windows.{GlobalWindow, Millis, Window, WindowCollector}
import org.apache.spark.sql.catalyst.InternalRow

/** Answers why a row or a window of a run is in the results, or not, from the record of the run.
  *
  * @param notes
  *   of each element by number
  * @param slowest
  *   of several inputs those that the watermark waits for, by name or number
  * @param isStatic
  *   whether the run is that of a static DataFrame, which has no steps, and no open windows at its end
  */
private[simulation] final class WhyOfRun(
    program: WindowProgram,
    record: Trace,
    notes: Map[Int, ElementNote],
    end: RunEnd,
    slowest: Seq[String],
    isStatic: Boolean,
    text: WhyText
) {
  import Why._

  private[this] lazy val plan    = WhyPlan.of(program)
  private[this] lazy val members = new WhyMembers(plan)
  private[this] lazy val waits   = {
    val held = if (slowest.isEmpty) None else Some(s"input ${slowest.mkString(" and ")}")
    new WhyWaits(plan, end.watermark, held, text)
  }

  def ofElement(number: Int): Why = {
    val asked = plan
    val note  = notes.getOrElse(
      number,
      throw new IllegalArgumentException(s"the run has the elements 0 to ${notes.size - 1}, got $number")
    )
    val came    = record.at(note.position)
    val late    = came.detail
    val missed  = late.map(_ => came.window)
    val since   = record.since(note.position).filter(_.key.contains(note.key))
    val facts   = members.windowsOf(note, missed, since).map(w => fact(w, note.key, Some(note), since))
    val passed  = Some(note.watermark).filter(_ != Long.MinValue)
    val lateBy  = for (_ <- late; time <- note.time; watermark <- passed) yield watermark - time
    val nowhere =
      if (facts.nonEmpty) Nil
      else if (note.time.isEmpty && asked.isEventTime) Seq("Without an event time no window takes it.")
      else if (late.nonEmpty) Seq(s"It was late by ${Millis.show(lateBy.getOrElse(0L))}, and no window takes it.")
      else Seq("No window takes it.")
    val said = (arrival(note, passed) +: nowhere) ++ facts.map(line(_, Some(note)))
    new Why(note.time, passed, late, lateBy, facts, said.mkString("\n"))
  }

  private[this] def arrival(note: ElementNote, watermark: Option[Long]): String = {
    val time = note.time.fold("no event time")(t => s"the event time ${text.time(t)}")
    val step = s", and came in step ${note.step}${watermark.fold("")(w => s", at the watermark ${text.time(w)}")}"
    val of   = if (program.output.keys.isEmpty) "" else s" of the key ${keyText(note.key)}"
    s"The row$of has $time${if (isStatic) "" else step}."
  }

  def ofWindow(key: Seq[Any], asked: Window): Why = {
    val window = if (plan.clock.isEmpty) GlobalWindow else asked
    val of     = end.ownKey(WhyKey.of(program, key))
    val since  = record.since(0).filter(_.key.contains(of))
    val found  = fact(window, of, None, since)
    val rows   = taken.count(n => n.key == of && members.isIn(n, window))
    val shown  = if (key.isEmpty) "" else s"The key ${keyText(of)}: "
    val count  = if (found.state == "none") 0 else rows
    val were   = if (count == 1) "1 row was taken" else s"$count rows were taken"
    new Why(None, None, None, None, Seq(found), s"$shown$were into this window.\n${line(found, None)}")
  }

  private[this] def taken = notes.values.filter(n => record.at(n.position).detail.isEmpty)

  private[this] def fact(
      window: Window,
      key: InternalRow,
      note: Option[ElementNote],
      since: Seq[TraceEvent]
  ): OfWindow = {
    // By the clock, which can go back, the same window can begin anew.
    val (own, behind) = since.filter(e => e.kind != "open" && members.isOf(e, window, note)).span(_.kind != "cleared")
    val firings       = members.firings(own.filter(_.kind == "fired"), note.nonEmpty)
    val isMissed      = note.exists(n => record.at(n.position).detail.nonEmpty || isLate(n, window))
    val view          = end.views(key).find(v => WindowCollector.window(v.start, v.end) == window)
    val isOpen        = !isStatic && behind.isEmpty && (plan match {
      case _: KeyedPlan.Windows[_] => view.nonEmpty
      case _: KeyedPlan.Over[_]    => members.openIn(since).contains(window)
      case _                       => waits.cleanup(window) > end.watermark && hasRows(window, key)
    })
    val state =
      if (isMissed) "missed"
      else if (isOpen) "open"
      else if (firings.nonEmpty || behind.nonEmpty || isFixed && hasRows(window, key) || note.nonEmpty) "cleared"
      else "none"
    val waiting = if (state == "open") Some(waits.of(window, view)) else None
    OfWindow(window, state, if (isMissed) Nil else firings, waiting)
  }

  private[this] def isLate(note: ElementNote, window: Window) =
    plan.isEventTime && waits.cleanup(window) <= note.watermark

  private[this] def isFixed = !plan.assigner.isMerging && !plan.isInstanceOf[KeyedPlan.Over[_]]

  private[this] def hasRows(window: Window, key: InternalRow): Boolean =
    taken.exists(n => n.key == key && members.isIn(n, window))

  private[this] def line(f: OfWindow, note: Option[ElementNote]): String = {
    val firings = f.firings.map { firing =>
      val step = if (isStatic) "" else s" in step ${firing.step}"
      s"${firing.timing.replace('_', ' ')}$step${if (firing.isCertain) "" else maybe}"
    }
    val fired = if (firings.isEmpty) "it has not fired" else s"it fired ${firings.mkString(", ")}"
    val since = if (note.isEmpty || isStatic) "" else " since"
    val ended = if (isStatic && firings.isEmpty) "the input has ended" else "is cleaned up"
    f.state match {
      case "missed" =>
        val needed = note.fold(0L)(n => n.watermark - f.window.maxTimestamp + 1)
        s"${text.window(f.window)}: it was cleaned up before, when the watermark reached " +
          s"${text.time(waits.cleanup(f.window))}. With ${Code.call(".allowed_lateness", Code.text(text.duration(needed)))} it " +
          "would have taken the row"
      case "open"    => s"${text.window(f.window)}: $fired$since. It is open and waits for ${f.waitsFor.mkString}"
      case "cleared" => s"${text.window(f.window)}: $fired$since, and $ended"
      case _         => s"${text.window(f.window)}: no row that was taken belongs to a window of these bounds"
    }
  }

  private[this] def maybe: String =
    if (plan.evictor.nonEmpty) s", if ${plan.evictor.mkString} kept the row"
    else if (plan.trigger.purges) s", if ${plan.trigger} had not purged the row"
    else ", if the session has the row"

  private[this] def keyText(key: InternalRow): String = Failures.keyText(key, program.output)
}
