package dev.sparkwindowing.spark.analysis

import dev.sparkwindowing.spark.advice.{Code, Face}
import dev.sparkwindowing.spark.aggregates.{Retraction, SqlAggregates}
import dev.sparkwindowing.spark.plan.KeyedInput
import org.apache.spark.sql.SparkWindowingBridge
import org.apache.spark.sql.catalyst.expressions.{Alias, Attribute, NamedExpression}
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, Project}

import java.util.Locale

/** Rows of a change feed, as Delta Lake and Iceberg write them: a column says whether a row was inserted or deleted.
  * They are refused where a delete would count as one more row.
  *
  * Such a source is known by its columns: `_change_type` beside one that says which change it was. A column of that
  * name alone is a user's own.
  */
private[sparkwindowing] object ChangeFeed {
  private val Kind   = "_change_type"
  private val Times  = Set("_commit_timestamp")
  private val Beside = Times ++ Set("_commit_version", "_change_ordinal", "_commit_snapshot_id")

  /** The column with the kind of a change, in the rows of a change feed. */
  def kindOf(plan: LogicalPlan): Option[Attribute] =
    named(plan, Set(Kind)).headOption.filter(_ => plan.exists(isFeed))

  /** The columns with the time of a change, in or below the rows of a change feed, and those computed from it. */
  def timesOf(plan: LogicalPlan): Seq[Attribute] = {
    val times = plan.collect { case feed if isFeed(feed) => named(feed, Times) }.flatten
    plan.collect { case p: Project => p.projectList }.reverse.flatten.foldLeft(times) {
      case (known, a: Alias) if known.exists(a.references.contains) => known :+ a.toAttribute
      case (known, _)                                               => known
    }
  }

  private def isFeed(plan: LogicalPlan): Boolean =
    plan.resolved && named(plan, Set(Kind)).nonEmpty && named(plan, Beside).nonEmpty

  private def named(plan: LogicalPlan, names: Set[String]): Seq[Attribute] =
    plan.output.filter(a => names(a.name.toLowerCase(Locale.ROOT)))

  /** Refuses aggregates over a change feed unless a key or each of them reads the kind of a change. */
  def check(input: KeyedInput, aggregates: SqlAggregates): Unit = unread(input).foreach { kind =>
    val reading = aggregates.arguments.filter(_.references.contains(kind)).map(_.toAttribute.exprId).toSet
    aggregates.functions
      .zip(aggregates.description)
      .find { case (f, _) => !f.references.exists(a => reading(a.exprId)) }
      .foreach { case (_, text) => refuse(s"aggregate(${text.replaceAll("#\\d+", "")})", kind) }
  }

  /** Refuses another function over a change feed unless a key or one of the columns that it reads is the kind. */
  def check(input: KeyedInput, function: String, columns: Seq[NamedExpression]): Unit = unread(input).foreach { kind =>
    if (!columns.exists(_.references.contains(kind))) refuse(function, kind)
  }

  /** What is said of one of several inputs. */
  def ofSeveral(input: KeyedInput): Option[String] = kindOf(SparkWindowingBridge.analyzedPlan(input.df)).map { kind =>
    s"is a change feed, whose column '${kind.name}' says which rows take back earlier ones, and a join or a co-group " +
      s"takes no row back: leave them out before ${Code.keyBy}, ${Retraction.LeftOut}, or give the column another " +
      "name if each change is to be a row"
  }

  private def unread(input: KeyedInput): Option[Attribute] =
    if (input.retracts.nonEmpty) None
    else
      kindOf(SparkWindowingBridge.analyzedPlan(input.df))
        .filterNot(kind => input.keys.exists(_.references.contains(kind)))

  private def refuse(function: String, kind: Attribute): Nothing = throw new IllegalArgumentException(
    s"$function over a change feed would count a delete as a row: its column '${kind.name}' says which rows take back " +
      s"earlier ones. Say so, $Retracts; or leave them out before ${Code.keyBy}, ${Retraction.LeftOut}; or give the " +
      "column another name if each change is to be a row"
  )

  private val Taken = Code.text("_change_type IN ('delete', 'update_preimage')")

  private val Retracts = Code {
    case Face.Python => s"key_by(df, ..).retracts($Taken)"
    case Face.Scala  => s"df.keyBy(..).retracts($Taken)"
    case Face.Sql    => s"retracts => $Taken"
  }
}
