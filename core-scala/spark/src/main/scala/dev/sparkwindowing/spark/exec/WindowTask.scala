package dev.sparkwindowing.spark.exec

import dev.sparkwindowing.contents.{ElementList, WindowContents}
import dev.sparkwindowing.operator._
import dev.sparkwindowing.spark.functions.{AggregateBuffer, AggregateContents}
import dev.sparkwindowing.spark.plan.{MissingTime, WindowProgram}
import dev.sparkwindowing.windows.Window
import org.apache.spark.sql.catalyst.InternalRow

import scala.collection.mutable.ArrayBuffer

/** The window operator on rows, for one task: takes the rows of a key, gives back the rows that they cause.
  *
  * @param rowsFirst
  *   whether rows are taken before timers fire, see [[dev.sparkwindowing.operator.Step]]
  * @param fields
  *   number of columns of the input rows
  * @param onCleared
  *   told of every window that is cleaned up
  */
private[sparkwindowing] final class WindowTask(
    program: WindowProgram,
    rowsFirst: Boolean,
    fields: Int,
    val counters: TaskCounters,
    onCleared: Window => Unit = _ => ()
) {
  private[this] val rows       = new OutputRows(program, fields)
  private[this] val aggregates = new AggregateContents(program.aggregates, program.input.argumentOrdinals)
  private[this] val hasLate    = program.output.lateTag.isDefined
  private[this] val produced   = new ArrayBuffer[InternalRow]
  private[this] val timed      = new TimedRows(program.input.timeOrdinal, program.assigner.isEventTime, takeWithoutTime)

  private[this] var key: InternalRow = _
  private[this] var judgedAt         = Long.MinValue
  private[this] var firedAt          = Long.MinValue

  // Rows of firings that were repeated are null until the end of the step.
  private[this] val repeats  = new RepeatedFirings
  private[this] var repeated = 0

  private[this] val step = program.evictor match {
    case None          => stepOver(contentsSpec(aggregates), aggregates.result)
    case Some(evictor) =>
      val elements = RowElements.contents(fields)
      val spec     = WindowSpec.evicting(program.assigner, program.trigger, evictor, program.allowedLateness, elements)
      stepOver[ElementList[InternalRow]](spec, aggregates.resultOf)
  }

  private[this] def contentsSpec(contents: WindowContents[InternalRow, AggregateBuffer]) =
    WindowSpec(program.assigner, program.trigger, program.allowedLateness, contents)

  private[this] def stepOver[C <: AnyRef](
      spec: WindowSpec[InternalRow, C],
      result: C => InternalRow
  ): Step[InternalRow, C] =
    new Step(
      new WindowOperator(if (program.output.pane) spec.withPanes else spec, new Output[C](result)),
      timed,
      rowsFirst
    )

  /** One step of one key. The rows that come back are copies; the collection is the same at each call. */
  def run(key: InternalRow, input: Iterator[InternalRow], cell: StateCell): ArrayBuffer[InternalRow] = {
    start(key, if (rowsFirst) cell.previousWatermark else cell.watermark, cell.processingTime)
    step.run(timed.over(input), cell)
    withoutRepeated()
  }

  /** All rows of a key and then the end of the input. */
  def runBounded(key: InternalRow, input: Iterator[InternalRow]): ArrayBuffer[InternalRow] = {
    start(key, Long.MinValue, Long.MinValue)
    step.runBounded(timed.over(input))
    withoutRepeated()
  }

  private[this] def start(key: InternalRow, watermark: Long, processingTime: Long): Unit = {
    this.key = key
    judgedAt = watermark
    firedAt = processingTime
    produced.clear()
    repeats.clear()
    repeated = 0
  }

  private[this] def withoutRepeated(): ArrayBuffer[InternalRow] = {
    if (repeated > 0) produced.filterInPlace(_ != null)
    produced
  }

  private[this] def takeWithoutTime(row: InternalRow): Unit = {
    counters.rowsWithoutEventTime += 1
    program.onMissingTime match {
      case MissingTime.Late if hasLate =>
        counters.lateSideOutput += 1
        produced += rows.late(row, None, None, OutputRows.NoEventTime).copy()
      case MissingTime.Late | MissingTime.Drop => ()
      case MissingTime.Fail                    => throw new NoEventTime
    }
  }

  private[this] final class Output[C](result: C => InternalRow) extends WindowOutput[InternalRow, C] {

    def fire(window: Window, contents: C, pane: Pane): Unit = {
      if (program.collapsesFirings) dropRepeated(repeats.repeated(window, pane, produced.size))
      counters.firedPanes += 1
      produced += rows.main(key, window, pane, firedAt, result(contents)).copy()
    }

    private[this] def dropRepeated(position: Int): Unit =
      if (position >= 0) {
        produced(position) = null
        repeated += 1
        counters.firedPanes -= 1
      }

    def late(row: InternalRow, timestamp: Long, missed: Option[Window]): Unit =
      if (hasLate) {
        counters.lateSideOutput += 1
        produced += rows.late(row, Some(judgedAt - timestamp), missed, OutputRows.Late).copy()
      } else counters.numLateRecordsDropped += 1

    def cleared(window: Window): Unit = onCleared(window)
  }
}

/** Stops a query that was told to stop at a row without event time. */
private[sparkwindowing] final class NoEventTime
    extends IllegalStateException(
      "a row has no event time (null), and key_by was told on_missing_time=\"fail\". Use \"late\" to have such rows " +
        "in the late side output, or \"drop\" to count and drop them"
    )
