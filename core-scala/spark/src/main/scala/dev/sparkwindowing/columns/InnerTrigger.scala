package dev.sparkwindowing.columns

import dev.sparkwindowing.declaration.{Part, Spec}
import dev.sparkwindowing.spark.rows.ElementRow
import dev.sparkwindowing.triggers.{Trigger, TriggerContext, TriggerResult}
import dev.sparkwindowing.windows.Window
import org.apache.spark.sql.Row
import org.apache.spark.sql.catalyst.InternalRow

/** Trigger on the rows of the operator, inside a user's trigger on `Row`. */
private[columns] final class InnerTrigger(trigger: Trigger[InternalRow]) extends ForwardingTrigger[Row](trigger) {

  def onElement(element: Row, timestamp: Long, window: Window, ctx: TriggerContext): TriggerResult = element match {
    case row: ElementRow => trigger.onElement(row.underlying, timestamp, window, ctx)
    case other           =>
      throw new IllegalArgumentException(
        s"$trigger takes the row that the trigger around it was called with, got another one: $other"
      )
  }

  protected def forward[T](method: String)(call: => T): T = call

  override def spec: Spec = trigger.spec
}

private[columns] object InnerTrigger {

  /** @throws java.lang.IllegalArgumentException
    *   if it is no trigger: inside a part on `Row`, only triggers can be written as columns
    */
  def of(bound: Part, outer: Spec): Part = bound match {
    case trigger: Trigger[InternalRow @unchecked] => new InnerTrigger(trigger)
    case other                                    =>
      throw new IllegalArgumentException(
        s"$outer works on Row, and ${other.spec} inside it on columns: write it on Row"
      )
  }
}
