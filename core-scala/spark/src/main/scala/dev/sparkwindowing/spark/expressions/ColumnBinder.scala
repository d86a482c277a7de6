package dev.sparkwindowing.spark.expressions

import dev.sparkwindowing.spark.rows.{BoundColumn, EventTimeType, Ordinals, RowView}
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.optimizer.ReplaceExpressions
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, Project}
import org.apache.spark.sql.types._
import org.apache.spark.sql.{Column, DataFrame, Row, SparkWindowingBridge}

import scala.collection.mutable.ArrayBuffer

/** Binds the columns in the declaration of a query to the rows of its operator.
  *
  * Collects the expressions to project below the operator. Their positions in the rows are set later, by [[place]].
  *
  * @param times
  *   the type of the event time
  */
private[sparkwindowing] final class ColumnBinder(df: DataFrame, val times: EventTimeType) {
  private[this] val slots     = new Ordinals
  private[this] val projected = ArrayBuffer.empty[NamedExpression]
  private[this] val input     = SparkWindowingBridge.analyzedPlan(df).output

  /** The result that a window has at any time; None if it has none before it fires. */
  var results: Option[WindowResults] = None

  /** The columns to project, in the order of their indexes. */
  def columns: Seq[NamedExpression] = projected.toSeq

  /** Sets the positions of the columns in the rows of the query. */
  def place(ordinals: Array[Int]): Unit = slots.ordinals = ordinals

  /** An expression over one row, computed before the rows are exchanged.
    *
    * @param what
    *   name of the column in errors
    */
  def value(column: Column, what: String): BoundColumn = {
    val over = s"the columns of the input (${df.columns.mkString(", ")})"
    slot(ColumnErrors.named(what, over, df.schema)(Columns.resolve(df, Seq(column), what)).head)
  }

  /** All columns of the input. */
  def rowView: RowView = new RowView(df.schema, input.map(slot).toArray)

  /** An expression over two rows of the input, which the column refers to by these names. */
  def overRows(column: Column, first: String, second: String, as: DataType, what: String): RowFunction = {
    val frame = StructType(Seq(StructField(first, df.schema), StructField(second, df.schema)))
    compile(column, frame, Some(as), what) { case (plan, e) =>
      val Seq(one, two) = plan.output
      e.transformDown(field(one, Side.First)).transformDown(field(two, Side.Second))
    }
  }

  /** An expression over a row of the input, which the column refers to by this name, and further values. */
  def overRow(
      column: Column,
      name: String,
      more: Seq[StructField],
      what: String,
      as: Option[DataType] = None
  ): RowFunction =
    compile(column, StructType(StructField(name, df.schema) +: more), as, what) { case (plan, e) =>
      e.transformDown(field(plan.output.head, Side.First)).transformDown(value(plan.output.tail))
    }

  /** An expression over values only; over no value for a constant. */
  def overValues(column: Column, values: Seq[StructField], what: String): RowFunction =
    compile(column, StructType(values), None, what) { case (plan, e) => e.transformDown(value(plan.output)) }

  /** A struct of named expressions over the same rows; a missing expression is null.
    *
    * @param name
    *   name of the struct in its text
    */
  def struct(
      parts: Seq[Option[(String, RowFunction)]],
      types: Seq[DataType],
      name: String,
      what: String
  ): RowFunction = {
    val fields = parts.zip(types).zipWithIndex.flatMap { case ((part, t), i) =>
      Seq(Literal(i.toString), part.fold[Expression](Literal(null, t))(_._2.expression))
    }
    val text = parts.flatten.map { case (name, f) => s"$name = ${f.text}" }.mkString(s"$name(", ", ", ")")
    new RowFunction(CreateNamedStruct(fields), text, slots, what)
  }

  /** The columns of the input, all nullable. */
  def schema: StructType = SparkWindowingBridge.nullable(df.schema)

  private def compile(column: Column, frame: StructType, as: Option[DataType], what: String)(
      rewrite: (LogicalPlan, Expression) => Expression
  ): RowFunction = {
    val empty = df.sparkSession.createDataFrame(java.util.Collections.emptyList[Row](), frame)
    val over  = if (frame.isEmpty) "constants alone" else frame.fieldNames.mkString(", ")
    val plan  = ColumnErrors.named(what, over, frame) {
      SparkWindowingBridge.analyzedPlan(empty.select(as.fold(column)(column.cast)))
    }
    plan match {
      case plan @ Project(_, child) if child.output.size == frame.size =>
        val Project(list, _) = ReplaceExpressions(plan): @unchecked
        val written          = Columns.unnamed(list.head)
        val asWritten        = written match {
          case c: Cast if as.isDefined => c.child
          case e                       => e
        }
        val expression = CommonExpressions.inline(rewrite(child, written))
        val odd        = expression.find {
          case _: BoundColumnReference => false
          case e => e.isInstanceOf[Unevaluable] || (!e.deterministic && e.children.forall(_.deterministic))
        }
        odd.foreach { e =>
          throw new IllegalArgumentException(
            s"$what cannot use ${e.sql}: it must be a deterministic expression of Spark SQL over $over"
          )
        }
        new RowFunction(expression, FunctionText.plain(asWritten), slots, what)
      case _ =>
        throw new IllegalArgumentException(s"$what must be an expression over $over, got $column")
    }
  }

  private def value(values: Seq[Attribute]): PartialFunction[Expression, Expression] = {
    case a: Attribute if values.exists(_.exprId == a.exprId) =>
      BoundColumnReference(Side.OtherValue, values.indexWhere(_.exprId == a.exprId), a.dataType)
  }

  // Fields of the struct that represents a row, and the row as a whole.
  private def field(row: Attribute, side: Side): PartialFunction[Expression, Expression] = {
    case GetStructField(a: Attribute, i, _) if a.exprId == row.exprId => reference(i, side)
    case a: Attribute if a.exprId == row.exprId                       =>
      CreateNamedStruct(input.indices.flatMap(i => Seq(Literal(input(i).name), reference(i, side))))
  }

  private def reference(i: Int, side: Side): Expression =
    BoundColumnReference(side, slot(input(i)).index, input(i).dataType)

  private def slot(e: NamedExpression): BoundColumn = {
    val known = projected.indexWhere(p => p.exprId == e.exprId)
    if (known < 0) projected += e
    new BoundColumn(
      slots,
      if (known < 0) projected.size - 1 else known,
      e.dataType,
      FunctionText.plain(Columns.unnamed(e))
    )
  }
}
