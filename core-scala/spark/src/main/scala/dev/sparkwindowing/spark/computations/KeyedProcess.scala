package dev.sparkwindowing.spark.computations

import dev.sparkwindowing.declaration.Spec
import dev.sparkwindowing.functions.{
  KeyedProcessFunction,
  KeyedStateStore,
  OutputTag,
  SideOutput,
  TimeDomain,
  TimerService
}
import dev.sparkwindowing.spark.rows.RowView
import dev.sparkwindowing.state.{FunctionState, ScopedStateStore}
import org.apache.spark.sql.Row
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types.{StructField, StructType}

/** User's function on elements and timers, without windows. */
private[sparkwindowing] final class KeyedProcess(
    function: KeyedProcessFunction[Row, Row, Row],
    spec: Spec,
    val schema: StructType,
    override val sideOutputs: Seq[SideOutput],
    keys: Seq[StructField],
    view: RowView
) extends KeyedWork {
  def specs: Seq[Spec]             = Seq(spec)
  def stateSchema: StructType      = new StructType()
  def keptContents: ContentsFormat = ContentsFormat.Nothing

  override def setsTimers(clock: TimeDomain): Boolean = function.setsTimers(clock)

  def inTask(ordinals: Array[Int], fields: Int): TaskWork =
    new KeyedProcessCall(function, schema, sideOutputs, keys, view)
}

/** Runs the function in a task. */
private final class KeyedProcessCall(
    function: KeyedProcessFunction[Row, Row, Row],
    schema: StructType,
    sides: Seq[SideOutput],
    keys: Seq[StructField],
    view: RowView
) extends RowCall(function, keys, schema, sides)
    with TaskProcess {
  private[this] val context            = new Context
  private[this] var at: ProcessContext = _

  protected def here: KeyContext = at

  def processElement(row: InternalRow, timestamp: Long, at: ProcessContext, out: InternalRow => Unit): Unit = {
    this.at = at
    context.time = if (timestamp == Long.MinValue) None else Some(timestamp)
    call("processElement", "", out)(function.processElement(view(row), context, collector))
  }

  def onTimer(time: Long, domain: TimeDomain, at: ProcessContext, out: InternalRow => Unit): Unit = {
    this.at = at
    context.time = Some(time)
    context.domain = domain
    call("onTimer", s" and the timer $time", out)(function.onTimer(time, context, collector))
  }

  private[this] final class Context extends KeyedProcessFunction.OnTimerContext[Row] {
    var time: Option[Long] = None
    var domain: TimeDomain = TimeDomain.EventTime

    def timestamp: Option[Long]                      = time
    def timeDomain: TimeDomain                       = domain
    def timerService: TimerService                   = at.timers
    def currentKey: Row                              = keyOf(at)
    def state: KeyedStateStore                       = new ScopedStateStore(at.functionState, FunctionState.OfKey)
    def output[X](tag: OutputTag[X], value: X): Unit = putOut(tag, value)
  }
}
