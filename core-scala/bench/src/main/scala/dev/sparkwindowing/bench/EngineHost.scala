package dev.sparkwindowing.bench

import dev.sparkwindowing.assigners.WindowAssigner
import dev.sparkwindowing.codec.{BlockReader, BlockWriter, ValueCodec}
import dev.sparkwindowing.contents.AccumulatorContents
import dev.sparkwindowing.operator.{Pane, StateCell, Step, WindowOperator, WindowOutput, WindowSpec}
import dev.sparkwindowing.windows.Window

/** An element: what a row is in Spark. */
final class Row(val value: Long, val time: Long)

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

/** Runs the engine over rounds of a stream in micro-batches: rows sorted by key, one step a key and batch.
  *
  * @param seconds
  *   event time of one batch, which is also the number of rows of an active key
  */
final class EngineHost(stream: Stream, assigner: WindowAssigner[Any], seconds: Int) {
  private[this] var fired    = 0
  private[this] val operator = new WindowOperator[Row, Sum](
    WindowSpec[Row, Sum](assigner, assigner.defaultTrigger, 0L, SumContents),
    new WindowOutput[Row, Sum] {
      def fire(window: Window, contents: Sum, pane: Pane): Unit             = fired += 1
      def late(element: Row, timestamp: Long, missed: Option[Window]): Unit = ()
      def cleared(window: Window): Unit                                     = ()
    }
  )
  private[this] val step  = new Step[Row](operator, _.time, rowsFirst = false)
  private[this] val cells = new java.util.HashMap[java.lang.Long, Cell]
  private[this] val keys  = Array.tabulate(Stream.Keys)(k => java.lang.Long.valueOf(k.toLong))
  private[this] val order =
    (0 until stream.size).sortBy(i => (stream.time(i) / (seconds * 1000), stream.key(i))).toArray
  private[this] val rows     = new Rows
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
    var k  = 0
    while (k < keys.length) {
      var until = at
      while (until < order.length && stream.key(order(until)) == k && stream.time(order(until)) < endTime) until += 1
      val known = cells.get(keys(k))
      if (until > at || (known != null && known.next <= watermark)) {
        val cell = if (known == null) newCell(keys(k)) else known
        cell.watermark = watermark
        cell.previousWatermark = previous
        step.run(rows.over(at, until, shift), cell)
      }
      at = until
      k += 1
    }
    at
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

  private final class Rows extends Iterator[Row] {
    private[this] var at    = 0
    private[this] var until = 0
    private[this] var shift = 0L

    def over(at: Int, until: Int, shift: Long): this.type = {
      this.at = at
      this.until = until
      this.shift = shift
      this
    }
    def hasNext: Boolean = at < until
    def next(): Row      = {
      val i = order(at)
      at += 1
      new Row(stream.value(i), stream.time(i) + shift)
    }
  }
}
