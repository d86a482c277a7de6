package dev.sparkwindowing.sql

import dev.sparkwindowing.spark.analysis.{Analysis, UnresolvedWindows}
import dev.sparkwindowing.spark.outputs.SideOutputs
import org.apache.spark.sql.catalyst.FunctionIdentifier
import org.apache.spark.sql.catalyst.expressions.{Expression, ExpressionInfo}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.{SparkSession, SparkWindowingBridge, SparkWindowingTables}

/** The table functions of windows as Spark registers them: name, description, and the plan of a call.
  *
  * A call is a declaration over its tables, whose plan takes the place of the call.
  */
private[sparkwindowing] object SqlFunctions {

  type Registered = SparkWindowingTables.TableFunction

  private val functions: Seq[TableFunction] = WindowFunctions.all ++ JoinFunctions.all

  val all: Seq[Registered] = functions.map { function =>
    (FunctionIdentifier(function.name), info(function), plan(function)(_))
  }

  private def info(function: TableFunction) = new ExpressionInfo(
    getClass.getName.stripSuffix("$"),
    null,
    function.name,
    s"${function.signature} - One row per firing: the keys, the window, and ${if (function.hasAggregates) "the aggregates"
      else "the rows of both tables"}.",
    s"\n    Arguments:\n      By name: ${function.named.mkString(", ")}\n  ",
    s"\n    Examples:\n      > SELECT * FROM ${function.example};\n  ",
    "",
    "",
    "",
    "",
    "scala_udf"
  )

  private def plan(function: TableFunction)(values: Seq[Expression]): LogicalPlan = {
    val arguments = Arguments.of(function, values)
    OuterRelation.without(arguments.tables) { tables =>
      val session = SparkSession.active
      function.naming {
        val call     = new Call(function, arguments, tables.map(SparkWindowingBridge.toDataFrame(session, _)))
        val declared = function.declared(call)
        val late     = declared.windows.flatMap(_.lateTag)
        call.namingAggregates(UnresolvedWindows.over(tables) { frames =>
          val result = Analysis.of(declared.map(frames))
          late.fold(result)(SideOutputs.beside(result, _))
        })
      }
    }
  }
}
