package org.apache.spark.sql

import org.apache.spark.sql.catalyst.FunctionIdentifier
import org.apache.spark.sql.catalyst.expressions.{Expression, ExpressionInfo}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan

/** Access to the table functions of a session. */
object SparkWindowingTables {

  /** Name, description and plan of a table function. */
  type TableFunction = (FunctionIdentifier, ExpressionInfo, Seq[Expression] => LogicalPlan)

  /** Adds table functions to a running session, once. A function of the session that has the name of one of them stays.
    */
  def add(session: SparkSession, functions: Seq[TableFunction]): Unit = {
    val registry = session.asInstanceOf[ClassicApi.Session].sessionState.tableFunctionRegistry
    // By extensions of their own, since Spark's versions qualify names differently.
    val added = new SparkSessionExtensions
    registry.synchronized {
      val present = registry.listFunction().map(_.funcName).toSet
      functions.filterNot { case (name, _, _) => present(name.funcName) }.foreach(added.injectTableFunction)
      added.registerTableFunctions(registry)
    }
  }
}
