package dev.sparkwindowing.columns

import dev.sparkwindowing.declaration.{PartSpec, Spec}
import dev.sparkwindowing.spark.advice.Code
import dev.sparkwindowing.spark.expressions.{ColumnBinder, RowFunction, WindowResults}
import dev.sparkwindowing.triggers.ConditionTrigger
import org.apache.spark.sql.Column
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types.BooleanType

/** Fires when a condition over the current results of a window becomes true; null counts as false.
  *
  * The results are those that the window would have if it fired now: the columns of `aggregate` or `reduce`, by their
  * names. The state has no second copy of them, only whether the condition held when it was computed last, for each
  * window. At the end of the window it does not fire: nest it in [[dev.sparkwindowing.triggers.AnyTrigger]] with an
  * `EventTimeTrigger` for that, or in `AfterWatermark`.
  *
  * Build it with [[AggregateTrigger.of]].
  */
final class AggregateTrigger private (
    @transient when: Column,
    text: String,
    every: Boolean,
    at: String,
    bound: Option[(WindowResults, RowFunction)]
) extends ConditionTrigger[InternalRow](every, at == AggregateTrigger.MicroBatch)
    with ColumnPart[AggregateTrigger] {

  private[columns] def bind(binder: ColumnBinder): AggregateTrigger = {
    val results = binder.results.getOrElse(
      throw new UnsupportedOperationException(
        s"$this: a window has no results before it fires, since its function gets all rows then: end the windows in " +
          s".aggregate(..), ${Code.name("process")} of it too, or take a trigger of rows, ColumnTrigger.when(..)"
      )
    )
    val condition = binder.overValues(when, results.schema.map(_.copy(nullable = true)), "when of AggregateTrigger")
    if (condition.dataType != BooleanType)
      throw new IllegalArgumentException(
        s"AggregateTrigger takes a boolean column, got when = $text of type ${condition.dataType.sql}: compare it, such " +
          s"as $text > 100"
      )
    new AggregateTrigger(
      when,
      condition.text,
      every,
      at,
      Some((results, condition))
    )
  }

  @transient private[this] lazy val resultOf  = onceBound(bound)._1.inTask()
  @transient private[this] lazy val condition = onceBound(bound)._2

  private[this] var isTrue = false

  @transient private[this] lazy val compute: InternalRow => Unit = row => {
    val answer = condition(row)
    isTrue = !answer.isNullAt(0) && answer.getBoolean(0)
  }

  protected def holds(contents: AnyRef): Boolean = {
    isTrue = false
    resultOf(contents, compute)
    isTrue
  }

  override def spec: Spec = PartSpec("AggregateTrigger", Seq("when" -> Spec.Free(Spec.Sql(text))))
    .option("every", Spec.Flag(every), Spec.Flag(false))
    .option("at", Spec.Text(at), Spec.Text(AggregateTrigger.Row))
}

object AggregateTrigger {

  /** @param when
    *   a boolean expression over the columns that the windows compute, such as `col("spent") > 100`
    * @param every
    *   true to fire at each change of the condition from false to true, false to fire once a window
    * @param at
    *   `"row"` to compute it after each row; `"micro-batch"` to do so once for the rows of a micro-batch, which may
    *   then be aggregated before the exchange, and at the end of the window
    * @throws java.lang.IllegalArgumentException
    *   for another `at`
    */
  def of(when: Column, every: Boolean = false, at: String = Row): AggregateTrigger = {
    if (at != Row && at != MicroBatch)
      throw new IllegalArgumentException(
        s"""AggregateTrigger: at must be "$Row" or "$MicroBatch", got ${Code.text(at)}"""
      )
    new AggregateTrigger(when, when.toString, every, at, None)
  }

  private val Row        = "row"
  private val MicroBatch = "micro-batch"
}
