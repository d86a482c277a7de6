package dev.sparkwindowing.spark.aggregates

import dev.sparkwindowing.spark.advice.{Code, Face}
import dev.sparkwindowing.spark.expressions.KeyTypes
import dev.sparkwindowing.spark.relocated.Relocated
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate.{
  AggregateExpression,
  Count,
  DeclarativeAggregate,
  ImperativeAggregate,
  Sum
}
import org.apache.spark.sql.catalyst.plans.logical.{Aggregate, Generate, LogicalPlan, Window}
import org.apache.spark.sql.catalyst.trees.TreePattern
import org.apache.spark.sql.types.ObjectType
import org.apache.spark.sql.{AnalysisException, Column, DataFrame}

/** Refuses columns that cannot be window aggregates, each with a message that says what to write instead. */
private[sparkwindowing] object AggregateRefusals {

  def refuse(what: String, instead: String): Nothing = throw new IllegalArgumentException(s"aggregate: $what: $instead")

  /** The plan of `df.groupBy().agg(columns)`, checked by Spark. */
  def aggregateOf(df: DataFrame, columns: Seq[Column]): Aggregate = {
    if (columns.isEmpty)
      refuse(
        "got no column",
        s"name at least one, as in aggregate(${Code.function("count", Code.lit(Code.plain("1")))})"
      )
    val plan =
      try analyze(df, columns)
      catch {
        case e: AnalysisException if notGrouped(e) => explain(df, failing(df, columns, e)(notGrouped))
        case e: AnalysisException if isNested(e)   => nested(failing(df, columns, e)(isNested))
      }
    plan match {
      case a: Aggregate                                  => a
      case p if count[Window](p) > count[Window](df)     => windowFunction(columns.mkString(", "))
      case p if count[Generate](p) > count[Generate](df) =>
        refuse(s"${columns.mkString(", ")} makes several rows of one", "apply explode to the result of the windows")
      case _ => refuse(s"${columns.mkString(", ")} is no plain aggregate", "apply what surrounds it to the result")
    }
  }

  /** Checks a result column as the analyzer returns it. */
  def checkColumn(column: NamedExpression): Unit = {
    if (column.exists(_.isInstanceOf[SubqueryExpression]))
      refuse(
        s"column '${column.name}' contains a subquery",
        "join what it reads before the window, or compute it into a column first"
      )
    if (!column.exists(_.isInstanceOf[AggregateExpression])) noAggregate(column.name)
  }

  /** Checks a function as the analyzer returns it. */
  def checkFunction(function: AggregateExpression): Unit = {
    function.aggregateFunction match {
      case python: PythonFuncExpression => inPython(python, function)
      case _                            =>
    }
    if (function.isDistinct) {
      val values = function.aggregateFunction.children // after the first of most: parameters
      val of     = argument(values.head)
      refuse(
        s"${function.sql} is DISTINCT, which no buffer can keep",
        function.aggregateFunction match {
          case _: Count =>
            val counted = if (values.size == 1) of else together(values)
            val exact   =
              if (values.exists(v => KeyTypes.comparable(v.dataType, v.sql).isEmpty)) ""
              else s"${Code.function("size", setOf(counted))} for the exact count or "
            s"write $exact${Code.function("approx_count_distinct", counted)} for an estimate"
          case _: Sum =>
            val zero = Code.lit(Code.plain("0")).cast("..")
            val sum  = Code.function("aggregate", setOf(of), zero, Code.lambda("all", "one")("all + one"))
            s"add up a set, $sum, with the type of the sum"
          case _ =>
            s"apply a function of arrays to ${setOf(of)}, such as ${Code.function("array_join", Code.dots)}"
        }
      )
    }
  }

  private def setOf(values: Code): Code = Code.function("collect_set", values)

  private def argument(value: Expression): Code = value match {
    case a: Attribute if compared(a) == a.sql => Code.reference(a.sql)
    case _                                    => Code.sql(compared(value))
  }

  // Sets take no maps and no collations.
  private def compared(value: Expression): String = KeyTypes.comparable(value.dataType, value.sql).getOrElse(value.sql)

  /** Several values as one, which is null if one of them is, as Spark counts them. */
  private def together(values: Seq[Expression]): Code = {
    val nulls = values.map(v => s"isnull(${v.sql})")
    Code.sql(s"IF(${nulls.mkString(" OR ")}, NULL, struct(${values.map(compared).mkString(", ")}))")
  }

  /** Checks a function after all of Spark's rewrites. */
  def checkEvaluable(function: AggregateExpression, sql: String): Unit =
    function.aggregateFunction match {
      case f @ (_: DeclarativeAggregate | _: ImperativeAggregate) =>
        if (f.children.exists(_.dataType.isInstanceOf[ObjectType]))
          refuse(s"$sql is a typed aggregator", "wrap it with org.apache.spark.sql.functions.udaf and name its columns")
      case _ => refuse(s"$sql cannot be evaluated outside Spark's own aggregation", "use another function")
    }

  /** Checks a result column over the results of the functions. */
  def checkResult(result: Expression, name: String): Unit =
    result.find(e => needsPlanner(e) || (!e.deterministic && e.children.forall(_.deterministic))).foreach { e =>
      refuse(
        s"column '$name' applies ${withoutIds(e.sql)} to the result of an aggregate, which a window cannot do",
        s"apply it to the result of the windows, $InColumn"
      )
    }

  /** True if only Spark's planner can evaluate `e`: a Python function, or the current time, one per micro-batch. */
  def needsPlanner(e: Expression): Boolean = e match {
    case _: Attribute   => false
    case _: Unevaluable => true
    case _              => isCurrent(e) && !e.children.exists(isCurrent)
  }

  private def isCurrent(e: Expression): Boolean = e.containsPattern(TreePattern.CURRENT_LIKE)

  /** Checks that an argument consists of columns of the DataFrame, unlike a hidden metadata column. */
  def checkArgument(argument: Expression, input: AttributeSet): Unit =
    if (!argument.references.subsetOf(input))
      refuse(s"${argument.sql} is no column of the DataFrame", s"compute it into a column first, $InColumn")

  private val InColumn = Code {
    case Face.Sql => "in a SELECT"
    case _        => "with withColumn"
  }
  private val Windows = Code {
    case Face.Sql => "this call"
    case _        => "window(..)"
  }
  private val Again = Code {
    case Face.Python => "key_by(result, ..).window(..).aggregate(..)"
    case Face.Scala  => "result.keyBy(..).window(..).aggregate(..)"
    case Face.Sql    => "a call over TABLE(SELECT .. FROM this call)"
  }
  private val ForSql = Code {
    case Face.Sql => ". SQL has no form of this: use the builders"
    case _        => ""
  }

  private def noAggregate(column: String): Nothing =
    refuse(
      s"column '$column' is no aggregate",
      s"wrap it in ${Code.function("first", Code.dots)} or another aggregate, or add it to the keys"
    )

  // The numbers of PythonEvalType for aggregates on arrays of Arrow, which Spark 4.1 added.
  private val OnArrow = Set(252, 254)

  private def inPython(python: PythonFuncExpression, function: AggregateExpression): Nothing = {
    val name    = python.name
    val columns = function.aggregateFunction.children.map {
      case a: Attribute => s"""rows["${a.name}"]"""
      case _            => """rows[".."]"""
    }
    val (call, of) =
      if (OnArrow(python.evalType))
        (s"$name(${columns.map(c => s"pa.array($c)").mkString(", ")}).as_py()", "arrow_udf")
      else (s"$name(${columns.mkString(", ")})", "pandas_udf")
    val result = function.aggregateFunction.dataType.catalogString
    refuse(
      s"${withoutIds(function.sql)} is an aggregate in Python, which has no buffer to keep",
      s"use Spark's own functions; or take $of(..) away from $name and write, in place of aggregate, " +
        s""".apply(lambda key, window, rows: pd.DataFrame({"$name": [$call]}), "$name $result"), """ +
        s"which gets all rows of a window (docs/setup.md, Python functions of windows)$ForSql"
    )
  }

  // In the text of a column that came by Spark Connect.
  private val NoFrame = " unspecifiedframe$()"

  private def windowFunction(column: String): Nothing =
    refuse(
      s"${column.replace(NoFrame, "")} is a window function (OVER)",
      s"write the plain aggregate: the window is that of $Windows"
    )

  private def analyze(df: DataFrame, columns: Seq[Column]): LogicalPlan =
    df.groupBy().agg(columns.head, columns.tail: _*).queryExecution.analyzed

  private def notGrouped(e: AnalysisException): Boolean =
    Set("MISSING_AGGREGATION", "MISSING_GROUP_BY").contains(Relocated.condition(e))

  // Spark names the attribute at fault, not the column: try them one by one.
  private def failing(df: DataFrame, columns: Seq[Column], e: AnalysisException)(
      fault: AnalysisException => Boolean
  ): Column = {
    def fails(c: Column) =
      try {
        analyze(df, Seq(c))
        false
      } catch { case again: AnalysisException => fault(again) }
    columns.find(fails).getOrElse(throw e)
  }

  private def explain(df: DataFrame, column: Column): Nothing =
    if (usesWindow(df, column)) windowFunction(column.toString) else noAggregate(nameOf(df, column))

  private def isNested(e: AnalysisException): Boolean = Relocated.condition(e) == "NESTED_AGGREGATE_FUNCTION"

  private def nested(column: Column): Nothing = refuse(
    s"$column is an aggregate of an aggregate",
    s"aggregate the result again, in windows of its own, $Again"
  )

  private def nameOf(df: DataFrame, column: Column): String =
    try df.select(column).columns.mkString(", ")
    catch { case _: AnalysisException => column.toString }

  private def withoutIds(sql: String): String = sql.replaceAll("#\\d+L?", "")

  private def usesWindow(df: DataFrame, column: Column): Boolean =
    try count[Window](df.select(column).queryExecution.analyzed) > count[Window](df)
    catch { case _: AnalysisException => false }

  private def count[T: reflect.ClassTag](df: DataFrame): Int = count[T](df.queryExecution.analyzed)

  private def count[T: reflect.ClassTag](plan: LogicalPlan): Int = plan.collect { case node: T => node }.size
}
