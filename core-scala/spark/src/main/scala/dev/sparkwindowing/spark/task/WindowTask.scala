package dev.sparkwindowing.spark.task

import dev.sparkwindowing.assigners.OverEventTimeWindows
import dev.sparkwindowing.contents.{CopyableContents, ElementList, ListContents, WindowContents}
import dev.sparkwindowing.functions.{TimeDomain, TimerService}
import dev.sparkwindowing.operator.{
  KeyedOperator,
  OverOperator,
  PaneInfo,
  ProcessCalls,
  ProcessOperator,
  RepeatedFirings,
  SlicedOperator,
  StateCell,
  Step,
  WindowOperator,
  WindowOutput,
  WindowSpec
}
import dev.sparkwindowing.spark.functions.{FiringContext, ProcessContext, TaskComputation, TaskProcess}
import dev.sparkwindowing.spark.plan.MissingTime
import dev.sparkwindowing.spark.rows.RowElements
import dev.sparkwindowing.state.{FunctionState, StateShare}
import dev.sparkwindowing.windows.Window
import org.apache.spark.TaskContext
import org.apache.spark.sql.catalyst.InternalRow

import scala.util.control.NonFatal

/** The window operator on rows, for one task: takes rows of a key and returns the resulting rows.
  *
  * @param rowsFirst
  *   whether rows are taken before timers fire, see [[dev.sparkwindowing.operator.Step]]
  * @param watcher
  *   listener to the work
  */
