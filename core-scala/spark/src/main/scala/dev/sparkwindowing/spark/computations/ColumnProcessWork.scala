package dev.sparkwindowing.spark.computations

import dev.sparkwindowing.declaration.{PartSpec, Spec}
import dev.sparkwindowing.functions.{SideOutput, TimeDomain}
import dev.sparkwindowing.operator.StateCell
import dev.sparkwindowing.spark.expressions.RowFunction
import dev.sparkwindowing.spark.rows.{EventTimeType, KeptRowCodec, Micros}
import dev.sparkwindowing.state.FunctionState
import dev.sparkwindowing.state.FunctionState.OfKey
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{SpecificInternalRow, UnsafeRow}
import org.apache.spark.sql.types.{StructField, StructType, TimestampType}

/** Kind of the rows that a call gives for an output. */
private[sparkwindowing] sealed trait Rows

private[sparkwindowing] object Rows {
  case object None  extends Rows
  case object One   extends Rows
  case object Array extends Rows
}

/** A call of a process function as one expression: a struct of the new state (in a struct of its own, so that it may be
  * null), the event-time and the processing-time timer, and the rows of each output, the main one first.
  *
  * @param name
  *   that of the call in Python
  * @param outputs
  *   what the call gives for each output
  */
private[sparkwindowing] final class BoundCall(
    val name: String,
    val answer: RowFunction,
    val givesState: Boolean,
    val givesEventTimer: Boolean,
    val givesProcessingTimer: Boolean,
    val outputs: Array[Rows]
) extends Serializable {
  val width: Int = 3 + outputs.length

  def givesTimer(clock: TimeDomain): Boolean =
    if (clock == TimeDomain.EventTime) givesEventTimer else givesProcessingTimer
}

private[sparkwindowing] final class BoundCalls(
    val onElement: BoundCall,
    val onEventTimer: Option[BoundCall],
    val onProcessingTimer: Option[BoundCall]
) extends Serializable {
  def all: Seq[BoundCall] = onElement +: (onEventTimer ++ onProcessingTimer).toSeq
}

/** Process function written as columns, bound to the rows of one query.
  *
  * @param times
  *   type of the event time
  * @param state
  *   type and initial value of the state of a key
  */
private[sparkwindowing] final class ColumnProcessWork(
    val keys: Seq[StructField],
    val times: EventTimeType,
    val state: Option[(StructType, RowFunction)],
    val calls: BoundCalls,
    val schema: StructType,
    override val sideOutputs: Seq[SideOutput],
    val ttl: Option[StateTtl]
) extends KeyedWork {
  import ColumnProcessWork._

  def stateSchema: StructType      = new StructType()
  def keptContents: ContentsFormat = ContentsFormat.Nothing
  override def isReusable: Boolean = true

  override def keptStates: StructType = StructType(state.map { case (kept, _) => StructField(State, kept) }.toSeq)

  def specs: Seq[Spec] = {
    val columns = state.map { case (_, initial) => State -> initial }.toSeq ++ calls.all.map(c => c.name -> c.answer)
    val written = columns.map { case (name, f) => name -> Spec.Sql(f.text) }
    Seq(PartSpec("ColumnProcess.of", options = written ++ ttl.map("ttl" -> _.spec)))
  }

  override def setsTimers(clock: TimeDomain): Boolean =
    calls.all.exists(_.givesTimer(clock)) || ttl.exists(_.clock == clock)

  def inTask(ordinals: Array[Int], fields: Int): TaskWork = new ColumnProcessCall(this)
}

private[sparkwindowing] object ColumnProcessWork {

  /** Name of the state of a key. */
  val State = "state"

  /** Positions in the answer of a call. */
  val NewState        = 0
  val EventTimer      = 1
  val ProcessingTimer = 2
  val Outputs         = 3

  /** Type of what a call knows about its key and times. */
  def contextOf(keys: Seq[StructField], times: EventTimeType): StructType = StructType(
    Seq(
      StructField("key", StructType(keys.map(k => StructField(k.name, k.dataType)))),
      StructField("watermark", times.dataType),
      StructField("processing_time", TimestampType),
      StructField("timestamp", times.dataType)
    )
  )
}

/** Runs the function in a task. */
private final class ColumnProcessCall(work: ColumnProcessWork) extends TaskProcess {
  import ColumnProcessWork._

  private[this] val context      = new SpecificInternalRow(contextOf(work.keys, work.times))
  private[this] val contextField = StructField("ctx", contextOf(work.keys, work.times))
  private[this] val stateField   = work.state.map { case (kept, _) => StructField(State, kept) }
  private[this] val time         = StructField("time", work.times.dataType)
  private[this] val ofElement    = new SpecificInternalRow(StructType(contextField +: stateField.toSeq))
  private[this] val ofTimer      = new SpecificInternalRow(StructType(Seq(time, contextField) ++ stateField))
  private[this] val width        = work.schema.length
  private[this] val sideWidths   = work.sideOutputs.map(_.schema.length).toArray
  private[this] val stateWidth   = work.state.fold(0)(_._1.length)

  // A row of one column, the struct.
  private[this] val initial: Option[InternalRow] = work.state.map(_._2(InternalRow.empty).copy())

  ofElement.update(0, context)
  ofTimer.update(1, context)

