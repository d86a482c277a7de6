package dev.sparkwindowing.columns

import dev.sparkwindowing.declaration.{PartSpec, Spec}
import dev.sparkwindowing.functions.TimeDomain
import dev.sparkwindowing.spark.expressions.{ColumnBinder, RowFunction}
import dev.sparkwindowing.spark.rows.{Micros, StructCodec}
import dev.sparkwindowing.triggers.TriggerResult.{Continue, Fire, FireAndPurge, Purge}
import dev.sparkwindowing.triggers.{
  NestedTimer,
  NestedTimers,
  OnMergeContext,
  Trigger,
  TriggerContext,
  TriggerMemory,
  TriggerResult
}
import dev.sparkwindowing.windows.{TimeWindow, Window}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{GenericInternalRow, UnsafeRow}
import org.apache.spark.sql.catalyst.util.GenericArrayData

/** Trigger written as columns, with its own state and timers. Build it with [[ColumnTrigger.of]].
  *
  * It is called for elements, for timers that it has set, and for the clean-up of the window. Without an answer for a
  * call the result is CONTINUE. Its timers and state are removed with the window.
  */
final class ExpressionTrigger private[columns] (
    @transient declared: DeclaredAnswers,
    override val canMerge: Boolean,
    bound: Option[BoundAnswers]
) extends Trigger[InternalRow]
    with ColumnPart[ExpressionTrigger] {
  import ExpressionTrigger._

  private[columns] def bind(binder: ColumnBinder): ExpressionTrigger =
    new ExpressionTrigger(declared, canMerge, Some(BoundAnswers(declared, binder)))

  private def answers: BoundAnswers = onceBound(bound)

  override def memory: TriggerMemory =
    TriggerMemory.value("state", new StructCodec(bound.flatMap(_.state).map(_._1))) ++
      TriggerMemory.value("timers", NestedTimers.Codec)

  def onElement(row: InternalRow, timestamp: Long, window: Window, ctx: TriggerContext): TriggerResult =
    answers.onElement.fold[TriggerResult](Continue) { answer =>
      handleResult(answer(row, factsOf(Seq(micros(timestamp)) ++ common(window, ctx), remembered(ctx))), ctx)
    }

  def onEventTime(time: Long, window: Window, ctx: TriggerContext): TriggerResult =
    onTimer(answers.onEventTime, eventTime = true, time, window, ctx)

  def onProcessingTime(time: Long, window: Window, ctx: TriggerContext): TriggerResult =
    onTimer(answers.onProcessingTime, eventTime = false, time, window, ctx)

  private def onTimer(
      answer: Option[RowFunction],
      eventTime: Boolean,
      time: Long,
      window: Window,
      ctx: TriggerContext
  ): TriggerResult = {
    val set    = timers(ctx)
    val isOwn  = set.owners(eventTime, time).nonEmpty
    val isLast = ctx.isCleanup(eventTime, time)
    if (isOwn) NestedTimers.store(set.without(eventTime, time), ctx, Timers)
    answer match {
      case Some(f) if isOwn || isLast =>
        handleResult(f(factsOf(Seq(micros(time), isLast) ++ common(window, ctx), remembered(ctx))), ctx)
      case _ => Continue
    }
  }

  override def onMerge(window: Window, ctx: OnMergeContext): Unit = answers.onMerge.foreach { answer =>
    val states = answers.state.map { _ =>
      new GenericArrayData((0 until ctx.mergedWindows).map(ctx.mergedValue[InternalRow](_, State).getOrElse(initial)))
    }
    handleResult(answer(factsOf(common(window, ctx), states)), ctx)
  }

  override def setsTimers(clock: TimeDomain): Boolean = declared.sets(clock)

  override def purges: Boolean = declared.purges

  override def restart(window: Window, ctx: TriggerContext): Unit = forget(_.time == window.maxTimestamp, ctx)

  def clear(window: Window, ctx: TriggerContext): Unit = forget(_ => false, ctx)

  private def forget(isKept: NestedTimer => Boolean, ctx: TriggerContext): Unit = {
    val (kept, deleted) = timers(ctx).timers.partition(isKept)
    deleted.foreach(delete(_, ctx))
    NestedTimers.store(NestedTimers(kept), ctx, Timers)
    ctx.clearValue(State)
  }

  private def handleResult(answered: UnsafeRow, ctx: TriggerContext): TriggerResult = {
    val answer = answered.getStruct(0, BoundAnswers.Size)
    answers.state.foreach { case (schema, _) =>
      if (!answer.isNullAt(BoundAnswers.State))
        ctx.setValue(State, answer.getStruct(BoundAnswers.State, schema.length).copy())
    }
    setTimers(answer, ctx)
    val fires = !answer.isNullAt(BoundAnswers.Fire) && answer.getBoolean(BoundAnswers.Fire)
    val drops = !answer.isNullAt(BoundAnswers.Purge) && answer.getBoolean(BoundAnswers.Purge)
    if (fires) if (drops) FireAndPurge else Fire else if (drops) Purge else Continue
  }

  // Timers are recorded when they are set, so that they can be deleted with the window.
  private def setTimers(answer: InternalRow, ctx: TriggerContext): Unit = {
    def timersIn(event: Int, processing: Int) =
      timesIn(answer, event).map(NestedTimer(0, true, _)) ++ timesIn(answer, processing).map(NestedTimer(0, false, _))
    val before  = timers(ctx).timers
    val deleted = timersIn(BoundAnswers.DeleteEventTimer, BoundAnswers.DeleteProcessingTimer)
    val after   = before -- deleted ++ timersIn(BoundAnswers.EventTimer, BoundAnswers.ProcessingTimer)
    (before -- after).foreach(delete(_, ctx))
    (after -- before).foreach { t =>
      if (t.eventTime) ctx.registerEventTimeTimer(t.time) else ctx.registerProcessingTimeTimer(t.time)
    }
    if (after != before) NestedTimers.store(NestedTimers(after), ctx, Timers)
  }

  private def timers(ctx: TriggerContext): NestedTimers = ctx.value[NestedTimers](Timers).getOrElse(NestedTimers.None)

  @transient private[this] lazy val initial: InternalRow =
    answers.state.map { case (schema, f) => f(InternalRow.empty).getStruct(0, schema.length).copy() }.orNull

  private def remembered(ctx: TriggerContext): Option[Any] =
    answers.state.map(_ => ctx.value[InternalRow](State).getOrElse(initial))

  override def spec: Spec = bound.fold(PartSpec("ColumnTrigger.of"))(_.spec)
}

