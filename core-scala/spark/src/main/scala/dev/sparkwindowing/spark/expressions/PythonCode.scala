package dev.sparkwindowing.spark.expressions

import org.apache.spark.sql.catalyst.expressions.Expression

/** Expressions as the Python code that an error advises. */
private[sparkwindowing] object PythonCode {

  def of(value: Expression): String = ofSql(value.sql)

  def ofSql(sql: String): String = s"""F.expr("${sql.replace("\\", "\\\\").replace("\"", "\\\"")}")"""
}
