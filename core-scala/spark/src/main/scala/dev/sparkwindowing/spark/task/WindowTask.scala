package dev.sparkwindowing.spark.task

import dev.sparkwindowing.contents.{ElementList, ListContents, WindowContents}
import dev.sparkwindowing.declaration.Forgettable
import dev.sparkwindowing.functions.{TimeDomain, TimerService}
import dev.sparkwindowing.operator.{
  KeyedOperator,
  KeyedPlan,
  PaneInfo,
  ProcessCalls,
  ProcessOperator,
  RepeatedFirings,
  StateCell,
  Step,
  TimestampExtractor,
  WindowHost,
  WindowOutput
}
import dev.sparkwindowing.spark.advice.Code
import dev.sparkwindowing.spark.computations.{FiringContext, ProcessContext, TaskComputation, TaskProcess}
import dev.sparkwindowing.spark.plan.MissingTime
import dev.sparkwindowing.spark.rows.RowElements
import dev.sparkwindowing.state.{FunctionState, StateShare}
import dev.sparkwindowing.windows.Window
import org.apache.spark.TaskContext
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.unsafe.types.UTF8String

import scala.util.control.NonFatal

/** The window operator on rows, for one task: takes rows of a key and returns the resulting rows.
  *
  * @param rowsFirst
  *   whether rows are taken before timers fire, see [[dev.sparkwindowing.operator.Step]]
  * @param watcher
  *   listener to the work
  */