private object ExpressionTrigger {

  /** Positions of the state and of the registered timers. */
  private val State  = 0
  private val Timers = 1

  private def factsOf(facts: Seq[Any], state: Option[Any]): InternalRow = new GenericInternalRow(
    (facts ++ state).toArray
  )

  private def common(window: Window, ctx: TriggerContext): Seq[Any] = {
    val bounds = window match {
      case TimeWindow(start, end) => InternalRow(micros(start), micros(end), micros(end - 1))
      case _                      => null
    }
    Seq(bounds, micros(ctx.currentWatermark), micros(ctx.currentProcessingTime))
  }

  // Null for a time that was never set. Times outside the range of TIMESTAMP are limited to it.
  private def micros(millis: Long): Any =
    if (millis == Long.MinValue) null else Micros.of(millis)

  // The trigger must not delete the clean-up of the window, even if it has set a timer at that time.
  private def delete(timer: NestedTimer, ctx: TriggerContext): Unit =
    if (!ctx.isCleanup(timer.eventTime, timer.time))
      if (timer.eventTime) ctx.deleteEventTimeTimer(timer.time) else ctx.deleteProcessingTimeTimer(timer.time)

  private def timesIn(answer: InternalRow, at: Int): Seq[Long] =
    if (answer.isNullAt(at)) Nil
    else {
      val times = answer.getArray(at)
      (0 until times.numElements()).filterNot(times.isNullAt).map(i => Math.floorDiv(times.getLong(i), 1000L))
    }
}
