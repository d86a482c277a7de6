package dev.sparkwindowing.bench

import dev.sparkwindowing.assigners.SlidingEventTimeWindows
import dev.sparkwindowing.codec.{BlockReader, BlockWriter}
import dev.sparkwindowing.contents.CopyableContents
import dev.sparkwindowing.operator.{
  OperatorRules,
  PaneInfo,
  SlicedOperator,
  StateCell,
  Step,
  WindowOperator,
  WindowOutput
}
import dev.sparkwindowing.triggers.EventTimeTrigger
import dev.sparkwindowing.windows.Window
import org.openjdk.jmh.annotations._

import java.time.Duration
import java.util.concurrent.TimeUnit

/** A sum over sliding windows of one key, by slices and by windows; nanoseconds an element.
  *
  * Elements lie 10 ms apart, 100 in a slide. A micro-batch brings some slides; the windows that end with it fire in the
  * next. The state is read and written once a micro-batch.
  */
@State(Scope.Thread)
@BenchmarkMode(Array(Mode.AverageTime))
@OutputTimeUnit(TimeUnit.NANOSECONDS)
class SlidingBench {
  import SlidingBench._

  /** Size / slide: the windows that an element is in. */
  @Param(Array("1", "6", "60", "600")) var overlap: Int = _

  @Param(Array("slices", "windows")) var by: String = _

  @Param(Array("1", "100")) var slidesInBatch: Int = _

  private val cell                        = new Cell
  private val rows                        = new Rows
  private var fired                       = 0L
  private var step: Step[Row]             = _
  private val out: WindowOutput[Row, Sum] = new WindowOutput[Row, Sum] {
    def fire(window: Window, contents: Sum, pane: PaneInfo): Unit         = fired += contents.total
    def late(element: Row, timestamp: Long, missed: Option[Window]): Unit =
      throw new IllegalStateException(s"late at $timestamp")
    def cleared(window: Window): Unit = ()
  }

  @Setup def up(): Unit = {
    val windows  = SlidingEventTimeWindows.of(Duration.ofMillis(overlap * Slide), Duration.ofMillis(Slide))
    val operator = by match {
      case "slices"  => new SlicedOperator[Row, Sum](windows.slices.get, SlicedSums, out)
      case "windows" =>
        new WindowOperator(OperatorRules[Row, Sum](windows, EventTimeTrigger.create(), 0L, SumContents), out)
    }
    step = new Step[Row](operator, _.time, rowsFirst = false)
    (0 until overlap / 100 + 10).foreach(_ => hundredSlides())
  }

  @Benchmark @OperationsPerInvocation(100 * Elements)
  def hundredSlides(): Long = {
    var left = 100
    while (left > 0) {
      cell.previousWatermark = cell.watermark
      cell.watermark = rows.time - 1
      step.run(rows.next(slidesInBatch), cell)
      left -= slidesInBatch
    }
    fired
  }
}

object SlidingBench {

  /** Elements of a slide, 10 ms apart. */
  final val Elements = 100
  private val Slide  = Elements * 10L

  private final class Rows extends Iterator[Row] {
    private[this] val row  = new Row(0, 0)
    private[this] var left = 0
    var time: Long         = 0L

    def next(slides: Int): this.type = {
      left = slides * Elements
      this
    }
    def hasNext: Boolean = left > 0
    def next(): Row      = {
      left -= 1
      time += 10
      row.value = time & 1023
      row.time = time - 10
      row
    }
  }

  private final class Cell extends StateCell {
    var block: Array[Byte]      = _
    var watermark: Long         = Long.MinValue
    var previousWatermark: Long = Long.MinValue

    def processingTime: Long    = 0
    def dueProcessingTime: Long = 0
    def remove(): Unit          = block = null

    def save(b: Array[Byte], event: Long, processing: Long, windows: Int, events: Int, clocks: Int): Unit = block = b
  }

  private object SlicedSums extends CopyableContents[Row, Sum] {
    def empty(): Sum                                      = SumContents.empty()
    def add(sum: Sum, element: Row, timestamp: Long): Sum = SumContents.add(sum, element, timestamp)
    def merge(kept: Sum, merged: Sum): Sum                = SumContents.merge(kept, merged)
    def copy(sum: Sum): Sum                               = new Sum(sum.total)
    def write(sum: Sum, out: BlockWriter): Unit           = SumContents.write(sum, out)
    def read(in: BlockReader): Sum                        = SumContents.read(in)
  }
}