private[sparkwindowing] final class WindowTask(
    parts: ProgramInTask,
    rowsFirst: Boolean,
    watcher: TaskWatcher = TaskWatcher.Nobody
) {
  import parts.{fields, program, rows}

  val counters: TaskCounters = new TaskCounters

  private[this] val hasLate = program.output.late.isDefined
  // A simulation has no task whose memory Spark manages.
  private[this] val produced = new StepRows(
    program.output.all(isStreaming = false),
    if (TaskContext.get() == null) Long.MaxValue else StepRows.Small
  )

  private[this] var key: InternalRow = _
  private[this] var judgedAt         = Long.MinValue
  private[this] var firedAt          = Long.MinValue

  // Those of the windows of each name.
  private[this] var repeats: List[RepeatedFirings] = Nil

  private[this] val operator: KeyedOperator[InternalRow] = (program.plan, parts.work) match {
    case (plan: KeyedPlan.Windowed[InternalRow], task: TaskComputation[_]) => windowed(plan, task)
    case (_, task: TaskProcess)                                            => new Calls(task).operator
    case (plan, work) => throw new IllegalStateException(s"$plan does not run $work")
  }

  private[this] val times = new TimestampExtractor[InternalRow] {
    private[this] val ordinal     = program.input.timeOrdinal
    private[this] val isEventTime = program.plan.isEventTime

    def of(row: InternalRow): Long = if (row.isNullAt(ordinal)) Long.MinValue else row.getLong(ordinal)

    override def isMissing(row: InternalRow): Boolean = {
      val is = isEventTime && row.isNullAt(ordinal)
      if (is) takeWithoutTime(row)
      is
    }
  }

  private[this] val step = new Step[InternalRow](operator, times, rowsFirst)

  private[this] def windowed[C <: AnyRef](
      plan: KeyedPlan.Windowed[InternalRow],
      task: TaskComputation[C]
  ): KeyedOperator[InternalRow] = plan.operator(new WindowHost[InternalRow, C] {
    def contents: WindowContents[InternalRow, C]             = task.contents
    def elements: ListContents[InternalRow]                  = RowElements.contents(fields)
    def output: WindowOutput[InternalRow, C]                 = outputOf(null)
    def outputOf(name: String): WindowOutput[InternalRow, C] =
      new Output[C](task.fire, task.cleared, UTF8String.fromString(name))
    def outputOfElements: WindowOutput[InternalRow, ElementList[InternalRow]] = outputOfElementsOf(null)

    def outputOfElementsOf(name: String): WindowOutput[InternalRow, ElementList[InternalRow]] =
      new Output[ElementList[InternalRow]](task.fireElements, task.cleared, UTF8String.fromString(name))
  })

  /** One step of one key, which goes on as its rows are asked for: no more are held than those of one input row, timer
    * or window, or all where a firing can replace one of the same step; beyond [[StepRows.Small]] Spark holds them. The
    * state of the key is written when there are no more rows, so all must be read before the next call. A row is valid
    * until more are asked for.
    *
    * @throws java.lang.IllegalStateException
    *   if the state of the key cannot be read; it names the key
    */
  def run(key: InternalRow, input: Iterator[InternalRow], cell: StateCell): Iterator[InternalRow] = {
    start(key, Step.judging(rowsFirst, cell.watermark, cell.previousWatermark), cell.processingTime)
    try step.start(input, cell)
    catch { case NonFatal(e) => throw withLocation(e) }
    results
  }

  /** Takes over the state of a key from another specification. */
  def resume(key: InternalRow, cell: StateCell, forgotten: Option[Forgettable]): Unit = {
    start(key, cell.previousWatermark, cell.processingTime)
    try step.resume(cell, forgotten)
    catch { case NonFatal(e) => throw withLocation(e) }
  }

  /** All rows of a key, then the end of input; returns rows as `run` does. No window without rows starts after
    * `lastTime`.
    */
  def runBounded(key: InternalRow, input: Iterator[InternalRow], lastTime: Long): Iterator[InternalRow] = {
    start(key, Long.MinValue, Long.MinValue)
    step.startBounded(input, lastTime)
    results
  }

  private[this] val results = new Iterator[InternalRow] {
    def hasNext: Boolean =
      try produced.hasNext || goOn()
      catch { case NonFatal(e) => throw withLocation(e) }

    private[this] def goOn(): Boolean = {
      if (program.collapsesFirings) step.next(Step.AllAtOnce)
      else while (step.next(produced) && !produced.hasNext) {}
      produced.hasNext
    }

    def next(): InternalRow = {
      if (!hasNext) throw new NoSuchElementException
      try produced.next()
      catch { case NonFatal(e) => throw withLocation(e) }
    }
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
    repeats.foreach(_.clear())
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
        produced.add(rows.late(row, None, None, null, OutputRows.NoEventTime))
      case MissingTime.Late | MissingTime.Drop => ()
      case MissingTime.Fail                    => throw program.face.use(new NoEventTime(keyText))
    }
  }

  // The name is that of the windows, null if they have none.
  private[this] final class Output[C <: AnyRef](
      compute: (C, FiringContext, InternalRow => Unit) => Unit,
      clear: FiringContext => Unit,
      name: UTF8String
  ) extends WindowOutput[InternalRow, C]
      with FiringContext {
    private[this] var pane: PaneInfo = _
    private[this] val repeated       = new RepeatedFirings
    repeats ::= repeated
    private[this] val produce: InternalRow => Unit = emit(window, _)
    private[this] val changes                      =
      program.output.changelog.map(new ChangeRows(_, program.output.results, change)).orNull

    private[this] def emit(of: Window, row: InternalRow): Unit = {
      produced.keepLast()
      produced.add(rows.main(key, of, name, pane, firedAt, row, operator.firingElement))
    }

    private[this] def change(of: Window, op: UTF8String, sequence: Long, row: InternalRow): Unit = {
      rows.setChange(op, sequence)
      emit(of, row)
    }

    var window: Window                            = _
    def key: InternalRow                          = WindowTask.this.key
    def watermark: Long                           = operator.currentWatermark
    def processingTime: Long                      = firedAt
    def functionState: FunctionState              = operator.functionState
    def side(output: Int, row: InternalRow): Unit = tagged(output, row)

    def fire(window: Window, contents: C, pane: PaneInfo): Unit = {
      if (program.collapsesFirings) {
        dropRepeated(repeated.repeated(window, pane, produced.firings))
        produced.beginFiring()
      }
      counters.firedPanes += 1
      watcher.fired(window, pane.timing)
      this.window = window
      this.pane = pane
      if (changes == null) compute(contents, this, produce)
      else changes.fire(window, pane, functionState)(compute(contents, this, _))
      if (program.collapsesFirings) produced.endFiring()
    }

    private[this] def dropRepeated(firing: Int): Unit =
      if (firing >= 0) {
        produced.dropFiring(firing)
        counters.firedPanes -= 1
        watcher.dropped(firing)
      }

    def pull(results: Iterator[InternalRow]): Unit = {
      val (fired, facts) = (window, if (program.output.pane) pane.kept else pane)
      val element        = operator.firingElement
      produced.pull(results.map(rows.main(WindowTask.this.key, fired, name, facts, firedAt, _, element)))
    }

    def late(row: InternalRow, timestamp: Long, missed: Option[Window]): Unit = {
      watcher.late(OutputRows.Late, missed)
      if (hasLate) {
        counters.lateSideOutput += 1
        produced.keepLast()
        produced.add(rows.late(row, Some(judgedAt - timestamp), missed, name, OutputRows.Late))
      } else counters.numLateRecordsDropped += program.input.rowsOf(row)
    }

    def cleared(window: Window): Unit = {
      this.window = window
      clear(this)
      forgotten(window)
      watcher.cleared(window)
    }

    override def forgotten(gone: Window): Unit = if (changes != null) changes.forget(gone, functionState)

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
      s"a row of the key $key has no event time (null), and ${Code.keyBy} was told " +
        s"""${Code.named("on_missing_time", Code.text("fail"))}. Use "late" to """ +
        "have such rows in the late side output, or \"drop\" to count and drop them"
    )
