package dev.sparkwindowing.spark.task

import dev.sparkwindowing.operator.StateCell
import dev.sparkwindowing.pieces.PieceStore
import dev.sparkwindowing.spark.checkpoint.{StateChange, StateRow}
import dev.sparkwindowing.spark.plan.StateStoreRules
import dev.sparkwindowing.state.KeyStateCodec
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Attribute, UnsafeRow}
import org.apache.spark.sql.catalyst.types.DataTypeUtils
import org.apache.spark.sql.execution.GroupedIterator
import org.apache.spark.sql.execution.streaming.state.{StateStore, UnsafeRowPair}

/** One partition of one micro-batch: first the keys with rows, then those with due timers.
  *
  * @param store
  *   one row per key, and one per piece of a key. It copies the rows that it is given, and returns rows and keys in
  *   buffers that it may reuse
  * @param rules
  *   what the store is known to do
  * @param version
  *   version of the state that the store has loaded
  * @param index
  *   the timers of the keys, if it holds for that version; else it is restored or filled
  * @param savedFrom
  *   number of keys from which on the state has a [[SavedIndex]]; 0 for never
  */
private[sparkwindowing] final class StoreTask(
    task: WindowTask,
    keyColumns: Seq[Attribute],
    columns: Seq[Attribute],
    sortsRows: Boolean,
    store: StateStore,
    rules: StateStoreRules,
    version: Long,
    index: TimerIndex,
    savedFrom: Long,
    batch: StreamBatch,
    sizes: StateSizes
) {
  val counters: TaskCounters      = task.counters
  var updatedKeys                 = 0L
  var removedKeys                 = 0L
  private[this] var indexRebuilds = 0L

  private[this] lazy val ownPieces =
    for (sizes <- rules.pieces; owner <- SavedIndex.owner(keyColumns.map(_.dataType)))
      yield new StorePieces(store, keyColumns.size, sizes, () => ()).of(owner)

  private[this] val numbered  = new NumberedRows(DataTypeUtils.fromAttributes(columns))
  private[this] val cell      = new Cell
  private[this] var earliest  = StateCell.NoTimer
  private[this] var isSaved   = false
  private[this] var isIndexed = isTaken() || isRestored()

  private[this] var previous = batch.previousWatermark

  // Timers up to these times have fired when a key is saved; those left there wait for the next advance.
  private[this] var firedWatermark      = batch.nextWatermark
  private[this] var firedProcessingTime = batch.dueProcessingTime

  /** Number of rows of the store that are not those of keys, known after `dueTimers`. */
  def otherRows: Long = index.sums.pieces + (if (isSaved) 1 else 0)

  /** No remaining processing-time timer is earlier; None if there is none. Known after `dueTimers`. */
  def earliestProcessingTimer: Option[Long] = Some(earliest).filter(_ != StateCell.NoTimer)

  private[this] def isTaken(): Boolean = {
    isSaved = index.isSaved
    index.take(version)
  }

  private[this] def isRestored(): Boolean = {
    val bytes = ownPieces.flatMap(pieces => Option(pieces.read(SavedIndex.Piece)))
    isSaved = bytes.isDefined
    !index.isAhead(version) && bytes.flatMap(SavedIndex.of).exists(index.restore(_, version))
  }

  /** Takes over the state of all keys from another specification. Timers that come due with this micro-batch have not
    * fired yet.
    */
  def resume(change: StateChange): Unit = {
    keys().foreach { pair =>
      // If the micro-batch before has fired what it completed, no timer is left up to the watermark of this one.
      val hasFired = StateRow.eventTimer(pair.value) > batch.watermark
      previous = if (hasFired) batch.watermark else batch.previousWatermark
      firedUpTo(previous, Long.MinValue)
      task.resume(pair.key, cell.of(pair.key, pair.value), change.forgotten)
    }
    previous = batch.previousWatermark
    firedUpTo(batch.nextWatermark, batch.dueProcessingTime)
  }

  /** Takes all rows, sorted by key. Those of a key are in order already, or are sorted by number here. */
  def rows(input: Iterator[InternalRow]): Iterator[InternalRow] =
    GroupedIterator(input, keyColumns, columns).flatMap { case (key, group) =>
      val keyRow = key.asInstanceOf[UnsafeRow]
      task.run(keyRow, if (sortsRows) numbered.of(group) else group, cell.of(keyRow, store.get(keyRow)))
    }

  /** Fires the due timers of keys without rows. */
  def dueTimers(): Iterator[InternalRow] = {
    isIndexed = isIndexed && index.fits &&
      index.isShorter(batch.dueEventTime, batch.dueProcessingTime, index.sums.rows)
    val produced = if (isIndexed) indexed() ++ scannedIfLost() else scanned()
    new CompletedIterator(produced, () => complete())
  }

  // An index that has become too large on the way has lost its entries.
  private[this] def scannedIfLost(): Iterator[InternalRow] = if (index.fits) Iterator.empty else scanned()

  // Reads a few numbers of every key's row and decodes only those that are due.
  private[this] def scanned(): Iterator[InternalRow] = {
    indexRebuilds += 1
    isIndexed = false
    earliest = StateCell.NoTimer
    index.clear()
    keys().flatMap { pair =>
      cell.of(pair.key, pair.value)
      if (isDue(pair.value))
        new CompletedIterator(task.run(pair.key, Iterator.empty, cell), () => noteScanned(pair.key))
      else {
        noteScanned(pair.key)
        Iterator.empty
      }
    }
  }

  // The rows of keys. A store that is sorted has all pieces behind them, which are not read.
  private[this] def keys(): Iterator[UnsafeRowPair] = {
    val all = store.iterator()
    if (rules.isSorted && StorePieces.areSorted(keyColumns.size)) all.takeWhile(pair => !StateRow.isPiece(pair.value))
    else all.filter(pair => !StateRow.isPiece(pair.value))
  }

  private[this] def noteScanned(key: UnsafeRow): Unit = if (cell.current != null) {
    index.add(key, cell.current)
    earliest = math.min(earliest, StateRow.processingTimer(cell.current))
  }

  // Reads the rows of keys that have an entry up to the times that are due.
  private[this] def indexed(): Iterator[InternalRow] =
    lookedUp(index.eventTimers, batch.dueEventTime, StateRow.eventTimer) ++
      lookedUp(index.processingTimers, batch.dueProcessingTime, StateRow.processingTimer)

  private[this] def lookedUp(timers: TimerQueue, due: Long, timerOf: UnsafeRow => Long): Iterator[InternalRow] =
    Iterator.continually(timers.headTime).takeWhile(_ <= due).flatMap { _ =>
      val key = timers.poll()
      new CompletedIterator(
        runIfDue(key),
        () => if (cell.current != null) index.add(timers, key, timerOf(cell.current))
      )
    }

  private[this] def runIfDue(key: UnsafeRow): Iterator[InternalRow] = {
    val row = store.get(key)
    cell.of(key, row)
    if (row != null && isDue(row)) task.run(key, Iterator.empty, cell) else Iterator.empty
  }

  private[this] def isDue(row: UnsafeRow): Boolean =
    StateRow.eventTimer(row) <= batch.dueEventTime || StateRow.processingTimer(row) <= batch.dueProcessingTime

  private[this] def complete(): Unit = {
    if (isIndexed) {
      earliest = earliestIndexed()
      scannedIfLost().foreach(_ => ()) // fires nothing, as all that was due has fired
    }
    index.complete(version + 1)
    save()
    index.sums.report(counters)
    counters.timerIndexBytes = index.bytes
    counters.timerIndexRebuilds = indexRebuilds
  }

  // A state with few keys is read faster than this would be written.
  private[this] def save(): Unit = {
    val saved = if (savedFrom > 0 && index.sums.rows >= savedFrom) index.saved(version + 1) else None
    if (isSaved || saved.isDefined) ownPieces.foreach(save(_, saved))
    index.isSaved = isSaved
  }

  private[this] def save(pieces: StorePieces, saved: Option[SavedIndex]): Unit = {
    if (saved.isEmpty && isSaved) pieces.remove(SavedIndex.Piece)
    // Skips a write that would be the only one of the partition: the older summary is void by its version.
    saved.filter(_ => rules.writesChanges || updatedKeys + removedKeys > 0).foreach { now =>
      pieces.write(SavedIndex.Piece, now.toBytes)
      isSaved = true
    }
    isSaved = isSaved && saved.isDefined
  }

  // The driver starts a micro-batch for it.
  private[this] def earliestIndexed(): Long = math.min(earliestEntry(), index.processingTimers.leastOthers)

  // The timer of a key, and not an entry that one has left behind.
  private[this] def earliestEntry(): Long = {
    val timers = index.processingTimers
    var time   = timers.headTime
    var isLeft = time != StateCell.NoTimer
    while (isLeft) {
      val key    = timers.poll()
      val row    = store.get(key)
      val actual = if (row == null) StateCell.NoTimer else StateRow.processingTimer(row)
      index.add(timers, key, actual)
      isLeft = actual != time && timers.headTime != StateCell.NoTimer
      time = timers.headTime
    }
    time
  }

  private[this] def firedUpTo(watermark: Long, processingTime: Long): Unit = {
    firedWatermark = watermark
    firedProcessingTime = processingTime
  }

  private[this] final class Cell extends StateCell {
    private[this] val writer = new StateRow.Writer
    private[this] val stored =
      rules.pieces.map(new StorePieces(store, keyColumns.size, _, () => keepCurrent())).orNull
    private[this] var key: UnsafeRow = _

    // False if `current` is a row of the store, which may use it again.
    private[this] var isKept = false

    /** The key's current row, null if it has none. */
    var current: UnsafeRow = _

    def of(key: UnsafeRow, row: UnsafeRow): this.type = {
      this.key = key
      current = row
      isKept = false
      this
    }

    override def pieces: PieceStore = if (stored == null) null else stored.of(key)

    private[this] def keepCurrent(): Unit = if (!isKept && current != null) {
      current = current.copy()
      isKept = true
    }

    def block: Array[Byte]           = if (current == null) null else StateRow.block(current)
    def watermark: Long              = batch.watermark
    def previousWatermark: Long      = previous
    override def nextWatermark: Long = batch.nextWatermark
    def processingTime: Long         = batch.processingTime
    def dueProcessingTime: Long      = batch.dueProcessingTime

    def save(
        block: Array[Byte],
        nextEventTimer: Long,
        nextProcessingTimer: Long,
        windows: Int,
        eventTimers: Int,
        processingTimers: Int
    ): Unit = {
      val bytes = block.length + KeyStateCodec.pieceBytes(block)
      if (sizes.isLarge(bytes)) sizes.check(bytes, key, task.keyText, task.largestShare)
      val event      = StateRow.behind(nextEventTimer, firedWatermark)
      val processing = StateRow.behind(nextProcessingTimer, firedProcessingTime)
      val before     = current
      current = writer(block, event, processing, windows, eventTimers, processingTimers)
      isKept = true
      if (isIndexed) index.replace(key, before, current)
      store.put(key, current)
      updatedKeys += 1
    }

    def remove(): Unit = {
      if (current != null) {
        if (isIndexed) index.remove(current)
        store.remove(key)
        removedKeys += 1
      }
      current = null
    }
  }
}
