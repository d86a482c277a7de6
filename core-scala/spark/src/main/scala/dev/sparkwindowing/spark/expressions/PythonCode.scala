package dev.sparkwindowing.spark.expressions

import org.apache.spark.sql.catalyst.expressions.Expression

/** Expressions as the Python code that an error advises. */
private[sparkwindowing] object PythonCode {

  def of(value: Expression): String = ofSql(value.sql)

  /** The cast of an expression, with the name of the type as `cast` takes it. */
  def cast(sql: String, to: String): String = s"""${ofSql(sql)}.cast("$to")"""

  def ofSql(sql: String): String = s"""F.expr("${sql.replace("\\", "\\\\").replace("\"", "\\\"")}")"""
}
