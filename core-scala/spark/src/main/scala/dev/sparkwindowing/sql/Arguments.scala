package dev.sparkwindowing.sql

import dev.sparkwindowing.spark.relocated.Relocated
import dev.sparkwindowing.windows.Durations
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.types._

import java.time.Duration
import java.time.temporal.ChronoUnit
import java.util.Locale

/** Arguments of one call of a table function, by the names of their parameters. */
private[sql] final class Arguments private (
    function: TableFunction,
    named: Map[String, Expression],
    further: Seq[Expression]
) {
  import Arguments.Integers
  import TableFunction._

  /** Plans of the tables, then that of the rows before a stream if they are given. */
  def tables: Seq[LogicalPlan] =
    function.tables.map(table) ++ (if (has(StartingWith)) Seq(table(StartingWith)) else Nil)

  private def table(parameter: String): LogicalPlan = named(parameter) match {
    case t: FunctionTableSubqueryArgumentExpression =>
      if (Relocated.isPartitioned(t))
        function.refuse(
          s"the table takes no PARTITION BY, ORDER BY or WITH SINGLE PARTITION: the text '$Key' names the keys"
        )
      t.plan
    case other =>
      val which = function.tables match {
        case Seq(`parameter`) => "the first argument"
        case _                => parameter
      }
      function.refuse(s"$which is a table, TABLE(t) or TABLE(SELECT ..), got ${other.sql}")
  }

  /** Whether an argument is given. */
  def has(parameter: String): Boolean = named.contains(parameter)

  /** @throws java.lang.IllegalArgumentException with the name of the function, what is wrong, and a call */
  def refuse(what: String): Nothing = function.refuse(what)

  /** Texts of the aggregates, at least one. */
  def aggregates: Seq[String] = {
    val all = further ++ named.get(Aggregates)
    if (all.isEmpty) function.refuse("it needs an aggregate, a text such as 'count(*) AS n'")
    all.map(text(Aggregates, _))
  }

  def text(parameter: String): String = text(parameter, named(parameter))

  def optionalText(parameter: String): Option[String] = named.get(parameter).map(text(parameter, _))

  def duration(parameter: String): Duration = named(parameter) match {
    case e if isConstant(e, e.dataType.isInstanceOf[DayTimeIntervalType]) =>
      Duration.of(value(parameter, e).asInstanceOf[Long], ChronoUnit.MICROS)
    case e if isConstant(e, isText(e.dataType)) =>
      try Durations.of(text(parameter, e))
      catch { case wrong: IllegalArgumentException => function.refuse(s"$parameter: ${wrong.getMessage}") }
    case e =>
      function.refuse(s"$parameter must be a duration, a text such as '10 minutes' or an INTERVAL, got ${e.sql}")
  }

  /** A number of rows. */
  def count(parameter: String): Long = number(parameter).getOrElse(
    function.refuse(s"$parameter must be a number of rows, such as 100, got ${named(parameter).sql}")
  )

  /** A number of rows, or a duration. */
  def countOrDuration(parameter: String): Either[Long, Duration] =
    number(parameter).toLeft(duration(parameter))

  private def number(parameter: String): Option[Long] = named(parameter) match {
    case e if isConstant(e, Integers(e.dataType)) =>
      Some(value(parameter, e).asInstanceOf[Number].longValue)
    case _ => None
  }

  /** The duration, None if the argument is not given. */
  def ifGiven(parameter: String): Option[Duration] =
    if (has(parameter)) Some(duration(parameter)) else None

  /** The duration, zero if the argument is not given. */
  def optionalDuration(parameter: String): Duration = ifGiven(parameter).getOrElse(Duration.ZERO)

  /** The boolean, false if the argument is not given. */
  def flag(parameter: String): Boolean = named.get(parameter).exists {
    case e if isConstant(e, e.dataType == BooleanType) => value(parameter, e).asInstanceOf[Boolean]
    case e => function.refuse(s"$parameter must be true or false, got ${e.sql}")
  }

  private def text(parameter: String, e: Expression): String =
    if (isConstant(e, isText(e.dataType))) value(parameter, e).toString
    else function.refuse(s"$parameter must be a text in quotes, got ${e.sql}")

  private def isText(t: DataType): Boolean = t.isInstanceOf[StringType]

  private def isConstant(e: Expression, hasType: Boolean): Boolean = hasType && e.foldable

  private def value(parameter: String, e: Expression): Any =
    Option(e.eval()).getOrElse(function.refuse(s"$parameter must not be null"))
}

private[sql] object Arguments {
  private val Integers: Set[DataType] = Set(ByteType, ShortType, IntegerType, LongType)

  /** @throws java.lang.IllegalArgumentException
    *   if a parameter is unknown, given twice or missing
    */
  def of(function: TableFunction, arguments: Seq[Expression]): Arguments = {
    val (byName, byPlace) = arguments.partition(_.isInstanceOf[NamedArgumentExpression])
    val (placed, further) = byPlace.splitAt(function.required.size)
    val named = byName.collect { case NamedArgumentExpression(name, value) => name.toLowerCase(Locale.ROOT) -> value }
    val all   = function.required.zip(placed) ++ named
    named.map(_._1).find(!function.named.contains(_)).foreach { name =>
      function.refuse(s"it has no parameter $name; there are ${function.named.mkString(", ")}")
    }
    all.map(_._1).groupBy(identity).collectFirst { case (name, several) if several.size > 1 => name }.foreach { name =>
      function.refuse(s"the parameter $name is given twice")
    }
    function.required.find(name => !all.exists(_._1 == name)).foreach { name =>
      val what = if (function.tables == Seq(name)) "a table" else s"the parameter $name"
      function.refuse(s"$what is missing: it takes ${function.signature}")
    }
    if (further.nonEmpty && !function.hasAggregates)
      function.refuse(s"it has no argument behind ${function.required.last}, got ${further.head.sql}")
    new Arguments(function, all.toMap, further)
  }
}
