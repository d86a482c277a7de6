package dev.sparkwindowing.spark.aggregates

import dev.sparkwindowing.spark.expressions.{Columns, CommonExpressions, FunctionText}
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate.{AggregateExpression, AggregateFunction}
import org.apache.spark.sql.catalyst.optimizer.ReplaceExpressions
import org.apache.spark.sql.catalyst.plans.logical.Aggregate
import org.apache.spark.sql.types.MetadataBuilder
import org.apache.spark.sql.{Column, DataFrame}

import scala.collection.mutable

/** Splits aggregates on the driver into arguments to project below the operator, functions, and result expressions. */
private[sparkwindowing] object AggregateAnalysis {

  /** Analyzes `columns` as aggregates over all rows of `df`, which may be streaming.
    *
    * @param retracts
    *   true for a row that takes back an earlier one; None if no row does
    * @throws java.lang.IllegalArgumentException
    *   if there are no columns, or one cannot be computed per window; the message names it and says what to write
    *   instead
    * @throws org.apache.spark.sql.AnalysisException
    *   if Spark cannot analyze a column
    */
  def apply(df: DataFrame, columns: Seq[Column], retracts: Option[Expression] = None): SqlAggregates = {
    val analyzed = AggregateRefusals.aggregateOf(df, columns)
    analyzed.aggregateExpressions.foreach(AggregateRefusals.checkColumn)
    val written = analyzed.aggregateExpressions.flatMap(aggregatesIn)
    written.foreach(AggregateRefusals.checkFunction)
    val asWritten = textsOf(written)

    val plain =
      ReplaceExpressions(analyzed).asInstanceOf[Aggregate].aggregateExpressions.map(CommonExpressions.inline)
    val replaced  = retracts.fold[Seq[Expression]](plain)(r => plain.map(new Retraction(r, asWritten)(_)))
    val all       = replaced.flatMap(aggregatesIn)
    val texts     = if (retracts.isEmpty) asWritten else textsOf(all)
    val distinct  = all.groupBy(identityOf).values.map(_.head).toSeq.sortBy(all.indexOf(_))
    val resultOf  = distinct.map(f => identityOf(f) -> f.resultAttribute).toMap
    val arguments = new Arguments(AttributeSet(df.queryExecution.analyzed.output))
    val functions = distinct.map { f =>
      AggregateRefusals.checkEvaluable(f, texts(f.resultId))
      arguments.in(f)
    }
    val results = replaced.zip(plain).map { case (column, named) =>
      val value = Columns.unnamed(column).transformDown { case f: AggregateExpression => resultOf(identityOf(f)) }
      AggregateRefusals.checkResult(value, named.asInstanceOf[NamedExpression].name)
      value
    }
    new SqlAggregates(
      arguments.projected,
      arguments.projected.map(_.toAttribute),
      functions,
      results,
      analyzed.schema,
      functions.map(f => texts(f.resultId)),
      functions.forall(f => OrderInsensitive(f.aggregateFunction))
    )
  }

  private def textsOf(functions: Seq[AggregateExpression]): Map[ExprId, String] =
    functions.zip(FunctionText(functions)).map { case (f, text) => f.resultId -> text }.toMap

  private def aggregatesIn(e: Expression): Seq[AggregateExpression] = e.collect { case f: AggregateExpression => f }

  // Two equal calls are one function if they are deterministic, as in Spark's planner.
  private def identityOf(f: AggregateExpression): Any = if (f.deterministic) f.canonicalized else f.resultId

  /** Collects the arguments of functions, equal ones once, and replaces them by attributes. */
  private final class Arguments(input: AttributeSet) {
    private[this] val found = mutable.LinkedHashMap.empty[Expression, NamedExpression]

    def projected: Seq[NamedExpression] = found.values.toList

    def in(f: AggregateExpression): AggregateExpression = {
      val function = f.aggregateFunction.mapChildren(argument).asInstanceOf[AggregateFunction]
      f.copy(aggregateFunction = function, filter = f.filter.map(column))
    }

    // A constant may be a parameter that the function reads before the first row.
    private def argument(e: Expression): Expression = e match {
      case s: SortOrder                                                 => s.mapChildren(argument)
      case c if c.foldable && !c.exists(AggregateRefusals.needsPlanner) => c
      case other                                                        => column(other)
    }

    private def column(e: Expression): Attribute = {
      AggregateRefusals.checkArgument(e, input)
      def named = e match {
        case a: Attribute => a
        case other        => Alias(other, s"_argument_${found.size}")(explicitMetadata = Some(NotWatermarked))
      }
      found.getOrElseUpdate(e.canonicalized, named).toAttribute
    }
  }

  // A field of a struct passes its metadata on, and with it the event-time mark. Empty metadata does not replace it in
  // every Spark version.
  private val NotWatermarked = new MetadataBuilder().putBoolean("dev.sparkwindowing.argument", true).build()
}
