package dev.sparkwindowing.spark.aggregates

import dev.sparkwindowing.declaration.Spec
import dev.sparkwindowing.spark.computations.{ContentsFormat, PartialComputation}
import dev.sparkwindowing.spark.rows.StoredFields
import org.apache.spark.sql.catalyst.expressions.aggregate.{
  AggregateExpression,
  AggregateFunction,
  Partial,
  TypedImperativeAggregate
}
import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression, NamedExpression, UnsafeRow}
import org.apache.spark.sql.types.{StructField, StructType}

/** Spark SQL aggregates, split so that an operator can keep one buffer of them per window.
  *
  * Tasks receive this object. There [[AggregateContents]] runs the functions on rows with the values of `arguments` at
  * positions that the operator names; attribute ids have no meaning there.
  *
  * @param arguments
  *   the input of the functions, over the output of the analyzed DataFrame: its own columns, and one named expression
  *   for each argument or FILTER condition that is more than a column. To be projected below the operator. On the
  *   driver only: null in a task.
  * @param argumentAttributes
  *   the attributes of `arguments`, in the same order
  * @param functions
  *   the distinct aggregate functions; they read only `argumentAttributes`
  * @param resultExpressions
  *   one expression per result column, over the `resultAttribute`s of `functions`
  * @param schema
  *   the result columns, with names and types as in `df.groupBy().agg(columns)`
  * @param description
  *   the SQL text of each function. A column is written as its name and its order of appearance, not its position or
  *   id, so that the text stays the same when the query restarts or the input gets another column.
  * @param commutes
  *   whether the result is the same, up to floating-point rounding, for any order of rows and merges. True only for
  *   functions known to be so.
  */
final class SqlAggregates private[sparkwindowing] (
    @transient override val arguments: Seq[NamedExpression],
    val argumentAttributes: Seq[Attribute],
    val functions: Seq[AggregateExpression],
    val resultExpressions: Seq[Expression],
    val schema: StructType,
    val description: Seq[String],
    commutes: Boolean
) extends PartialComputation {

  def specs: Seq[Spec] = description.map(Spec.Sql(_))

  // Fields of the serialized buffer, function after function.
  private def slots: Seq[(AggregateFunction, StructField)] = functions.zipWithIndex.flatMap { case (f, i) =>
    val function = f.aggregateFunction
    function.aggBufferAttributes.map(a => function -> StructField(s"${i}_${a.name}", a.dataType, a.nullable))
  }

  def stateSchema: StructType = StructType(slots.map { case (_, slot) => slot })

  override def stateText: String = slots
    .map { case (f, slot) =>
      val of = f match {
        case typed: TypedImperativeAggregate[_] =>
          typed.children.map(_.dataType.catalogString).mkString(" of ", ", ", "")
        case _ => ""
      }
      s"${slot.name}:${slot.dataType.catalogString}$of"
    }
    .mkString("struct<", ",", ">")

  def keptContents: ContentsFormat = ContentsFormat.Buffer(StructType(slots.map {
    case (_: TypedImperativeAggregate[_], slot) => StoredFields.opaque(slot.name)
    case (_, slot)                              => slot
  }))

  /** The functions before an exchange, over other columns.
    *
    * @param columns
    *   the column of each of `argumentAttributes`
    */
  private[spark] def partial(columns: Seq[Attribute]): Seq[AggregateExpression] = {
    val at = argumentAttributes.map(_.exprId).zip(columns).toMap
    functions.map { f =>
      val over = f.transform { case a: Attribute => at.getOrElse(a.exprId, a) }
      over.asInstanceOf[AggregateExpression].copy(mode = Partial)
    }
  }

  /** True if the buffers are fixed-width rows, which are updated in place. */
  def areFlat: Boolean =
    stateSchema.forall(f => UnsafeRow.isMutable(f.dataType)) &&
      !functions.exists(_.aggregateFunction.isInstanceOf[TypedImperativeAggregate[_]])

  override def isReusable: Boolean = true

  def needsOrder: Option[String] = if (commutes) None else Some("the functions depend on the order of the rows")

  def partialSchema: StructType = stateSchema

  def inTask(ordinals: Array[Int], fields: Int): AggregateContents = new AggregateContents(this, ordinals)

  def mergeInTask(first: Int): AggregateContents = new AggregateContents(this, BufferInput.written(first))
}
