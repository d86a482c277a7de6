package dev.sparkwindowing.testing

import dev.sparkwindowing.assigners.WindowAssigner
import dev.sparkwindowing.contents.ElementList
import dev.sparkwindowing.operator.{OperatorRules, Step, WindowOperator}
import dev.sparkwindowing.triggers.Trigger

/** A key whose windows get other triggers and another lateness; its rows are their own timestamps. */
final class ResumedKey(assigner: WindowAssigner[String]) {
  val cell                               = new MemoryCell
  private val out                        = new Outputs(Kept.AsList)
  private var step: Step[String]         = _
  private var keptUnder: Trigger[String] = _

  def under(trigger: Trigger[String], lateness: Long): this.type = {
    val spec = OperatorRules[String, ElementList[String]](assigner, trigger, lateness, Kept.AsList.contents)
    step = new Step[String](new WindowOperator(spec, out), _.toLong, rowsFirst = false)
    if (cell.block != null) {
      cell.previousWatermark = cell.watermark
      step.resume(cell, if (keptUnder == trigger) None else keptUnder.spec.forgettable)
    }
    keptUnder = trigger
    this
  }

  def batch(watermark: Long, rows: Long*): Seq[String] = {
    cell.previousWatermark = cell.watermark
    cell.watermark = watermark
    run(rows)
  }

  def clock(time: Long, rows: Long*): Seq[String] = {
    cell.previousWatermark = cell.watermark
    cell.processingTime = time
    run(rows)
  }

  private def run(rows: Seq[Long]): Seq[String] = {
    step.run(rows.iterator.map(_.toString), cell)
    val all = out.take()
    all.fires.map(_.trim) ++ all.late.map("late" + _) ++ all.cleared.map("cleared" + _)
  }
}
