package dev.sparkwindowing.columns

import dev.sparkwindowing.assigners.{LimitedSessionWindows, MergingWindowAssigner, WindowAssigner}
import dev.sparkwindowing.declaration.{Part, PartSpec, Spec}
import dev.sparkwindowing.evictors.Evictor
import dev.sparkwindowing.spark.expressions.ColumnBinder
import dev.sparkwindowing.triggers.Trigger
import org.apache.spark.sql.Row
import org.apache.spark.sql.catalyst.InternalRow

/** Assigners, triggers and evictors that users write on `Row`: an element is a row of the input, with its columns.
  *
  * A part that does not read the element (a trigger on `Any`) does not need this.
  */
object RowParts {

  def assigner(assigner: WindowAssigner[Row]): WindowAssigner[InternalRow] = this.assigner(assigner, assigner.spec)

  def trigger(trigger: Trigger[Row]): Trigger[InternalRow] = this.trigger(trigger, trigger.spec)

  def evictor(evictor: Evictor[Row]): Evictor[InternalRow] = this.evictor(evictor, evictor.spec)

  private[sparkwindowing] def assigner(user: WindowAssigner[Row], spec: Spec): WindowAssigner[InternalRow] =
    user match {
      case limited: LimitedSessionWindows[Row] =>
        throw new IllegalArgumentException(
          s"$limited is an assigner of this library, whose limits a wrapper would hide: pass it to window itself, with " +
            "ColumnGap.eventTime(column) for a gap and ColumnSessionEnd.of(column) for an end that depend on the row"
        )
      case merging: MergingWindowAssigner[Row] => new MergingRowAssigner(merging, spec, None)
      case other                               => new RowAssigner(other, spec, None)
    }

  private[sparkwindowing] def trigger(user: Trigger[Row], spec: Spec): Trigger[InternalRow] =
    new RowTrigger(user, spec, None)

  private[sparkwindowing] def evictor(user: Evictor[Row], spec: Spec): Evictor[InternalRow] =
    new RowEvictor(user, spec, None)

  /** A user's part and its spec, with the parts inside it bound to the rows of a query. */
  private[columns] def bound[P <: Part](user: P, spec: Spec, binder: ColumnBinder): (P, Spec) = {
    val inside = user.children.map(child => child -> ColumnPart.bound(child, binder))
    if (inside.forall { case (child, bound) => child eq bound }) (user, spec)
    else {
      val onRow = inside.map { case (child, bound) => if (child eq bound) child else InnerTrigger.of(bound, spec) }
      val text  = spec match {
        case part: PartSpec => part.around(inside.map(_._2.spec))
        case other          => other
      }
      // A part is replaced by one of the same type, by the contract of `withChildren`.
      (user.withChildren(onRow).asInstanceOf[P], text)
    }
  }
}
