package dev.sparkwindowing.columns

import dev.sparkwindowing.declaration.{PartSpec, Spec}
import dev.sparkwindowing.spark.advice.Code
import dev.sparkwindowing.spark.expressions.ColumnBinder
import dev.sparkwindowing.spark.rows.BoundColumn
import dev.sparkwindowing.triggers.TriggerResult.{Continue, Fire}
import dev.sparkwindowing.triggers.{OnMergeContext, Trigger, TriggerContext, TriggerResult}
import dev.sparkwindowing.windows.Window
import org.apache.spark.sql.Column
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types.BooleanType

/** Fires at each row for which a column is true. Null counts as false. */
final class ColumnTrigger private (@transient column: Column, text: String, slot: Option[BoundColumn])
    extends Trigger[InternalRow]
    with ColumnPart[ColumnTrigger] {

  private[columns] def bind(binder: ColumnBinder): ColumnTrigger = {
    val bound = binder.value(column, "the column of ColumnTrigger.when")
    if (bound.dataType != BooleanType)
      throw new IllegalArgumentException(
        s"ColumnTrigger.when takes a boolean column, got $text of type ${bound.dataType.sql}"
      )
    new ColumnTrigger(column, bound.text, Some(bound))
  }

  def onElement(row: InternalRow, timestamp: Long, window: Window, ctx: TriggerContext): TriggerResult = {
    val at = onceBound(slot).ordinal
    if (!row.isNullAt(at) && row.getBoolean(at)) Fire else Continue
  }

  def onEventTime(time: Long, window: Window, ctx: TriggerContext): TriggerResult      = Continue
  def onProcessingTime(time: Long, window: Window, ctx: TriggerContext): TriggerResult = Continue

  override def canMerge: Boolean                                  = true
  override def onMerge(window: Window, ctx: OnMergeContext): Unit = ()
  def clear(window: Window, ctx: TriggerContext): Unit            = ()

  override def spec: Spec = PartSpec("ColumnTrigger.when", Seq("column" -> Spec.Sql(text)))
}

object ColumnTrigger {

  /** @param column a boolean expression over a row of the input */
  def when(column: Column): ColumnTrigger = new ColumnTrigger(column, column.toString, None)

  /** A trigger with its own state and timers, whose answers are written as columns.
    *
    * They may refer to `window` (a struct of start, end and last, its last millisecond; null for the global window),
    * `watermark` and `processing_time` (null before the first), and `state`.
    *
    * @param state
    *   initial state of a window, a struct of constants; null if the trigger has none. Its fields are widened without
    *   loss to the types in the answers
    * @param onElement
    *   answer to an element, also over the struct `element` and its `timestamp`
    * @param onEventTime
    *   answer to an event-time timer that it has set, also over its `time`; and to the clean-up of an event-time
    *   window, for which `is_last` is true
    * @param onProcessingTime
    *   the same for processing-time timers
    * @param onMerge
    *   answer to the merge of windows into `window`, over `states`, the array of their states, in place of `state`. It
    *   returns the new state, if there is one, and sets timers; it can neither fire nor purge. Without it the trigger
    *   cannot be used where windows merge
    * @throws java.lang.IllegalArgumentException
    *   if there is no answer other than `onMerge`, if an answer sets a timer and there is no answer to that timer, or
    *   if `onMerge` fires, purges or returns no state
    */
  def of(
      state: Column = null,
      onElement: TriggerAnswer = null,
      onEventTime: TriggerAnswer = null,
      onProcessingTime: TriggerAnswer = null,
      onMerge: TriggerAnswer = null
  ): ExpressionTrigger = {
    if (Seq(onElement, onEventTime, onProcessingTime).forall(_ == null))
      throw new IllegalArgumentException(s"ColumnTrigger.of has no answer: give ${Code.name("on_element")} at least")
    Option(onMerge).foreach { answer =>
      if (answer.fire.isDefined || answer.purge.isDefined)
        throw new IllegalArgumentException(
          s"ColumnTrigger: ${Code.name("on_merge")} cannot fire or purge: take fire and purge away"
        )
      if (state != null && answer.state.isEmpty)
        throw new IllegalArgumentException(
          s"ColumnTrigger: ${Code.name("on_merge")} gives no state: add the state of all windows together, over the array `states`"
        )
    }
    val declared = DeclaredAnswers(
      Option(state),
      Option(onElement),
      Option(onEventTime),
      Option(onProcessingTime),
      Option(onMerge)
    )
    declared.unanswered.foreach { case (where, clock) =>
      throw new IllegalArgumentException(
        s"ColumnTrigger: ${Code.name(where)} gives ${Code.name(s"${clock}_timer")}, and nothing is done when it fires: " +
          s"add ${Code.named(s"on_${clock}_time", Code.call("sw.Answer", Code.dots))}"
      )
    }
    new ExpressionTrigger(declared, canMerge = onMerge != null, None)
  }
}
