package dev.sparkwindowing.spark.analysis

import dev.sparkwindowing.spark.advice.{Code, Face}
import dev.sparkwindowing.spark.aggregates.SqlAggregates
import dev.sparkwindowing.spark.expressions.Columns
import dev.sparkwindowing.spark.plan.KeyedInput
import org.apache.spark.sql.SparkWindowingBridge
import org.apache.spark.sql.catalyst.expressions.{Alias, Attribute, Expression, Literal, NamedExpression}
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, Project}
import org.apache.spark.sql.types.BooleanType

import java.util.Locale
import scala.util.Try

/** Rows of a change feed, as Delta Lake and Iceberg write them: a column says whether a row was inserted or deleted.
  *
  * @param kind
  *   that column
  * @param kept
  *   its values for rows that are added, an insert first
  * @param takenBack
  *   its values for rows that take back an earlier one
  */
private[sparkwindowing] final case class ChangeFeed(kind: Attribute, kept: Seq[String], takenBack: Seq[String]) {

  /** The condition for rows that take back an earlier one, in SQL. */
  def condition: String = s"${kind.name} IN (${takenBack.map(k => s"'$k'").mkString(", ")})"

  private def isInsert = s"${kind.name} = '${kept.head}'"

  /** The line after which there are inserts alone. */
  val inserts: Code = Code {
    case Face.Sql => s"TABLE(SELECT user, ts FROM t WHERE $isInsert)"
    case _        => s"df.where(${Code.text(isInsert)}).drop(${Code.text(kind.name)})"
  }

  val retracts: Code = Code {
    case Face.Python => s"key_by(df, ..).retracts(${Code.text(condition)})"
    case Face.Scala  => s"df.keyBy(..).retracts(${Code.text(condition)})"
    case Face.Sql    => s"retracts => ${Code.text(condition)}"
  }

  /** A kind of change for which a condition over the kind alone says the opposite. */
  def mistaken(retracts: Expression): Option[String] =
    if (retracts.references.exists(_.exprId != kind.exprId)) None
    else
      (kept.map(_ -> false) ++ takenBack.map(_ -> true)).collectFirst { case (k, is) if says(retracts, k) == !is => k }

  // Spark's optimizer has yet to replace some functions: such a condition is taken as it is.
  private def says(retracts: Expression, value: String): Any = {
    val over = retracts.transform { case a: Attribute if a.exprId == kind.exprId => Literal(value) }
    Try(Option(over.eval()).getOrElse(false)).getOrElse(())
  }
}

/** Refuses change feeds where a delete would count as one more row.
  *
  * Such a source is known by its columns: `_change_type` beside one that says which change it was. A column of that
  * name alone is a user's own.
  */
private[sparkwindowing] object ChangeFeed {
  private val Kind    = "_change_type"
  private val Time    = "_commit_timestamp"
  private val Delta   = Set("_commit_version", Time)
  private val Iceberg = Set("_change_ordinal", "_commit_snapshot_id")

  /** The change feed that a DataFrame is, if it has the column with the kind of a change. */
  def of(plan: LogicalPlan): Option[ChangeFeed] = for {
    kind <- named(plan, Set(Kind)).headOption
    feed <- plan.find(isFeed)
  } yield
    if (named(feed, Delta).nonEmpty)
      ChangeFeed(kind, Seq("insert", "update_postimage"), Seq("delete", "update_preimage"))
    else ChangeFeed(kind, Seq("INSERT", "UPDATE_AFTER"), Seq("DELETE", "UPDATE_BEFORE"))

  /** The columns with the time of a change, in or below the rows of a change feed, and those computed from it. */
  def timesOf(plan: LogicalPlan): Seq[Attribute] = {
    val times = plan.collect { case feed if isFeed(feed) => named(feed, Set(Time)) }.flatten
    aliases(plan).foldLeft(times) { (known, a) =>
      if (known.exists(a.references.contains)) known :+ a.toAttribute else known
    }
  }

  // Those computed first come first.
  private def aliases(plan: LogicalPlan): Seq[Alias] =
    plan.collect { case p: Project => p.projectList.collect { case a: Alias => a } }.reverse.flatten

  private def isFeed(plan: LogicalPlan): Boolean =
    plan.resolved && named(plan, Set(Kind)).nonEmpty && named(plan, Delta ++ Iceberg).nonEmpty

  private def named(plan: LogicalPlan, names: Set[String]): Seq[Attribute] =
    plan.output.filter(a => names(a.name.toLowerCase(Locale.ROOT)))

  /** Refuses a condition that says of a kind of change the opposite of what it is.
    *
    * A kind that the query has computed may have other values.
    */
  def checkCondition(plan: LogicalPlan, retracts: NamedExpression): Unit = for {
    feed <- of(plan)
    if retracts.dataType == BooleanType && !aliases(plan).exists(_.exprId == feed.kind.exprId)
    kind <- feed.mistaken(Columns.unnamed(retracts))
  } throw new IllegalArgumentException(
    s"retracts is wrong for the rows of this change feed whose '${feed.kind.name}' is '$kind': " +
      s"${feed.takenBack.mkString(" and ")} take back an earlier row, ${feed.kept.mkString(" and ")} do not, " +
      feed.retracts
  )

  /** Refuses aggregates over a change feed unless a key or each of them reads the kind of a change. */
  def check(input: KeyedInput, aggregates: SqlAggregates): Unit = unread(input).foreach { feed =>
    val reading = aggregates.arguments.filter(_.references.contains(feed.kind)).map(_.toAttribute.exprId).toSet
    aggregates.functions
      .zip(aggregates.description)
      .find { case (f, _) => !f.references.exists(a => reading(a.exprId)) }
      .foreach { case (_, text) => refuse(s"aggregate(${text.replaceAll("#\\d+", "")})", feed) }
  }

  /** Refuses another function over a change feed unless a key or one of the columns that it reads is the kind. */
  def check(input: KeyedInput, function: String, columns: Seq[NamedExpression]): Unit = unread(input).foreach { feed =>
    if (!columns.exists(_.references.contains(feed.kind))) refuse(function, feed)
  }

  /** Refuses a change feed as one of several inputs, by its name. */
  def checkOneOfSeveral(name: String, input: KeyedInput): Unit =
    of(SparkWindowingBridge.analyzedPlan(input.df)).foreach { feed =>
      throw new IllegalArgumentException(
        s"'$name' is a change feed, whose column '${feed.kind.name}' says which rows take back earlier ones, and a " +
          s"join or a co-group takes no row back: leave them out before ${Code.keyBy}, ${feed.inserts}, or give the " +
          "column another name if each change is to be a row"
      )
    }

  private def unread(input: KeyedInput): Option[ChangeFeed] =
    if (input.retracts.nonEmpty) None
    else
      of(SparkWindowingBridge.analyzedPlan(input.df))
        .filterNot(feed => input.keys.exists(_.references.contains(feed.kind)))

  private def refuse(function: String, feed: ChangeFeed): Nothing = throw new IllegalArgumentException(
    s"$function over a change feed would count a delete as a row: its column '${feed.kind.name}' says which rows take " +
      s"back earlier ones. Say so, ${feed.retracts}; or leave them out before ${Code.keyBy}, ${feed.inserts}; or give " +
      "the column another name if each change is to be a row"
  )
}
