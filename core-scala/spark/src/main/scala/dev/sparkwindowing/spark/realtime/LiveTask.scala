package dev.sparkwindowing.spark.realtime

import dev.sparkwindowing.operator.StateCell
import dev.sparkwindowing.pieces.PieceStore
import dev.sparkwindowing.spark.checkpoint.StateRow
import dev.sparkwindowing.spark.plan.{RealTimeMode, StateStoreRules}
import dev.sparkwindowing.spark.task.{CompletedIterator, StateSizes, StorePieces, TaskCounters, TimerQueue, WindowTask}
import dev.sparkwindowing.state.KeyStateCodec
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Attribute, UnsafeProjection, UnsafeRow}
import org.apache.spark.sql.execution.streaming.state.StateStore

/** One partition of one long micro-batch in real-time mode: rows one by one as they come, and timers as the watermark
  * and the clock advance.
  *
  * @param keyColumns
  *   of `columns`
  * @param columns
  *   of the rows
  * @param inBand
  *   the same, with the watermarks of the source tasks
  * @param isNumbered
  *   whether the operator's rows have a number as their last column
  * @param keys
  *   those in memory
  * @param version
  *   version of the state that the store has loaded
  * @param memory
  *   timers and watermarks that the partition had at the end of that version, if there are some
  * @param sparks
  *   the watermark of the micro-batch, in the engine's terms
  * @param clock
  *   milliseconds
  */
private[spark] final class LiveTask(
    task: WindowTask,
    keyColumns: Seq[Attribute],
    columns: Seq[Attribute],
    inBand: InBandColumns,
    isNumbered: Boolean,
    store: StateStore,
    rules: StateStoreRules,
    keys: LiveKeys,
    version: Long,
    memory: LiveMemory,
    sparks: Long,
    sizes: StateSizes,
    mode: RealTimeMode,
    clock: () => Long
) {
  private[this] val counters = task.counters

  private[this] val index = memory.index
  private[this] val cell  = new Cell
  private[this] val toKey = UnsafeProjection.create(keyColumns, columns)
  private[this] val input = inBand.input(isNumbered)

  memory.begin(version, sparks)(fillIndex())

  private[this] var current = memory.watermark
  // At the start all that is due has yet to fire.
  private[this] var previous = Long.MinValue
  private[this] var now      = clock()

  /** Reads a few numbers of every key's row. */
  private[this] def fillIndex(): Unit = {
    counters.timerIndexRebuilds += 1
    store.iterator().filter(pair => !StateRow.isPiece(pair.value)).foreach(pair => index.add(pair.key, pair.value))
  }

  /** The watermark, `Long.MinValue` before the first. */
  def watermark: Long = current

  def updatedKeys: Long = keys.written
  def removedKeys: Long = keys.removed

  /** Rows of the store with parts of keys. */
  def pieces: Long = index.sums.pieces

  /** Takes all rows. A result is valid until more are asked for. */
  def rows(all: Iterator[InternalRow]): Iterator[InternalRow] = due() ++ all.flatMap { row =>
    now = clock()
    if (inBand.isWatermark(row)) told(row) else element(row)
  }

  private[this] def element(row: InternalRow): Iterator[InternalRow] = {
    val entry = keys.of(toKey(row))
    previous = current
    task.run(entry.key, Iterator.single(input(row)), cell.of(entry))
  }

  private[this] def told(row: InternalRow): Iterator[InternalRow] = {
    val before = current
    current = memory.told(inBand.task(row), inBand.tasks(row), inBand.watermark(row), mode)
    // Timers of processing time alone see no watermark that rises.
    if (current > before) {
      previous = before
      due()
    } else {
      previous = current
      dueOf(index.processingTimers, now - 1, StateRow.processingTimer)
    }
  }

  private[this] def due(): Iterator[InternalRow] =
    dueOf(index.eventTimers, current, StateRow.eventTimer) ++
      dueOf(index.processingTimers, now - 1, StateRow.processingTimer)

  private[this] def dueOf(timers: TimerQueue, until: Long, timerOf: UnsafeRow => Long): Iterator[InternalRow] =
    Iterator.continually(timers.headTime).takeWhile(_ <= until).flatMap { _ =>
      val entry = keys.of(timers.poll())
      new CompletedIterator(
        if (isDue(entry.row)) task.run(entry.key, Iterator.empty, cell.of(entry)) else Iterator.empty,
        () => if (entry.row != null) index.add(timers, entry.key, timerOf(entry.row))
      )
    }

  private[this] def isDue(row: UnsafeRow): Boolean =
    row != null && (StateRow.eventTimer(row) <= current || StateRow.processingTimer(row) < now)

  /** The counters, with what there is now. */
  def measured: TaskCounters = {
    index.sums.report(counters)
    counters.timerIndexBytes = index.bytes
    counters
  }

  /** Writes what is left, at the end of the micro-batch. */
  def finish(): Unit = {
    keys.flush()
    memory.complete(version + 1)
  }

  private[this] final class Cell extends StateCell {
    private[this] val writer = new StateRow.Writer
    private[this] val stored = rules.pieces.map(new StorePieces(store, keyColumns.size, _, () => ())).orNull
    private[this] var entry: LiveKeys.Entry = _

    def of(entry: LiveKeys.Entry): this.type = {
      this.entry = entry
      this
    }

    override def pieces: PieceStore = if (stored == null) null else stored.of(entry.key)

    def block: Array[Byte]      = if (entry.row == null) null else StateRow.block(entry.row)
    def watermark: Long         = current
    def previousWatermark: Long = previous
    def processingTime: Long    = now
    def dueProcessingTime: Long = now - 1

    def save(
        block: Array[Byte],
        nextEventTimer: Long,
        nextProcessingTimer: Long,
        windows: Int,
        eventTimers: Int,
        processingTimers: Int
    ): Unit = {
      val bytes = block.length + KeyStateCodec.pieceBytes(block)
      if (sizes.isLarge(bytes)) sizes.check(bytes, entry.key, task.keyText, task.largestShare)
      val event      = StateRow.behind(nextEventTimer, current)
      val processing = StateRow.behind(nextProcessingTimer, now - 1)
      val before     = entry.row
      val after      = writer(block, event, processing, windows, eventTimers, processingTimers)
      index.replace(entry.key, before, after)
      keys.set(entry, after)
    }

    def remove(): Unit = if (entry.row != null) {
      index.remove(entry.row)
      keys.set(entry, null)
    }
  }
}
