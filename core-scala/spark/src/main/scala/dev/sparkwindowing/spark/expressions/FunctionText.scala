package dev.sparkwindowing.spark.expressions

import org.apache.spark.sql.catalyst.expressions._

import scala.collection.mutable

/** SQL text of functions, equal in every analysis of the same query, in each line of Spark: columns and lambda
  * variables are numbered in order of appearance, and BETWEEN is written as comparisons.
  */
private[sparkwindowing] object FunctionText {

  def apply(functions: Seq[Expression]): Seq[String] = {
    val columns = mutable.Map.empty[ExprId, Int]
    functions.map(text(_, a => s"${a.name}#${columns.getOrElseUpdate(a.exprId, columns.size)}"))
  }

  /** SQL text of an expression, with columns by name only. */
  def plain(expression: Expression): String = text(expression, _.name)

  private def text(expression: Expression, name: Attribute => String): String = {
    val variables = mutable.Map.empty[ExprId, Int]
    CommonExpressions
      .withoutBetween(expression)
      .transformDown {
        case a: AttributeReference  => AttributeReference(name(a), a.dataType)()
        case v: NamedLambdaVariable =>
          AttributeReference(s"lambda#${variables.getOrElseUpdate(v.exprId, variables.size)}", v.dataType)()
      }
      .sql
  }
}
