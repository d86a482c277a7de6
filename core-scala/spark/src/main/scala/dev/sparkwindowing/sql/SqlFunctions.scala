package dev.sparkwindowing.sql

import dev.sparkwindowing.spark.analysis.UnresolvedWindows
import dev.sparkwindowing.spark.declared.{Computed, Declaration, DeclaredRows}
import dev.sparkwindowing.spark.expressions.{ColumnErrors, Columns}
import dev.sparkwindowing.spark.plan.{EventTimeMarks, WindowRules}
import dev.sparkwindowing.windows.Millis
import org.apache.spark.sql.catalyst.FunctionIdentifier
import org.apache.spark.sql.catalyst.expressions.{Expression, ExpressionInfo}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.{Column, DataFrame, SparkSession, SparkWindowingBridge, SparkWindowingTables}

/** The table functions of windows as Spark registers them: name, description, and the plan of a call.
  *
  * A call is a declaration over its table, whose plan takes the place of the call.
  */
private[sparkwindowing] object SqlFunctions {

  type Registered = SparkWindowingTables.TableFunction

  val all: Seq[Registered] = WindowFunctions.all.map { function =>
    (FunctionIdentifier(function.name), info(function), plan(function)(_))
  }

  private def info(function: TableFunction) = new ExpressionInfo(
    getClass.getName.stripSuffix("$"),
    null,
    function.name,
    s"${function.signature} - One row per firing: the keys, the window, and the aggregates.",
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
    OuterRelation.without(arguments.table) { table =>
      val rows    = SparkWindowingBridge.toDataFrame(SparkSession.active, table)
      val columns = s"the columns of the table (${rows.columns.mkString(", ")})"
      function.naming {
        val declared = declaration(function, arguments, rows, columns)
        ColumnErrors.named(TableFunction.Aggregates, columns, rows.schema)(UnresolvedWindows.over(declared, Seq(table)))
      }
    }
  }

  // The table is the only input, number 0.
  private def declaration(
      function: TableFunction,
      arguments: Arguments,
      rows: DataFrame,
      columns: String
  ): Declaration[Int] = {
    import TableFunction._
    def listOf(parameter: String, text: String) =
      ColumnErrors.named(parameter, columns, rows.schema) {
        SparkWindowingBridge
          .selectList(rows.sparkSession, text)
          .getOrElse(function.refuse(s"$parameter must be a list of columns, got '$text'"))
      }
    def resolved(parameter: String, list: Seq[Column]) =
      ColumnErrors.named(parameter, columns, rows.schema) {
        Columns.resolve(rows, list, parameter)
      }
    val key  = arguments.text(Key)
    val keys = if (key.trim.isEmpty) Nil else listOf(Key, key)
    val time = listOf(Time, arguments.text(Time))
    resolved(Key, keys)
    if (time.size != 1) function.refuse(s"$Time must be one column, got '${arguments.text(Time)}'")
    resolved(Time, time)
    checkWatermark(function, arguments.text(Time), rows)
    val retracts = arguments.optionalText(Retracts).map { text =>
      val list = listOf(Retracts, text)
      resolved(Retracts, list)
      if (list.size != 1) function.refuse(s"$Retracts must be one column, got '$text'")
      list.head
    }
    val rules = WindowRules(
      function.assigner(arguments),
      allowedLateness = Millis.of("lateness", arguments.optionalDuration(AllowedLateness)),
      pane = arguments.flag(WithPane),
      fillEmpty = arguments.ifGiven(FillEmpty).map(time => Millis.positive(FillEmpty, time))
    )
    val aggregates = Computed.Aggregates(arguments.aggregates.flatMap(listOf(Aggregates, _)))
    Declaration(DeclaredRows.Keyed(0, keys, Some(time.head), retracts = retracts), Some(rules), aggregates)
  }

  private def checkWatermark(function: TableFunction, time: String, rows: DataFrame): Unit = {
    val plan = SparkWindowingBridge.analyzedPlan(rows)
    if (rows.isStreaming && (EventTimeMarks.areOfTable(plan) || !plan.output.exists(EventTimeMarks.hasWatermark)))
      function.refuse(
        s"""the stream has no watermark, by which windows end: name a view of df.withWatermark("$time", "10 seconds"), or """ +
          s"from Spark 4.1 on TABLE(SELECT * FROM t WATERMARK $time DELAY OF INTERVAL 10 SECONDS)"
      )
  }
}
