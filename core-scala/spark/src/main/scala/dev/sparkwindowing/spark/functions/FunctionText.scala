package dev.sparkwindowing.spark.functions

import org.apache.spark.sql.catalyst.expressions._

import scala.collection.mutable

/** The SQL of functions, equal in every analysis of the same query: columns and lambda variables are numbered in the
  * order in which they are met.
  */
private[sparkwindowing] object FunctionText {

  def apply(functions: Seq[Expression]): Seq[String] = {
    val columns = mutable.Map.empty[ExprId, Int]
    functions.map { f =>
      val variables = mutable.Map.empty[ExprId, Int]
      f.transformDown {
        case a: AttributeReference =>
          AttributeReference(s"${a.name}#${columns.getOrElseUpdate(a.exprId, columns.size)}", a.dataType)()
        case v: NamedLambdaVariable =>
          AttributeReference(s"lambda#${variables.getOrElseUpdate(v.exprId, variables.size)}", v.dataType)()
      }.sql
    }
  }
}
