package dev.sparkwindowing.spark.analysis

import dev.sparkwindowing.spark.advice.Code
import dev.sparkwindowing.spark.declared.{Computed, Declaration, DeclaredRows}
import dev.sparkwindowing.spark.expressions.{Columns, KeyTypes}
import dev.sparkwindowing.spark.history.HistoryRows
import dev.sparkwindowing.spark.outputs.OperatorNode
import dev.sparkwindowing.spark.plan.{AssignedWindows, KeyedInput, OutputLayout, TaggedUnion, WindowRules}
import org.apache.spark.sql.catalyst.expressions.NamedExpression
import org.apache.spark.sql.functions.lit
import org.apache.spark.sql.{Column, DataFrame, SparkWindowingBridge}

import scala.util.Try

/** Resolves a declaration over its DataFrames: every check, binding and layout, in one order. A step of a declaration
  * is checked by the part of it that the step completes, so that an error is raised where it was written.
  */
private[sparkwindowing] object Analysis {

  /** The result of a declaration. For a Python function it is the rows that the function gets.
    *
    * @throws java.lang.IllegalArgumentException
    *   if its parts do not fit together or do not fit the DataFrames; likewise
    *   [[java.lang.UnsupportedOperationException]]
    */
  def of(declaration: Declaration[DataFrame]): DataFrame = {
    val in = input(declaration.rows)
    RetractingRows.checkWork(in, declaration.computed)
    (declaration.windows, declaration.computed) match {
      case (None, work: Computed.OfKey)           => KeyWork.result(in, work)
      case (Some(rules), work: Computed.OfWindow) =>
        val checked = windows(in, rules)
        if (checked.changelog.nonEmpty) checkOneRow(work)
        if (checked.fillEmpty.nonEmpty) checkOfNoRows(work)
        if (checked.isNamed) checkFolded(work)
        work match {
          case python: Computed.PythonProcessed => PythonFunctionWork.handed(in, checked, python)
          case other                            =>
            if (other.isInstanceOf[Computed.Joined]) AssignedWindows.checkJoin(in, checked)
            OperatorNode.result(in, Some(checked))(WindowWork.of(other, in, checked, _))
        }
      case (Some(_), _) => throw new IllegalArgumentException("process on single rows takes no windows")
      case (None, _)    => throw new IllegalArgumentException("there are no windows: call .window(..) first")
    }
  }

  private def checkOneRow(work: Computed.OfWindow): Unit = work match {
    case _: Computed.Folded => ()
    case other              =>
      val what = if (other.isInstanceOf[Computed.Joined]) "a join" else Code.name("process")
      throw new UnsupportedOperationException(
        s"${Code.name("changelog")}: a firing of $what has any number of rows, and a change is that of one row a window: " +
          s"end the windows in .aggregate(..) or .reduce(..) alone, or take ${Code.call(".changelog")} away"
      )
  }

  private def checkFolded(work: Computed.OfWindow): Unit = work match {
    case _: Computed.Folded => ()
    case other              =>
      val what = if (other.isInstanceOf[Computed.Joined]) "a join" else Code.name("process")
      throw new UnsupportedOperationException(
        s"${Code.name("windows")}: $what would be of several windows that share what they keep: end them in .aggregate(..) " +
          "or .reduce(..), or declare the windows of each name alone, by .window(..)"
      )
  }

  private def checkOfNoRows(work: Computed.OfWindow): Unit = {
    def refuse(what: String) = throw new UnsupportedOperationException(
      s"${Code.name("fill_empty")}: $what of no rows has no result: take .aggregate(..), whose count is 0 then and whose " +
        s"sum is null, or take ${Code.call(".fill_empty")} away"
    )
    work match {
      case Computed.Joined(_)                                                       => refuse("a join")
      case Computed.ColumnReduced(_) | Computed.RowReduced(_, _)                    => refuse("reduce")
      case Computed.OfField(aggregate, _)                                           => refuse(aggregate.name)
      case Computed.Processed(Some(folded), _, _, _)                                => checkOfNoRows(folded)
      case Computed.PythonProcessed(Some(folded), _, _, _, _, _)                    => checkOfNoRows(folded)
      case _: Computed.Folded | _: Computed.Processed | _: Computed.PythonProcessed => ()
    }
  }

  /** The rows of an operator, with keys and event time resolved. */
  def input(rows: DeclaredRows[DataFrame]): KeyedInput = rows match {
    case DeclaredRows.Keyed(df, keys, time, onMissingTime, history, retracts) =>
      val hides         = keys.isEmpty
      val (named, when) = keysAndTime(df, if (hides) Seq(lit(0).as("all")) else keys, time)
      KeyTypes.check(named)
      val keyed = new KeyedInput(df, named, hides, when, onMissingTime)
      val in    = retracts.fold(keyed)(RetractingRows.of(keyed, _))
      history.fold(in) { case (before, emits) => startingWith(in, before, emits) }
    case DeclaredRows.Together(inputs)  => together(inputs.map { case (name, rows) => name -> input(rows) })
    case DeclaredRows.Resolved(earlier) => earlier
  }

  /** The rows of several operators as those of one, by name. */
  def together(inputs: Seq[(String, KeyedInput)]): KeyedInput = {
    inputs.foreach { case (name, input) => RetractingRows.checkOneOfSeveral(name, input) }
    TaggedUnion.of(inputs)
  }

  /** The same rows, as if those of a table stood before them. */
  def startingWith(input: KeyedInput, history: DataFrame, emit: Boolean): KeyedInput =
    SparkWindowingBridge.within(input.df.sparkSession)(HistoryRows.before(input, history, emit))

  /** The same rows with another event time. */
  def withTime(input: KeyedInput, time: Column): KeyedInput = input.copy(time = Some(timeOf(input.df, time)))

  // Both by one analysis of Spark. If that fails, each by its own, whose error says which it is.
  private def keysAndTime(
      df: DataFrame,
      keys: Seq[Column],
      time: Option[Column]
  ): (Seq[NamedExpression], Option[NamedExpression]) =
    Try(Columns.resolve(df, keys ++ time, "a key")).toOption.filter(_.size == keys.size + time.size) match {
      case Some(both) => (both.take(keys.size), time.map(_ => both.last))
      case None       => (Columns.resolve(df, keys, "a key"), time.map(timeOf(df, _)))
    }

  private def timeOf(df: DataFrame, time: Column): NamedExpression = Columns.resolve(df, Seq(time), "time").head

  /** The rules of windows over these rows, after checking that they fit them and each other. */
  def windows(input: KeyedInput, rules: WindowRules): WindowRules = {
    rules.lateTag.foreach(tag => SparkWindowingBridge.within(input.df.sparkSession)(OutputLayout.checkTag(tag)))
    val checked = AssignedWindows.rules(input, rules).checked
    RetractingRows.checkWindows(input, checked)
    checked
  }
}
