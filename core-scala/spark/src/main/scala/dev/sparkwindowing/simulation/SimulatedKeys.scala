package dev.sparkwindowing.simulation

import dev.sparkwindowing.operator.{KeyedPlan, StateCell}
import dev.sparkwindowing.spark.plan.WindowProgram
import dev.sparkwindowing.spark.task.{ProgramInTask, WindowTask}
import dev.sparkwindowing.state.{KeyStateReader, WindowView}
import dev.sparkwindowing.triggers.TriggerContext
import dev.sparkwindowing.windows.Window
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{InterpretedOrdering, UnsafeProjection, UnsafeRow}

import scala.collection.mutable

/** The operator over all keys in memory: takes rows, and fires timers of all keys in order of (time, key).
  *
  * @param record
  *   records all events
  */
private[simulation] final class SimulatedKeys(program: WindowProgram, record: Trace) extends RunEnd {
  import SimulatedKeys._

  private[this] val keyTypes = program.input.types.take(program.input.keyCount)
  private[this] val toKey    = UnsafeProjection.create(keyTypes)
  private[this] val order    = InterpretedOrdering.forSchema(keyTypes.toSeq)
  private[this] val states   = mutable.LinkedHashMap.empty[UnsafeRow, KeyMemory]

  private[this] var key: UnsafeRow = _
  private[this] var current        = Long.MinValue
  private[this] var processingTime = Long.MinValue
  private[this] val task           =
    new WindowTask(new ProgramInTask(program, program.input.types.length), false, record.watching(() => key))
  private[this] val reader  = new KeyStateReader(program.plan.stateKind, program.plan.allowedLateness)
  private[this] val touched = mutable.LinkedHashSet.empty[UnsafeRow]

  private[this] def eventTimers: Int      = states.values.map(_.eventTimers).sum
  private[this] def processingTimers: Int = states.values.map(_.processingTimers).sum

  def keyOf(row: InternalRow): UnsafeRow = toKey(row).copy()

  /** Facts of a row that the operator takes next. */
  def note(row: InternalRow): ElementNote =
    ElementNote.of(program, record, keyOf(row), row, current, processingTime)

  def watermark: Long = current

  def views(key: InternalRow): Seq[WindowView] =
    states.get(toKey(key).copy()).filterNot(_.isEmpty).fold(Seq.empty[WindowView])(m => reader.read(m.block).windows)

  def ownKey(key: InternalRow): InternalRow = toKey(key).copy()

  /** Takes rows of one key, as a micro-batch. */
  def take(key: UnsafeRow, rows: Iterator[InternalRow]): Unit = {
    val time  = program.input.timeOrdinal
    val taken = rows.map { row =>
      record.took(key, if (row.isNullAt(time)) None else Some(row.getLong(time)))
      row
    }
    call(key, taken, current, Long.MinValue, Long.MinValue)
  }

  /** Ends a step, with these inputs idle. */
  def endStep(idle: Seq[Int]): Unit = {
    touched.foreach(k => record.left(k, states.get(k).fold(Seq.empty[Window])(m => openIn(m.block))))
    touched.clear()
    record.end(AfterStep(eventTimers, processingTimers, current, idle))
  }

  private[this] def openIn(block: Array[Byte]): Seq[Window] =
    OpenWindows.of(program, reader.read(block).windows)

  /** Advances both times, then fires due timers: event-time timers if the watermark has risen, then processing-time
    * timers if processing time was set.
    */
  def advance(newWatermark: Option[Long], newProcessingTime: Option[Long]): Unit = {
    val before = current
    newWatermark.foreach(w => current = math.max(current, w))
    newProcessingTime.foreach(processingTime = _)
    if (current > before) record.moved("watermark", current)
    newProcessingTime.foreach(record.moved("processing_time", _))
    if (current > before)
      fire(_.nextEventTimer, current)((k, due) => call(k, Iterator.empty, before, due, Long.MinValue))
    newProcessingTime.foreach { now =>
      fire(_.nextProcessingTimer, now)((k, due) => call(k, Iterator.empty, current, current, due))
    }
  }

  // One call for each time and key, so that a timer set meanwhile fires in order. Firings that repeat others of the
  // step are known within one call only, so then there is one call for each key.
  private[this] def fire(next: KeyMemory => Long, limit: Long)(call: (UnsafeRow, Long) => Unit): Unit = {
    var calls = 0
    var due   = earliest(next, limit)
    while (due.isDefined) {
      due.foreach { case (time, k) => call(k, if (program.collapsesFirings) limit else time) }
      // Windows without rows come to an end, however many they are.
      if (program.plan.emptyWindows.isEmpty) calls += 1
      if (calls > TriggerContext.MaxTimerCalls)
        throw new IllegalStateException(
          s"timers called $called at more than ${TriggerContext.MaxTimerCalls} times in one step: it would " +
            "fire without end. Use a longer interval, or a window that ends"
        )
      due = earliest(next, limit)
    }
    // Only the operator can tell the end of time from "no timer".
    if (limit == Long.MaxValue) states.keys.toSeq.sorted(order).foreach(call(_, limit))
  }

  private[this] def called: String = program.plan match {
    case windows: KeyedPlan.Windowed[_] => windows.trigger.toString
    case _                              => program.computation.specs.mkString(", ")
  }

  private[this] def earliest(next: KeyMemory => Long, limit: Long): Option[(Long, UnsafeRow)] =
    states.iterator
      .collect { case (k, memory) if next(memory) <= limit && next(memory) != StateCell.NoTimer => next(memory) -> k }
      .reduceOption((a, b) => if (a._1 < b._1 || a._1 == b._1 && order.lteq(a._2, b._2)) a else b)

  private[this] def call(
      k: UnsafeRow,
      input: Iterator[InternalRow],
      before: Long,
      dueEvent: Long,
      dueProcessing: Long
  ): Unit = {
    key = k
    touched += k
    record.begin()
    val memory = states.getOrElseUpdate(k, new KeyMemory)
    task
      .run(k, input, memory.cell(current, before, dueEvent, processingTime, dueProcessing))
      .foreach(row => record.put(row.copy()))
    if (memory.isEmpty) states.remove(k)
  }
}

private[simulation] object SimulatedKeys {

  /** State of a key between two events. */
  private final class KeyMemory {
    var block: Array[Byte]        = _
    var nextEventTimer: Long      = StateCell.NoTimer
    var nextProcessingTimer: Long = StateCell.NoTimer
    var eventTimers: Int          = 0
    var processingTimers: Int     = 0

    def isEmpty: Boolean = block == null

    def cell(newWatermark: Long, before: Long, dueEvent: Long, now: Long, dueProcessing: Long): StateCell =
      new StateCell {
        def block: Array[Byte]          = KeyMemory.this.block
        def watermark: Long             = newWatermark
        def previousWatermark: Long     = before
        override def dueEventTime: Long = dueEvent
        def processingTime: Long        = now
        def dueProcessingTime: Long     = dueProcessing
        def save(b: Array[Byte], event: Long, processing: Long, windows: Int, events: Int, processings: Int): Unit = {
          KeyMemory.this.block = b
          nextEventTimer = event
          nextProcessingTimer = processing
          eventTimers = events
          processingTimers = processings
        }
        def remove(): Unit = KeyMemory.this.block = null
      }
  }
}
