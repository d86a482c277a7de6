package dev.sparkwindowing.spark.task

import dev.sparkwindowing.operator.StateCell
import dev.sparkwindowing.spark.checkpoint.StateChange
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Attribute, UnsafeRow}
import org.apache.spark.sql.catalyst.types.DataTypeUtils
import org.apache.spark.sql.execution.GroupedIterator

/** The operations of a state store that a task needs: one row per key. Returned rows and keys may be reused buffers. */
private[sparkwindowing] trait KeyStore {
  def get(key: UnsafeRow): UnsafeRow
  def put(key: UnsafeRow, row: UnsafeRow): Unit
  def remove(key: UnsafeRow): Unit
  def scan(visit: (UnsafeRow, UnsafeRow) => IterableOnce[InternalRow]): Iterator[InternalRow]
}

/** One partition of one micro-batch: first the keys with rows, then those with due timers. */
private[sparkwindowing] final class StoreTask(
    task: WindowTask,
    keyColumns: Seq[Attribute],
    columns: Seq[Attribute],
    sortsRows: Boolean,
    store: KeyStore,
    batch: StreamBatch,
    sizes: StateSizes
) {
  val counters: TaskCounters = task.counters
  var updatedKeys            = 0L
  var removedKeys            = 0L

  private[this] val numbered = new NumberedRows(DataTypeUtils.fromAttributes(columns))
  private[this] val cell     = new Cell
  private[this] var earliest = StateCell.NoTimer

  // Timers up to these times have fired when a key is saved; those left there wait for the next advance.
  private[this] var firedWatermark      = batch.watermark
  private[this] var firedProcessingTime = batch.dueProcessingTime

  /** The earliest remaining processing-time timer, known after `dueTimers`. */
  def earliestProcessingTimer: Option[Long] = Some(earliest).filter(_ != StateCell.NoTimer)

  /** Takes over the state of all keys from another specification. Timers that come due with this micro-batch have not
    * fired yet.
    */
  def resume(change: StateChange): Unit = {
    firedUpTo(batch.previousWatermark, Long.MinValue)
    store
      .scan { (key, row) =>
        task.resume(key, cell.of(key, row), change.newTrigger)
        Nil
      }
      .foreach(_ => ())
    firedUpTo(batch.watermark, batch.dueProcessingTime)
  }

  /** Takes all rows, sorted by key. Those of a key are in order already, or are sorted by number here. */
  def rows(input: Iterator[InternalRow]): Iterator[InternalRow] =
    GroupedIterator(input, keyColumns, columns).flatMap { case (key, group) =>
      val keyRow = key.asInstanceOf[UnsafeRow]
      task.run(keyRow, if (sortsRows) numbered.of(group) else group, cell.of(keyRow, store.get(keyRow)))
    }

  /** Fires the due timers of keys without rows. Reads a few numbers of every key's row and decodes only those that are
    * due.
    */
  def dueTimers(): Iterator[InternalRow] = store.scan { (key, row) =>
    if (batch.isEventTimerDue(StateRow.eventTimer(row)) || batch.isProcessingTimerDue(StateRow.processingTimer(row))) {
      val produced = task.run(key, Iterator.empty, cell.of(key, row))
      if (cell.current != null) remember(cell.current)
      produced
    } else {
      remember(row)
      Nil
    }
  }

  private[this] def firedUpTo(watermark: Long, processingTime: Long): Unit = {
    firedWatermark = watermark
    firedProcessingTime = processingTime
  }

  private[this] def remember(row: UnsafeRow): Unit = {
    StateRow.count(row, counters)
    earliest = math.min(earliest, StateRow.processingTimer(row))
  }

  private[this] final class Cell extends StateCell {
    private[this] val writer         = new StateRow.Writer
    private[this] var key: UnsafeRow = _

    /** The key's current row, null if it has none. */
    var current: UnsafeRow = _

    def of(key: UnsafeRow, row: UnsafeRow): this.type = {
      this.key = key
      current = row
      this
    }

    def block: Array[Byte]      = if (current == null) null else StateRow.block(current)
    def watermark: Long         = batch.watermark
    def previousWatermark: Long = batch.previousWatermark
    def processingTime: Long    = batch.processingTime
    def dueProcessingTime: Long = batch.dueProcessingTime

    def save(
        block: Array[Byte],
        nextEventTimer: Long,
        nextProcessingTimer: Long,
        windows: Int,
        eventTimers: Int,
        processingTimers: Int
    ): Unit = {
      if (sizes.isLarge(block.length)) sizes.check(block.length, key, task.keyText, task.largestShare)
      val event      = StateRow.behind(nextEventTimer, firedWatermark)
      val processing = StateRow.behind(nextProcessingTimer, firedProcessingTime)
      current = writer(block, event, processing, windows, eventTimers, processingTimers)
      store.put(key, current)
      updatedKeys += 1
    }

    def remove(): Unit = {
      if (current != null) {
        store.remove(key)
        removedKeys += 1
      }
      current = null
    }
  }
}
