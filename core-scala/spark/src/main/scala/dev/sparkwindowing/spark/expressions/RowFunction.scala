package dev.sparkwindowing.spark.expressions

import dev.sparkwindowing.spark.rows.Ordinals
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.types.DataType

import scala.collection.mutable
import scala.util.control.NonFatal

/** Input of an expression that a reference belongs to. */
private[sparkwindowing] sealed trait Side

private[sparkwindowing] object Side {
  case object First      extends Side
  case object Second     extends Side
  case object OtherValue extends Side
}

/** Reference to a column of a row or to a further value, until its position is known. */
private[sparkwindowing] final case class BoundColumnReference(side: Side, slot: Int, dataType: DataType)
    extends LeafExpression
    with Unevaluable {
  override def nullable: Boolean = true
}

/** Expression over a row of the query and another row (of the query, or of further values), or over further values
  * only; one instance per task.
  *
  * @param text
  *   the expression as declared, equal at every start of a query
  * @param what
  *   name of the expression in errors
  */
private[sparkwindowing] final class RowFunction(
    val expression: Expression,
    val text: String,
    slots: Ordinals,
    what: String
) extends Serializable {
  @transient private[this] lazy val joined               = new JoinedRow
  @transient private[this] var project: UnsafeProjection = _
  @transient private[this] var width: Int                = _
  @transient private[this] lazy val ofWidth              = mutable.Map.empty[Int, UnsafeProjection]

  def dataType: DataType = expression.dataType

  /** A copy with a function applied to its expression. */
  def map(f: Expression => Expression): RowFunction = new RowFunction(f(expression), text, slots, what)

  /** A copy with another text. */
  def written(text: String): RowFunction = new RowFunction(expression, text, slots, what)

  /** A row with only the value. Each call returns the same buffer. */
  def apply(first: InternalRow, second: InternalRow): UnsafeRow = {
    if (project == null || first.numFields != width) lookUp(first.numFields)
    try project(joined(first, second))
    catch { case NonFatal(e) => throw PartFailure.of(s"$what, $text,", e) }
  }

  /** A row with only the value, for an expression over further values only. Each call returns the same buffer. */
  def apply(values: InternalRow): UnsafeRow = {
    if (project == null) lookUp(0)
    try project(values)
    catch { case NonFatal(e) => throw PartFailure.of(s"$what, $text,", e) }
  }

  // The second row begins where the first one ends. The width of the first row varies: a host may append its own
  // columns to those of the query, and a row in the state has the columns of the query that stored it.
  private[this] def lookUp(width: Int): Unit = {
    this.width = width
    project = ofWidth.getOrElseUpdate(width, projection(width))
  }

  private[this] def projection(width: Int): UnsafeProjection = UnsafeProjection.create(Seq(expression.transform {
    case BoundColumnReference(Side.First, slot, t)   => BoundReference(slots.ordinals(slot), t, nullable = true)
    case BoundColumnReference(Side.Second, slot, t)  => BoundReference(width + slots.ordinals(slot), t, nullable = true)
    case BoundColumnReference(Side.OtherValue, i, t) => BoundReference(width + i, t, nullable = true)
  }))
}
