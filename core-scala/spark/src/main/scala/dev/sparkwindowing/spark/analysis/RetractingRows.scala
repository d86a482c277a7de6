package dev.sparkwindowing.spark.analysis

import dev.sparkwindowing.assigners.{CountWindows, OverEventTimeWindows}
import dev.sparkwindowing.functions.TimeDomain
import dev.sparkwindowing.spark.advice.{Code, Face}
import dev.sparkwindowing.spark.declared.Computed
import dev.sparkwindowing.spark.expressions.Columns
import dev.sparkwindowing.spark.plan.{IngestionTimeStamp, KeyedInput, TaggedUnion, WindowRules}
import org.apache.spark.sql.types.BooleanType
import org.apache.spark.sql.{Column, SparkWindowingBridge}

/** Rows some of which take back earlier ones, and what can be done with them. A row that takes back another must come
  * to the windows of that row, and what is stored of these must be a sum.
  */
private[sparkwindowing] object RetractingRows {

  /** The rows of `input`, of which those take back earlier ones for which a column is true.
    *
    * @throws java.lang.IllegalArgumentException
    *   if it is not boolean or not deterministic, or the rows are those of several inputs
    */
  def of(input: KeyedInput, retracts: Column): KeyedInput = {
    val plan = SparkWindowingBridge.analyzedPlan(input.df)
    if (TaggedUnion.projections(plan).nonEmpty) refuse(ofSeveral)
    val resolved = Columns.resolve(input.df, Seq(retracts), "retracts").head
    if (resolved.dataType != BooleanType)
      refuse(
        s"takes a boolean column, got $retracts of type ${resolved.dataType.sql}: compare it, such as " +
          "_change_type IN ('delete', 'update_preimage')"
      )
    if (!resolved.deterministic)
      refuse(s"takes a column that is the same whenever it is computed, got $retracts: compute it before")
    ChangeFeed.checkCondition(plan, resolved)
    input.copy(retracts = Some(resolved))
  }

  /** Checks one of several inputs, by its name. */
  def checkOneOfSeveral(name: String, input: KeyedInput): Unit = {
    if (input.retracts.nonEmpty) refuse(ofSeveral)
    ChangeFeed.checkOneOfSeveral(name, input)
  }

  private def ofSeveral: String =
    "is for one input: in a join or a co-group no row is taken back. Make one table of the inputs, " +
      Code {
        case Face.Python => "a.unionByName(b, allowMissingColumns=True)"
        case _           => "a.unionByName(b, true)"
      }

  /** Checks that windows fit such rows. */
  def checkWindows(input: KeyedInput, rules: WindowRules): Unit = if (input.retracts.nonEmpty) {
    val assigner = rules.assigner
    if (assigner.clock.contains(TimeDomain.ProcessingTime))
      refuse(
        s"cannot be used with $assigner: a row that takes back another comes later, so its window is another one: use " +
          "the event-time windows of that name"
      )
    if (assigner.isMerging || (assigner: Any).isInstanceOf[OverEventTimeWindows])
      refuse(
        s"cannot be used with $assigner: its windows follow from the rows that have come, and stay when one of them is " +
          "taken back: use windows with fixed bounds, such as TumblingEventTimeWindows"
      )
    rules.evictor.foreach { evictor =>
      refuse(s"cannot be used with $evictor: it removes rows, and what takes them back stays: take it away")
    }
    if (rules.trigger.purges)
      refuse(
        s"cannot be used with ${rules.trigger}: a purged window has no more the rows that are taken back from it: use a " +
          "trigger that does not purge"
      )
    assigner.tree.collectFirst { case counts: CountWindows => counts }.foreach { counts =>
      refuse(
        s"cannot be used with $counts: a window that has fired is empty, and a row cannot be taken back from it: use " +
          "windows by event time alone"
      )
    }
    checkTime(input)
  }

  // The event time must be that of the row which is taken back.
  private def checkTime(input: KeyedInput): Unit = input.eventTime.foreach { time =>
    val plan  = SparkWindowingBridge.analyzedPlan(input.df)
    val stamp = plan.collectFirst { case _: IngestionTimeStamp => "the time at which a row is read" }
    val read  = ChangeFeed.timesOf(plan).filter(time.time.references.contains).map(_ => "the time of a change")
    (read ++ stamp).headOption.foreach { what =>
      refuse(
        s"cannot be used with the event time '${time.time.name}', $what: a row that takes back another has another one, " +
          "so its window is another one: use a time of the row itself"
      )
    }
  }

  /** Checks that a computation fits such rows. */
  def checkWork(input: KeyedInput, work: Computed): Unit = if (input.retracts.nonEmpty) work match {
    case _: Computed.Aggregates                                                =>
    case Computed.Processed(Some(_: Computed.Aggregates), _, _, _)             =>
    case Computed.PythonProcessed(Some(_: Computed.Aggregates), _, _, _, _, _) =>
    case Computed.RowProcessed(_, _, _, _) | Computed.ColumnProcessed(_)       => refuse(ofFunction("process"))
    case Computed.Processed(None, _, _, _) | Computed.PythonProcessed(None, _, _, _, _, _) =>
      refuse(ofFunction("process and apply"))
    case _ =>
      refuse(
        "is for aggregates of Spark SQL: other functions cannot take a row back. Use count, sum, avg or count_if, " +
          s"such as .aggregate(${Code.function("sum", Code.text("price"))})"
      )
  }

  private def ofFunction(name: String): String =
    s"cannot be used with $name: the function is given each row, also one that takes back another, and sees that from " +
      s"its columns: take ${Code.name("retracts")} away"

  private def refuse(what: String): Nothing = throw new IllegalArgumentException(s"retracts $what")
}
