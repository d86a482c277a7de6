package dev.sparkwindowing.spark.expressions

import dev.sparkwindowing.spark.relocated.Relocated
import org.apache.spark.sql.catalyst.expressions.{Alias, Expression, NamedExpression, RowOrdering}
import org.apache.spark.sql.catalyst.plans.logical.Project
import org.apache.spark.sql.types.CalendarIntervalType
import org.apache.spark.sql.{Column, DataFrame, SparkWindowingBridge}

/** Columns of a DataFrame as expressions over its plan. */
private[sparkwindowing] object Columns {

  /** @throws org.apache.spark.sql.AnalysisException
    *   for a column that does not exist
    * @throws java.lang.IllegalArgumentException
    *   for a column that is no plain expression over a row (an aggregate, a window function, explode)
    */
  def resolve(df: DataFrame, columns: Seq[Column], what: String): Seq[NamedExpression] =
    SparkWindowingBridge.analyzedPlan(df.select(columns: _*)) match {
      case Project(list, child)
          if child.output.map(_.exprId) == SparkWindowingBridge.analyzedPlan(df).output.map(_.exprId) =>
        list
      case _ =>
        throw new IllegalArgumentException(
          s"$what must be an expression over one row, got ${columns.mkString(", ")}: compute it in a column of its own before"
        )
    }

  /** An expression without its name. */
  def unnamed(e: Expression): Expression = e match {
    case a: Alias => a.child
    case other    => other
  }

  /** Checks that keys have an order and a unique form in bytes, since the state store compares bytes. */
  def checkKeys(keys: Seq[NamedExpression]): Unit = keys.foreach { k =>
    if (!RowOrdering.isOrderable(k.dataType))
      throw new IllegalArgumentException(
        s"key '${k.name}' is of type ${k.dataType.sql}, which has no order: use e.g. " +
          (if (k.dataType == CalendarIntervalType) s"""F.col("${k.name}").cast("string")"""
           else s"""F.to_json("${k.name}")""") +
          " as key"
      )
    if (!Relocated.isBinaryStable(k.dataType))
      throw new IllegalArgumentException(
        s"key '${k.name}' is of type ${k.dataType.sql}, whose collation takes different texts for equal: " +
          s"""use F.collate("${k.name}", "UTF8_BINARY") as key, of F.lower("${k.name}") where case is to make no difference"""
      )
  }
}
