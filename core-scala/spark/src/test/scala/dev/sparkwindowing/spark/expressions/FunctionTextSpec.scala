package dev.sparkwindowing.spark.expressions

import dev.sparkwindowing.spark.SharedSpark
import org.apache.spark.sql.SparkWindowingBridge
import org.apache.spark.sql.catalyst.expressions.NamedExpression
import org.apache.spark.sql.catalyst.plans.logical.Project
import org.scalatest.funsuite.AnyFunSuite

/** The text of a function in a specification is the same on every line of Spark. */
class FunctionTextSpec extends AnyFunSuite with SharedSpark {

  private def textOf(sql: String): String =
    SparkWindowingBridge.analyzedPlan(spark.range(1).selectExpr("id AS price").selectExpr(s"$sql AS x")) match {
      case Project(Seq(column: NamedExpression), _) => FunctionText.plain(Columns.unnamed(column))
      case other                                    => fail(other.toString)
    }

  test("BETWEEN, which is an expression of its own from Spark 4 on, and a conjunction before") {
    assert(
      textOf("price BETWEEN 1 AND 5 + 1") == "((price >= CAST(1 AS BIGINT)) AND (price <= CAST((5 + 1) AS BIGINT)))"
    )
    assert(textOf("price BETWEEN 1 AND 5 + 1") == textOf("price >= 1 AND price <= 5 + 1"))
    assert(textOf("NOT price BETWEEN 1 AND 2 OR true") == textOf("NOT (price >= 1 AND price <= 2) OR true"))
  }
}
