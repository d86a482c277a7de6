package dev.sparkwindowing.simulation

import dev.sparkwindowing.operator.KeyedPlan
import dev.sparkwindowing.spark.plan.WindowProgram
import dev.sparkwindowing.state.WindowView
import dev.sparkwindowing.windows.{Millis, TimeWindow, Window, WindowCollector}

/** The windows of a key that take elements, from its state. */
private[simulation] object OpenWindows {

  /** @param views
    *   the state of the key, in order
    */
  def of(program: WindowProgram, views: Seq[WindowView]): Seq[Window] = program.plan match {
    case KeyedPlan.Over(windows, _, _, _, _, _) =>
      val kept = views.filter(_.elements.isDefined)
      kept.indices.filter(i => isOpen(program, kept(i))).map { i =>
        val start = if (windows.countsRows) firstOf(kept, i, windows.rows) else kept(i).start - windows.length
        TimeWindow(start, kept(i).end)
      }
    case _ => views.map(w => WindowCollector.window(w.start, w.end))
  }

  // Other timestamps are kept for the windows of later elements.
  private def isOpen(program: WindowProgram, w: WindowView): Boolean =
    w.eventTimers.exists(_ <= Millis.cleanupOf(w.start, program.plan.allowedLateness))

  // The time of the first of so many elements up to the last one of a timestamp.
  private def firstOf(kept: Seq[WindowView], last: Int, rows: Long): Long = {
    var first = last
    var count = kept(last).elements.getOrElse(0L)
    while (first > 0 && count < rows) {
      first -= 1
      count += kept(first).elements.getOrElse(0L)
    }
    kept(first).start
  }
}