private[sparkwindowing] final class WindowTask(
    parts: TaskParts,
    rowsFirst: Boolean,
    watcher: TaskWatcher = TaskWatcher.Nobody
) {
  import parts.{fields, program, rows}

  val counters: TaskCounters = new TaskCounters

  private[this] val hasLate  = program.output.late.isDefined
  private[this] val produced = new StepRows
  private[this] val timed    = new TimedRows(program.input.timeOrdinal, program.assigner.isEventTime, takeWithoutTime)

  private[this] var key: InternalRow = _
  private[this] var judgedAt         = Long.MinValue
  private[this] var firedAt          = Long.MinValue

  private[this] val repeats = new RepeatedFirings

  private[this] val step = parts.work match {
    case task: TaskComputation[_] => stepOf(task)
    case task: TaskProcess        => stepOf(task)
  }

  private[this] def stepOf(task: TaskProcess): Step[InternalRow] = new Step(new Calls(task).operator, timed, rowsFirst)

  private[this] def stepOf[C <: AnyRef](task: TaskComputation[C]): Step[InternalRow] = {
    import program._
    evictor match {
      case None if over.isDefined => over.map(overStep(task, _)).get
      case None                   =>
        (slices, task.contents) match {
          case (Some(grid), contents: CopyableContents[InternalRow, C]) =>
            stepOver[C](task.fire, task.cleared)(new SlicedOperator(grid, contents, _))
          case (Some(_), contents) => throw new IllegalStateException(s"$contents cannot be kept as slices")
          case (None, contents)    =>
            stepOver[C](task.fire, task.cleared)(
              windows(WindowSpec(assigner, trigger, allowedLateness, contents), _)
            )
        }
      case Some(e) =>
        val spec = WindowSpec.evicting(assigner, trigger, e, allowedLateness, RowElements.contents(fields))
        stepOver[ElementList[InternalRow]](task.fireElements, task.cleared)(windows(spec, _))
    }
  }

  // Keeps rows for the result, or for a function of all elements.
  private[this] def overStep[C <: AnyRef](
      task: TaskComputation[C],
      windows: OverEventTimeWindows
  ): Step[InternalRow] = {
    def elements                                           = RowElements.contents(fields)
    def merged(contents: CopyableContents[InternalRow, C]) =
      stepOver[C](task.fire, task.cleared) { out =>
        if (windows.countsRows)
          OverOperator.mergingRows(windows, program.allowedLateness, contents, elements, program.output.pane, out)
        else {
          val shown = program.row.map(_ => elements)
          OverOperator.merging(windows, program.allowedLateness, contents, shown, program.output.pane, out)
        }
      }
    task.contents match {
      case contents: CopyableContents[InternalRow, C] if program.computation.mergesInAnyOrder => merged(contents)
      case _ if !program.listsElements => throw new IllegalStateException(s"${task.contents} cannot be merged in parts")
      case contents                    =>
        stepOver[ElementList[InternalRow]](ofElements(task, contents), task.cleared) {
          OverOperator.listing(windows, program.allowedLateness, elements, program.output.pane, _)
        }
    }
  }

  private[this] def ofElements[C <: AnyRef](task: TaskComputation[C], contents: WindowContents[InternalRow, C])(
      elements: ElementList[InternalRow],
      firing: FiringContext,
      out: InternalRow => Unit
  ): Unit = contents match {
    case _: ListContents[_] => task.fire(elements.asInstanceOf[C], firing, out)
    case _                  =>
      var all = contents.empty()
      var i   = 0
      while (i < elements.size) {
        all = contents.add(all, elements(i), elements.timestamp(i))
        i += 1
      }
      task.fire(all, firing, out)
  }

  private[this] def windows[C <: AnyRef](spec: WindowSpec[InternalRow, C], output: WindowOutput[InternalRow, C]) =
    new WindowOperator(if (program.output.pane) spec.withPanes else spec, output)

  private[this] def stepOver[C <: AnyRef](
      fire: (C, FiringContext, InternalRow => Unit) => Unit,
      cleared: FiringContext => Unit
  )(operator: WindowOutput[InternalRow, C] => KeyedOperator[InternalRow]): Step[InternalRow] =
    new Step(new Output[C](fire, cleared, operator).operator, timed, rowsFirst)

  /** One step of one key. State is written when it returns. Its rows may be reused buffers, and some are made when they
    * are read: all must be read before the next call.
    *
    * @throws java.lang.IllegalStateException
    *   if the state of the key cannot be read; it names the key
    */
  def run(key: InternalRow, input: Iterator[InternalRow], cell: StateCell): Iterator[InternalRow] = {
    start(key, Step.judging(rowsFirst, cell.watermark, cell.previousWatermark), cell.processingTime)
    try step.run(timed.over(input), cell)
    catch { case NonFatal(e) => throw withLocation(e) }
    produced.iterator
  }

  /** Takes over the state of a key from another specification. */
  def resume(key: InternalRow, cell: StateCell, newTrigger: Boolean): Unit = {
    start(key, cell.previousWatermark, cell.processingTime)
    try step.resume(cell, newTrigger)
    catch { case NonFatal(e) => throw withLocation(e) }
  }

  /** All rows of a key, then the end of input; returns rows as `run` does. */
  def runBounded(key: InternalRow, input: Iterator[InternalRow]): Iterator[InternalRow] = {
    start(key, Long.MinValue, Long.MinValue)
    try step.runBounded(timed.over(input))
    catch { case NonFatal(e) => throw withLocation(e) }
    produced.iterator
  }

  /** The part of the current key's block with the most bytes. */
  def largestShare: StateShare = step.largestShare

  /** Text of the current key, for errors and the log. */
  def keyText: String = Failures.keyText(key, program.output)

  private[this] def withLocation(failure: Throwable): Throwable = {
    val all = Failures.withLocation(failure, keyText, step.currentWindow, largestShare)
    // A simulation has no task.
    if (TaskContext.get() == null) all else Failures.forDriver(all)
  }

  private[this] def start(key: InternalRow, watermark: Long, processingTime: Long): Unit = {
    this.key = key
    judgedAt = watermark
    firedAt = processingTime
    produced.clear()
    repeats.clear()
  }

  private[this] def tagged(output: Int, row: InternalRow): Unit = {
    produced.keepLast()
    produced.add(rows.tagged(output, row))
  }

  private[this] def takeWithoutTime(row: InternalRow): Unit = {
    counters.rowsWithoutEventTime += program.input.rowsOf(row)
    watcher.late(OutputRows.NoEventTime, None)
    program.onMissingTime match {
      case MissingTime.Late if hasLate =>
        counters.lateSideOutput += 1
        produced.keepLast()
        produced.add(rows.late(row, None, None, OutputRows.NoEventTime))
      case MissingTime.Late | MissingTime.Drop => ()
      case MissingTime.Fail                    => throw new NoEventTime(keyText)
    }
  }

  private[this] final class Output[C <: AnyRef](
      compute: (C, FiringContext, InternalRow => Unit) => Unit,
      clear: FiringContext => Unit,
      over: WindowOutput[InternalRow, C] => KeyedOperator[InternalRow]
  ) extends WindowOutput[InternalRow, C]
      with FiringContext {
    private[this] var pane: PaneInfo               = _
    private[this] val produce: InternalRow => Unit = row => {
      produced.keepLast()
      produced.add(rows.main(key, window, pane, firedAt, row, element()))
    }

    val operator: KeyedOperator[InternalRow] = over(this)

    // The element of an over window, null for others.
    private[this] val element: () => InternalRow = operator match {
      case o: OverOperator[InternalRow, _, _] => () => o.firingElement
      case _                                  => () => null
    }

    var window: Window                            = _
    def key: InternalRow                          = WindowTask.this.key
    def watermark: Long                           = operator.currentWatermark
    def processingTime: Long                      = firedAt
    def functionState: FunctionState              = operator.functionState
    def side(output: Int, row: InternalRow): Unit = tagged(output, row)

    def fire(window: Window, contents: C, pane: PaneInfo): Unit = {
      if (program.rules.collapsesFirings) {
        dropRepeated(repeats.repeated(window, pane, produced.firings))
        produced.beginFiring()
      }
      counters.firedPanes += 1
      watcher.fired(window, pane.timing)
      this.window = window
      this.pane = pane
      compute(contents, this, produce)
      if (program.rules.collapsesFirings) produced.endFiring()
    }

    private[this] def dropRepeated(firing: Int): Unit =
      if (firing >= 0) {
        produced.drop(firing)
        counters.firedPanes -= 1
        watcher.dropped(firing)
      }

    def pull(results: Iterator[InternalRow]): Unit = {
      val (fired, facts) = (window, if (program.output.pane) pane.kept else pane)
      produced.pull(results.map(rows.main(WindowTask.this.key, fired, facts, firedAt, _, null)))
    }

    def late(row: InternalRow, timestamp: Long, missed: Option[Window]): Unit = {
      watcher.late(OutputRows.Late, missed)
      if (hasLate) {
        counters.lateSideOutput += 1
        produced.keepLast()
        produced.add(rows.late(row, Some(judgedAt - timestamp), missed, OutputRows.Late))
      } else counters.numLateRecordsDropped += program.input.rowsOf(row)
    }

    def cleared(window: Window): Unit = {
      this.window = window
      clear(this)
      watcher.cleared(window)
    }

    override def skippedFirings(firings: Long): Unit = counters.skippedFirings += firings
  }

  private[this] final class Calls(task: TaskProcess) extends ProcessCalls[InternalRow] with ProcessContext {
    private[this] var time                         = Long.MinValue
    private[this] val produce: InternalRow => Unit = row => {
      produced.keepLast()
      produced.add(rows.main(key, time, row))
    }

    val operator: ProcessOperator[InternalRow] = new ProcessOperator[InternalRow](this)

    def key: InternalRow                          = WindowTask.this.key
    def functionState: FunctionState              = operator.functionState
    def side(output: Int, row: InternalRow): Unit = tagged(output, row)

    def nextTimer(clock: TimeDomain): Long =
      if (clock == TimeDomain.EventTime) operator.nextEventTimer else operator.nextProcessingTimer

    val timers: TimerService = new TimerService {
      import TimeDomain.{EventTime, ProcessingTime}
      def currentWatermark: Long                   = operator.currentWatermark
      def currentProcessingTime: Long              = operator.currentProcessingTime
      def registerEventTimeTimer(time: Long): Unit = {
        watcher.timerSet(time, EventTime)
        operator.registerEventTimeTimer(time)
      }
      def registerProcessingTimeTimer(time: Long): Unit = {
        watcher.timerSet(time, ProcessingTime)
        operator.registerProcessingTimeTimer(time)
      }
      def deleteEventTimeTimer(time: Long): Unit = {
        watcher.timerDeleted(time, EventTime)
        operator.deleteEventTimeTimer(time)
      }
      def deleteProcessingTimeTimer(time: Long): Unit = {
        watcher.timerDeleted(time, ProcessingTime)
        operator.deleteProcessingTimeTimer(time)
      }
    }

    def processElement(row: InternalRow, timestamp: Long): Unit = {
      time = timestamp
      task.processElement(row, timestamp, this, produce)
    }

    // Results of a processing-time timer have no event time.
    def onTimer(due: Long, domain: TimeDomain): Unit = {
      watcher.timerFired(due, domain)
      time = if (domain == TimeDomain.EventTime) due else Long.MinValue
      task.onTimer(due, domain, this, produce)
    }
  }
}

/** Stops a query with `onMissingTime` "fail" at a row without event time. */
private[sparkwindowing] final class NoEventTime(key: String)
    extends IllegalStateException(
      s"""a row of the key $key has no event time (null), and key_by was told on_missing_time="fail". Use "late" to """ +
        "have such rows in the late side output, or \"drop\" to count and drop them"
    )
