package dev.sparkwindowing.bench

import dev.sparkwindowing.assigners.WindowAssigner
import dev.sparkwindowing.codec.{BlockReader, BlockWriter, ValueCodec}
import dev.sparkwindowing.contents.AccumulatorContents
import dev.sparkwindowing.operator.{OperatorRules, PaneInfo, StateCell, Step, WindowOperator, WindowOutput}
import dev.sparkwindowing.windows.Window

/** An element: what a row is in Spark, where one object stands for one row after the other. */
final class Row(var value: Long, var time: Long)

/** A sum that is added to in place. */
final class Sum(var total: Long)

object SumContents
    extends AccumulatorContents[Row, Sum](
      new ValueCodec[Sum] {
        def write(value: Sum, out: BlockWriter): Unit = out.signed(value.total)
        def read(in: BlockReader): Sum                = new Sum(in.signed())
      }
    ) {
  def createAccumulator(): Sum         = new Sum(0)
  def add(sum: Sum, element: Row): Sum = {
    sum.total += element.value
    sum
  }
  def merge(kept: Sum, merged: Sum): Sum = {
    kept.total += merged.total
    kept
  }
}

/** Runs the engine over rounds of a stream in micro-batches.
  *
  * The rows of a batch come in the order of the stream and are gathered by key in a hash map, as numbers in an array of
  * each key; then each key with rows or due timers has one step, for which its block is looked up in another, decoded
  * and encoded.
  *
  * @param seconds
  *   event time of one batch, which is also the number of rows of an active key
  */
final class EngineHost(stream: Stream, assigner: WindowAssigner[Any], seconds: Int) {
  import EngineHost._

  private[this] var fired    = 0
  private[this] val operator = new WindowOperator[Row, Sum](
    OperatorRules[Row, Sum](assigner, assigner.defaultTrigger, 0L, SumContents),
    new WindowOutput[Row, Sum] {
      def fire(window: Window, contents: Sum, pane: PaneInfo): Unit         = fired += 1
      def late(element: Row, timestamp: Long, missed: Option[Window]): Unit = ()
      def cleared(window: Window): Unit                                     = ()
    }
  )
  private[this] val step     = new Step[Row](operator, _.time, rowsFirst = false)
  private[this] val cells    = new java.util.HashMap[java.lang.Long, Cell]
  private[this] val keys     = Array.tabulate(Stream.Keys)(k => java.lang.Long.valueOf(k.toLong))
  private[this] val batches  = new java.util.HashMap[java.lang.Long, Rows]
  private[this] val due      = new java.util.ArrayList[Cell]
  private[this] var round    = 0L
  private[this] var previous = Long.MinValue

  /** One round; the number of windows that fired. */
  def run(): Int = {
    fired = 0
    val start = round * Stream.Millis
    var at    = 0
    var batch = 0L
    while (batch < Stream.Millis / (seconds * 1000)) {
      // All rows of the batches before this one have come.
      val watermark = start + batch * seconds * 1000 - 1
      at = runBatch(at, (batch + 1) * seconds * 1000, start, watermark)
      previous = watermark
      batch += 1
    }
    round += 1
    fired
  }

  private def runBatch(from: Int, endTime: Long, shift: Long, watermark: Long): Int = {
    var at = from
    while (at < stream.size && stream.time(at) < endTime) {
      rowsOf(keys(stream.key(at))).append(stream.value(at), stream.time(at) + shift)
      at += 1
    }
    batches.forEach { (key, rows) =>
      if (rows.hasNext) {
        val known = cells.get(key)
        run(if (known == null) newCell(key) else known, rows, watermark)
        rows.clear()
      }
    }
    cells.forEach((_, cell) => if (cell.next <= watermark) due.add(cell))
    due.forEach(cell => run(cell, NoRows, watermark))
    due.clear()
    at
  }

  private def run(cell: Cell, rows: Iterator[Row], watermark: Long): Unit = {
    cell.watermark = watermark
    cell.previousWatermark = previous
    step.run(rows, cell)
  }

  private def rowsOf(key: java.lang.Long): Rows = {
    val known = batches.get(key)
    if (known != null) known
    else {
      val rows = new Rows
      batches.put(key, rows)
      rows
    }
  }

  private def newCell(key: java.lang.Long): Cell = {
    val cell = new Cell(key)
    cells.put(key, cell)
    cell
  }

  private final class Cell(key: java.lang.Long) extends StateCell {
    var block: Array[Byte]      = _
    var next: Long              = StateCell.NoTimer
    var watermark: Long         = Long.MinValue
    var previousWatermark: Long = Long.MinValue

    def processingTime: Long    = 0
    def dueProcessingTime: Long = 0

    def save(
        block: Array[Byte],
        nextEvent: Long,
        nextProcessing: Long,
        windows: Int,
        events: Int,
        clocks: Int
    ): Unit = {
      this.block = block
      next = nextEvent
    }
    def remove(): Unit = cells.remove(key)
  }
}

object EngineHost {
  private val NoRows: Iterator[Row] = Iterator.empty

  /** The rows of a key in a batch, read once; its array is kept from one batch to the next, and so is its row. */
  private final class Rows extends Iterator[Row] {
    private[this] val row     = new Row(0, 0)
    private[this] var numbers = new Array[Long](32)
    private[this] var at      = 0
    private[this] var end     = 0

    def append(value: Long, time: Long): Unit = {
      if (end == numbers.length) numbers = java.util.Arrays.copyOf(numbers, end * 2)
      numbers(end) = value
      numbers(end + 1) = time
      end += 2
    }
    def clear(): Unit = {
      at = 0
      end = 0
    }
    def hasNext: Boolean = at < end
    def next(): Row      = {
      row.value = numbers(at)
      row.time = numbers(at + 1)
      at += 2
      row
    }
  }
}
