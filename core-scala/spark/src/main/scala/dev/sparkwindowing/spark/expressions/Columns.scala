package dev.sparkwindowing.spark.expressions

import dev.sparkwindowing.spark.advice.Code
import org.apache.spark.sql.catalyst.expressions.{Alias, ExprId, Expression, NamedExpression}
import org.apache.spark.sql.catalyst.plans.logical.Project
import org.apache.spark.sql.catalyst.util.METADATA_COL_ATTR_KEY
import org.apache.spark.sql.{Column, DataFrame, SparkWindowingBridge}

/** Columns of a DataFrame as expressions over its plan. */
private[sparkwindowing] object Columns {

  /** @throws org.apache.spark.sql.AnalysisException
    *   for a column that does not exist
    * @throws java.lang.IllegalArgumentException
    *   for a column that is no plain expression over a row (an aggregate, a window function, explode)
    */
  def resolve(df: DataFrame, columns: Seq[Column], what: String): Seq[NamedExpression] = {
    val own = SparkWindowingBridge.analyzedPlan(df).output.map(_.exprId)
    SparkWindowingBridge.analyzedPlan(df.select(columns: _*)) match {
      case Project(list, child) if child.output.map(_.exprId) == own => list
      case Project(list, _) if list.exists(hidden(_, own).nonEmpty)  =>
        val name = list.flatMap(hidden(_, own)).head
        throw new IllegalArgumentException(
          s"$what uses '$name', a hidden column of the source, which rows have only if it is selected: write " +
            s"${Code.df.select(name)} before"
        )
      case _ =>
        throw new IllegalArgumentException(
          s"$what must be an expression over one row, got ${columns.mkString(", ")}: compute it in a column of its own before"
        )
    }
  }

  private def hidden(e: Expression, own: Seq[ExprId]): Seq[String] =
    e.references.toSeq.collect {
      case a if !own.contains(a.exprId) && a.metadata.contains(METADATA_COL_ATTR_KEY) => a.name
    }

  /** An expression without its name. */
  def unnamed(e: Expression): Expression = e match {
    case a: Alias => a.child
    case other    => other
  }
}
