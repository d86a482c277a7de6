package dev.sparkwindowing.lateness

import dev.sparkwindowing.operator.{PaneTiming, StateCell}
import dev.sparkwindowing.spark.plan.WindowProgram
import dev.sparkwindowing.spark.task.{OutputRows, ProgramInTask, TaskWatcher, WindowTask}
import dev.sparkwindowing.windows.{TimeWindow, Window}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{UnsafeProjection, UnsafeRow}
import org.apache.spark.unsafe.types.UTF8String

import scala.collection.mutable

/** The keys of a partition, one after the other, through the micro-batches in which they have rows or timers.
  *
  * @param rows
  *   sorted by key, then in the order in which they came; the number of the micro-batch is behind their columns
  */
private[lateness] final class ReplayedKeys(
    program: WindowProgram,
    batches: ReplayedBatches,
    rows: Iterator[InternalRow]
) {
  private[this] val types   = program.input.types
  private[this] val toKey   = UnsafeProjection.create(types.take(program.input.keyCount))
  private[this] val laidOut = UnsafeProjection.create(types)
  private[this] val left    = rows.buffered
  private[this] val counts  = new ReplayCounts(batches.size)
  private[this] val open    = mutable.HashMap.empty[Window, Firings]
  private[this] val cell    = new ReplayCell
  private[this] var key     = new UnsafeRow(program.input.keyCount)
  private[this] var place   = -1

  private[this] val task = new WindowTask(
    new ProgramInTask(program, types.length),
    rowsFirst = false,
    new TaskWatcher {
      override def fired(window: Window, timing: PaneTiming): Unit =
        open.getOrElseUpdate(window, new Firings(batches.clock(place))).count(batches.clock(place))
      override def late(reason: UTF8String, missed: Option[Window]): Unit =
        if (reason == OutputRows.NoEventTime) counts.untimed += 1 else counts.lost += 1
      override def cleared(window: Window): Unit = open.remove(window).foreach(ended(window, _))
    }
  )

  def run(): ReplayCounts = {
    while (left.hasNext) {
      key = toKey(left.head).copy()
      place = -1
      cell.remove()
      while (isNextPlace()) step()
      open.foreach { case (window, firings) => ended(window, firings) }
      open.clear()
    }
    counts
  }

  private[this] def step(): Unit = {
    val before = cell.bytes
    task.run(key, rowsOfPlace, cell).foreach(_ => ())
    counts.states(place) += cell.bytes - before
  }

  // The next micro-batch in which the key has rows, or a timer is due.
  private[this] def isNextPlace(): Boolean = {
    val from    = place + 1
    val ofRows  = if (isOfKey) placeOfHead else batches.size
    val ofEvent =
      if (cell.nextEventTimer == StateCell.NoTimer) batches.size else batches.reaching(cell.nextEventTimer, from)
    val ofClock =
      if (cell.nextProcessingTimer == StateCell.NoTimer) batches.size
      else batches.passing(cell.nextProcessingTimer, from)
    place = math.min(ofRows, math.min(ofEvent, ofClock))
    place < batches.size
  }

  private[this] def isOfKey: Boolean = left.hasNext && toKey(left.head) == key

  private[this] def placeOfHead: Int = batches.placeOf(left.head.getLong(types.length))

  private[this] def rowsOfPlace: Iterator[InternalRow] = new Iterator[InternalRow] {
    def hasNext: Boolean    = isOfKey && placeOfHead == place
    def next(): InternalRow = {
      counts.rows += 1
      laidOut(left.next())
    }
  }

  private[this] def ended(window: Window, firings: Firings): Unit = window match {
    case TimeWindow(_, end) => counts.window(firings.number, firings.first - end, firings.last - end)
    case _                  => counts.window(firings.number, 0L, 0L)
  }

  // The times of the firings of a window.
  private final class Firings(val first: Long) {
    var last   = first
    var number = 0

    def count(clock: Long): Unit = {
      last = clock
      number += 1
    }
  }

  private final class ReplayCell extends StateCell {
    var block: Array[Byte]        = _
    var nextEventTimer: Long      = StateCell.NoTimer
    var nextProcessingTimer: Long = StateCell.NoTimer

    def bytes: Long                  = if (block == null) 0L else block.length.toLong
    def watermark: Long              = batches.watermark(place - 1)
    def previousWatermark: Long      = watermark
    override def nextWatermark: Long = batches.watermark(place)
    def processingTime: Long         = batches.clock(place)
    def dueProcessingTime: Long      = math.max(processingTime, Long.MinValue + 1) - 1

    def save(
        block: Array[Byte],
        nextEventTimer: Long,
        nextProcessingTimer: Long,
        windows: Int,
        eventTimers: Int,
        processingTimers: Int
    ): Unit = {
      this.block = block
      this.nextEventTimer = nextEventTimer
      this.nextProcessingTimer = nextProcessingTimer
    }

    def remove(): Unit = save(null, StateCell.NoTimer, StateCell.NoTimer, 0, 0, 0)
  }
}
