package dev.sparkwindowing.spark.aggregates

import dev.sparkwindowing.spark.advice.{Code, Face}
import dev.sparkwindowing.spark.expressions.FunctionText
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate.{AggregateExpression, AggregateFunction, Average, Count, Sum}
import org.apache.spark.sql.types.{ByteType, DecimalType, DoubleType, IntegerType, LongType, NumericType, ShortType}

/** Aggregates over rows some of which take back earlier ones, written as sums in which a row that takes back has the
  * other sign. So their buffers are those of sums, and rows are aggregated before the exchange as for these.
  *
  * @param retracts
  *   true for a row that takes back an earlier one
  * @param texts
  *   the functions as the user wrote them, by the id of their result
  */
private[aggregates] final class Retraction(retracts: Expression, texts: ExprId => String) {

  /** A column of aggregates over the rows that are left.
    *
    * @throws java.lang.IllegalArgumentException
    *   for a function that cannot take a row back
    */
  def apply(column: Expression): Expression = column.transformUp { case f: AggregateExpression => ofLeft(f) }

  private def ofLeft(f: AggregateExpression): Expression = f.aggregateFunction match {
    case count: Count                   => counted(count.children, f)
    case sum: Sum if isPlain(sum)       => known(sum.child, f)(added(sum, sum.child, f))
    case mean: Average if isPlain(mean) => averaged(mean, f)
    case _                              =>
      AggregateRefusals.refuse(
        s"${texts(f.resultId)} cannot take a row back, as ${Code.name("retracts")} says of some: its buffer does not " +
          "have the rows that are left",
        s"use count, sum, avg or count_if, or leave such rows out before ${Code.keyBy}, $others"
      )
  }

  private def others: Code = {
    val kept = s"NOT coalesce(${FunctionText.plain(retracts)}, false)"
    Code {
      case Face.Sql => s"TABLE(SELECT * FROM t WHERE $kept)"
      case _        => s"df.where(${Code.text(kept)})"
    }
  }

  // After an overflow try_sum and try_avg stay null, and know no more what is left.
  private def isPlain(f: AggregateFunction): Boolean = !f.prettyName.startsWith("try_")

  // A row counts if none of the values is null.
  private def counted(values: Seq[Expression], of: AggregateExpression): Expression = {
    val sign: Expression = If(retracts, Literal(-1L), Literal(1L))
    val nulls            = values.filter(_.nullable).map(IsNull(_): Expression)
    val one              = nulls.reduceOption(Or(_, _)).fold(sign)(If(_, Literal(0L), sign))
    Coalesce(Seq(over(new Sum(one), of), Literal(0L)))
  }

  private def added(sum: Sum, value: Expression, of: AggregateExpression): Expression = {
    val whole = value.dataType match {
      case ByteType | ShortType | IntegerType => Cast(value, LongType)
      case _                                  => value
    }
    over(sum.withNewChildren(Seq(If(retracts, UnaryMinus(whole, failOnError = false), whole))).asInstanceOf[Sum], of)
  }

  // The sum of no value is null.
  private def known(value: Expression, of: AggregateExpression)(sum: Expression): Expression =
    If(EqualTo(counted(Seq(value), of), Literal(0L)), Literal(null, sum.dataType), sum)

  // As Spark evaluates it, over the signed sum and the signed count.
  private def averaged(mean: Average, of: AggregateExpression): Expression = {
    val value = mean.child.dataType match {
      case _: DecimalType => mean.child
      case _: NumericType => Cast(mean.child, DoubleType)
      case _              => mean.child
    }
    val Seq(sum, count) = mean.aggBufferAttributes
    mean.evaluateExpression.transformUp {
      case a: Attribute if a.exprId == sum.exprId   => added(new Sum(value), value, of)
      case a: Attribute if a.exprId == count.exprId => counted(Seq(mean.child), of)
    }
  }

  private def over(sum: Sum, of: AggregateExpression): AggregateExpression =
    of.copy(aggregateFunction = sum, resultId = NamedExpression.newExprId)
}
