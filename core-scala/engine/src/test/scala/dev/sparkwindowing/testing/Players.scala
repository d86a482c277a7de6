package dev.sparkwindowing.testing

import dev.sparkwindowing.operator.{KeyedOperator, OperatorRules, Step, WindowOperator, WindowOutput}

import scala.collection.mutable

/** One way to play the steps of a scenario to an operator. */
trait Player {

  /** Plays steps that belong together: one, or the rows and the change of time of a micro-batch. */
  def play(steps: Seq[ScenarioStep]): Happened

  /** The timers that are set now, of all keys. */
  def timers: TimerCounts

  /** The watermark now, Long.MinValue before the first. */
  def watermark: Long
}

object Player {

  /** Steps that only [[CompoundPlayer]] knows. */
  def refuse(event: ScenarioEvent): Nothing = throw new IllegalStateException(s"nothing that an operator takes: $event")
}

/** Hands each step to an operator that stays on its key until a restore; with `alwaysRestore` there is one after every
  * step.
  */
final class SteadyPlayer[C <: AnyRef](
    over: WindowOutput[String, C] => KeyedOperator[String],
    kept: Kept[C],
    shown: Shown,
    alwaysRestore: Boolean
) extends Player {

  def this(rules: OperatorRules[String, C], kept: Kept[C], shown: Shown, alwaysRestore: Boolean) =
    this(new WindowOperator(rules, _), kept, shown, alwaysRestore)

  private[this] val out       = new Outputs(kept, shown)
  private[this] val operators = mutable.LinkedHashMap.empty[String, KeyedOperator[String]]
  private[this] var now       = Long.MinValue
  private[this] var clock     = Long.MinValue

  def watermark: Long = now

  def play(steps: Seq[ScenarioStep]): Happened = {
    steps.foreach(step => play(step.event))
    if (steps.exists(_.event.isInstanceOf[ScenarioEvent.Row])) foreach(_.endMicroBatch())
    if (alwaysRestore) play(ScenarioEvent.Restore)
    out.take()
  }

  private def play(event: ScenarioEvent): Unit = event match {
    case ScenarioEvent.Row(key, value, at, _, _) =>
      out.key = key
      operators.getOrElseUpdate(key, operator(null)).processElement(value, at)
    case ScenarioEvent.Watermark(time) =>
      now = time
      foreach(_.advanceWatermark(time, time))
    case ScenarioEvent.Clock(time) =>
      clock = time
      foreach(_.advanceProcessingTime(time, time))
    case ScenarioEvent.Restore => operators.keys.toList.foreach(k => operators(k) = operator(operators(k).close()))
    case other                 => Player.refuse(other)
  }

  private def foreach(f: KeyedOperator[String] => Unit): Unit = operators.foreach { case (key, operator) =>
    out.key = key
    f(operator)
  }

  private def operator(block: Array[Byte]): KeyedOperator[String] = {
    val operator = over(out)
    operator.open(block)
    operator.setWatermark(now)
    operator.setProcessingTime(clock)
    operator
  }

  def timers: TimerCounts = operators.values.foldLeft(TimerCounts(0, 0)) { (sum, o) =>
    TimerCounts(sum.event + o.eventTimerCount, sum.clock + o.processingTimerCount)
  }
}

/** Runs the steps through [[Step]], a host's way, with cells in memory; wakes keys by the timers that they saved.
  *
  * A single step a call is an open and a close of the block around each event.
  */
final class BatchPlayer[C <: AnyRef](
    over: WindowOutput[String, C] => KeyedOperator[String],
    kept: Kept[C],
    shown: Shown,
    rowsFirst: Boolean
) extends Player {
  private[this] val out      = new Outputs(kept, shown)
  private[this] val cells    = mutable.LinkedHashMap.empty[String, MemoryCell]
  private[this] val times    = mutable.Map.empty[String, Long]
  private[this] var operator = over(out)
  private[this] var now      = Long.MinValue
  private[this] var clock    = Long.MinValue

  def watermark: Long = now

  def play(steps: Seq[ScenarioStep]): Happened = {
    val previousWatermark = now
    steps.map(_.event).foreach {
      case ScenarioEvent.Watermark(time) => now = time
      case ScenarioEvent.Clock(time)     => clock = time
      case ScenarioEvent.Restore         => operator = over(out)
      case _: ScenarioEvent.Row          => ()
      case other                         => Player.refuse(other)
    }
    val rows = steps.map(_.event).collect { case r: ScenarioEvent.Row => r }
    rows.foreach(r => cells.getOrElseUpdate(r.key, new MemoryCell))
    for ((key, cell) <- cells) {
      cell.previousWatermark = previousWatermark
      cell.watermark = now
      cell.processingTime = clock
      val mine = rows.filter(_.key == key)
      if (mine.nonEmpty || cell.isDue) run(key, cell, mine)
    }
    out.take()
  }

  private def run(key: String, cell: MemoryCell, rows: Seq[ScenarioEvent.Row]): Unit = {
    out.key = key
    val iterator = rows.iterator.map { r =>
      times(r.value) = r.at
      r.value
    }
    new Step[String](operator, times.apply, rowsFirst).run(iterator, cell)
    cell.pieces.requireThoseOf(cell.block)
  }

  def timers: TimerCounts = cells.values.foldLeft(TimerCounts(0, 0)) { (sum, cell) =>
    operator.open(cell.block, cell.pieces)
    TimerCounts(sum.event + operator.eventTimerCount, sum.clock + operator.processingTimerCount)
  }
}