  def processElement(row: InternalRow, timestamp: Long, at: ProcessContext, out: InternalRow => Unit): Unit = {
    val seen = at.timers.currentProcessingTime
    val now  = work.ttl.fold(Long.MinValue) { ttl =>
      if (ttl.clock == TimeDomain.EventTime) math.max(timestamp, at.timers.currentWatermark) else seen
    }
    setContext(timestamp, at)
    if (stateWidth > 0) setState(ofElement, 1, now, at)
    handle(work.calls.onElement, work.calls.onElement.answer(row, ofElement), timestamp, at, out)
  }

  def onTimer(due: Long, domain: TimeDomain, at: ProcessContext, out: InternalRow => Unit): Unit = {
    val isEvent = domain == TimeDomain.EventTime
    val call    = if (isEvent) work.calls.onEventTimer else work.calls.onProcessingTimer
    if (call.nonEmpty) {
      val timestamp = if (isEvent) due else Long.MinValue
      setContext(timestamp, at)
      ofTimer.setLong(0, Micros.of(due))
      if (stateWidth > 0)
        setState(ofTimer, 2, work.ttl.fold(due)(t => if (t.clock == domain) due else nowOf(t, at)), at)
      handle(call.get, call.get.answer(ofTimer), timestamp, at, out)
    }
  }

  private[this] def nowOf(ttl: StateTtl, at: ProcessContext): Long =
    if (ttl.clock == TimeDomain.EventTime) at.timers.currentWatermark else at.timers.currentProcessingTime

  private[this] def setContext(timestamp: Long, at: ProcessContext): Unit = {
    context.update(0, at.key)
    setTime(1, at.timers.currentWatermark)
    setTime(2, at.timers.currentProcessingTime)
    setTime(3, timestamp)
  }

  private[this] def setTime(field: Int, millis: Long): Unit =
    if (millis == Long.MinValue) context.setNullAt(field) else context.setLong(field, Micros.of(millis))

  private[this] def setState(facts: SpecificInternalRow, field: Int, now: Long, at: ProcessContext): Unit = {
    if (work.ttl.nonEmpty && at.functionState.isExpired(State, now)) at.functionState.remove(OfKey, State)
    val row = at.functionState.get(OfKey, State, KeptRowCodec).getOrElse(initial.get)
    if (row.isNullAt(0)) facts.setNullAt(field) else facts.update(field, row.getStruct(0, stateWidth))
  }

  private[this] def handle(
      call: BoundCall,
      answered: UnsafeRow,
      timestamp: Long,
      at: ProcessContext,
      out: InternalRow => Unit
  ): Unit = {
    val answer = answered.getStruct(0, call.width)
    if (call.givesState) keep(answer.getStruct(NewState, 1), timestamp, at)
    if (call.givesEventTimer) setTimer(TimeDomain.EventTime, answer, EventTimer, at)
    if (call.givesProcessingTimer) setTimer(TimeDomain.ProcessingTime, answer, ProcessingTimer, at)
    emit(call.outputs(0), answer, Outputs, width, out)
    var i = 1
    while (i < call.outputs.length) {
      val side = i - 1
      if (call.outputs(i) ne Rows.None) emit(call.outputs(i), answer, Outputs + i, sideWidths(side), at.side(side, _))
      i += 1
    }
  }

  private[this] def keep(row: UnsafeRow, timestamp: Long, at: ProcessContext): Unit = {
    val state: FunctionState = at.functionState
    if (row.isNullAt(0)) state.remove(OfKey, State)
    else
      work.ttl match {
        case None =>
          // State that is given again unchanged is not written.
          if (!state.get(OfKey, State, KeptRowCodec).contains(row)) state.put(OfKey, State, row.copy(), KeptRowCodec)
        case Some(ttl) =>
          val before = state.expiry(State)
          val change =
            if (ttl.clock == TimeDomain.EventTime && timestamp != Long.MinValue) timestamp else nowOf(ttl, at)
          state.put(OfKey, State, row.copy(), KeptRowCodec)
          state.setExpiry(State, ttl.clock, ttl.later(before, change))
      }
  }

  private[this] def setTimer(domain: TimeDomain, answer: UnsafeRow, field: Int, at: ProcessContext): Unit = {
    val before = at.nextTimer(domain)
    val after  = if (answer.isNullAt(field)) StateCell.NoTimer else Math.floorDiv(answer.getLong(field), 1000L)
    if (before != after) {
      val isEvent = domain == TimeDomain.EventTime
      if (before != StateCell.NoTimer)
        if (isEvent) at.timers.deleteEventTimeTimer(before) else at.timers.deleteProcessingTimeTimer(before)
      if (after != StateCell.NoTimer)
        if (isEvent) at.timers.registerEventTimeTimer(after) else at.timers.registerProcessingTimeTimer(after)
    }
  }

  private[this] def emit(rows: Rows, answer: UnsafeRow, field: Int, width: Int, out: InternalRow => Unit): Unit =
    if ((rows ne Rows.None) && !answer.isNullAt(field))
      if (rows eq Rows.One) out(answer.getStruct(field, width))
      else {
        val all = answer.getArray(field)
        var i   = 0
        while (i < all.numElements()) {
          if (!all.isNullAt(i)) out(all.getStruct(i, width))
          i += 1
        }
      }
}
