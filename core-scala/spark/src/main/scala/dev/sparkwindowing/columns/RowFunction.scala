package dev.sparkwindowing.columns

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.types.DataType

/** Which of the things that an expression is computed from a reference means. */
private[columns] sealed trait Side

private[columns] object Side {
  case object First      extends Side
  case object Second     extends Side
  case object OtherValue extends Side
}

/** A column of a row, or a further value, until it is known where it lies. */
private[columns] final case class SlotReference(side: Side, slot: Int, dataType: DataType)
    extends LeafExpression
    with Unevaluable {
  override def nullable: Boolean = true
}

/** An expression over a row of the query and another row (of the query, or of further values); one a task. */
private[columns] final class RowFunction(expression: Expression, slots: Slots) extends Serializable {
  @transient private[this] lazy val joined               = new JoinedRow
  @transient private[this] var project: UnsafeProjection = _

  /** A row with the one value; the same buffer at each call. */
  def apply(first: InternalRow, second: InternalRow): InternalRow = {
    if (project == null) project = projection(first.numFields)
    project(joined(first, second))
  }

  // A host may put columns of its own behind those of the query, so the rows themselves say where the second begins.
  private[this] def projection(width: Int): UnsafeProjection = UnsafeProjection.create(Seq(expression.transform {
    case SlotReference(Side.First, slot, t)   => BoundReference(slots.ordinals(slot), t, nullable = true)
    case SlotReference(Side.Second, slot, t)  => BoundReference(width + slots.ordinals(slot), t, nullable = true)
    case SlotReference(Side.OtherValue, i, t) => BoundReference(width + i, t, nullable = true)
  }))
}
