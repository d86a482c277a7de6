package dev.sparkwindowing.spark.functions

import dev.sparkwindowing.declaration.Spec
import dev.sparkwindowing.spark.inside.StoredFields
import org.apache.spark.sql.catalyst.expressions.aggregate.{AggregateExpression, TypedImperativeAggregate}
import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression, NamedExpression}
import org.apache.spark.sql.types.{StructField, StructType}
import org.apache.spark.sql.{Column, DataFrame}

/** Spark SQL aggregates, taken apart so that an operator can keep one buffer of them a window.
  *
  * It travels to the tasks. There [[AggregateContents]] runs the functions on rows that carry the values of `arguments`
  * at positions which the operator names; the ids of attributes mean nothing there.
  *
  * @param arguments
  *   what the functions read, over the output of the analyzed DataFrame: its own columns, and one named expression for
  *   each argument or FILTER condition that is more than a column. To be projected below the operator. On the driver
  *   only: null in a task.
  * @param argumentAttributes
  *   the attributes of `arguments`, in the same order
  * @param functions
  *   the distinct aggregate functions; they read nothing but `argumentAttributes`
  * @param resultExpressions
  *   one expression a result column, over the `resultAttribute`s of `functions`
  * @param schema
  *   the result columns, with the names and types that `df.groupBy().agg(columns)` gives
  * @param description
  *   the SQL text of each function. A column is written as its name and the order in which it is first met, not its
  *   position or id, so that the text stays when the query starts again or gets another column.
  * @param isCommutative
  *   whether the result is the same, up to the rounding of floating point, in whatever order rows come and buffers are
  *   merged. True only for functions that are known to be so.
  */
final class SqlAggregates private[functions] (
    @transient val arguments: Seq[NamedExpression],
    val argumentAttributes: Seq[Attribute],
    val functions: Seq[AggregateExpression],
    val resultExpressions: Seq[Expression],
    val schema: StructType,
    val description: Seq[String],
    val isCommutative: Boolean
) extends Computation {

  def specs: Seq[Spec] = description.map(Spec.Sql(_))

  /** The fields of the written buffer, function after function. */
  def stateSchema: StructType =
    StructType(functions.zipWithIndex.flatMap { case (f, i) =>
      f.aggregateFunction.aggBufferAttributes.map(a => StructField(s"${i}_${a.name}", a.dataType, a.nullable))
    })

  override def stateText: String = functions.zipWithIndex
    .flatMap { case (f, i) =>
      val of = f.aggregateFunction match {
        case typed: TypedImperativeAggregate[_] =>
          typed.children.map(_.dataType.catalogString).mkString(" of ", ", ", "")
        case _ => ""
      }
      f.aggregateFunction.aggBufferAttributes.map(a => s"${i}_${a.name}:${a.dataType.catalogString}$of")
    }
    .mkString("struct<", ",", ">")

  def keptContents: KeptContents = KeptContents.Buffer(StructType(functions.zipWithIndex.flatMap { case (f, i) =>
    f.aggregateFunction match {
      case typed: TypedImperativeAggregate[_] =>
        typed.aggBufferAttributes.map(a => StoredFields.opaque(s"${i}_${a.name}"))
      case plain => plain.aggBufferAttributes.map(a => StructField(s"${i}_${a.name}", a.dataType, a.nullable))
    }
  }))

  override def isReusable: Boolean = true

  def inTask(ordinals: Array[Int], fields: Int): AggregateContents = new AggregateContents(this, ordinals)
}

object SqlAggregates {

  /** Analyzes `columns` as aggregates over all rows of `df`, which may be streaming.
    *
    * @throws java.lang.IllegalArgumentException
    *   if there is no column, or one that cannot be kept window by window; the message names it and what to write
    *   instead
    * @throws org.apache.spark.sql.AnalysisException
    *   if Spark does not understand a column
    */
  def analyze(df: DataFrame, columns: Seq[Column]): SqlAggregates = AggregateAnalysis(df, columns)
}
