package dev.sparkwindowing.sql

import dev.sparkwindowing.assigners.WindowAssigner
import dev.sparkwindowing.spark.declared.{Computed, DeclaredRows}
import dev.sparkwindowing.spark.expressions.{ColumnErrors, Columns}
import dev.sparkwindowing.spark.plan.{EventTimeMarks, WindowRules}
import dev.sparkwindowing.windows.Millis
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.{Column, DataFrame, SparkWindowingBridge}

/** The arguments of a call over its tables, whose columns they name. */
private[sql] final class Call(val function: TableFunction, val arguments: Arguments, frames: Seq[DataFrame]) {
  import TableFunction._

  /** Rows of a table with its keys and its time.
    *
    * @param number
    *   of the table
    * @param time
    *   the parameter of the time, None for rows without one
    */
  def keyed(number: Int, key: String, time: Option[String]): DeclaredRows.Keyed[Int] = {
    val text = arguments.text(key)
    val keys = if (text.trim.isEmpty) Nil else columns(key, number)
    val at   = time.map { parameter =>
      val column = single(parameter, number)
      checkWatermark(arguments.text(parameter), frames(number))
      column
    }
    DeclaredRows.Keyed(number, keys, at)
  }

  /** Rows of the only table, with what the options say of them. */
  def rows: DeclaredRows.Keyed[Int] = {
    val emits = arguments.flag(EmitHistory)
    if (emits && !arguments.has(StartingWith))
      function.refuse(s"$EmitHistory is for the rows of $StartingWith, which is not given")
    keyed(0, Key, Some(Time)).copy(
      retracts = column(Retracts),
      history = if (arguments.has(StartingWith)) Some(1 -> emits) else None
    )
  }

  /** The column of an option over the first table, None if it is not given. */
  def column(option: String): Option[Column] = arguments.optionalText(option).map(_ => single(option, 0))

  /** Windows of event time with the options of a call. */
  def rules(assigner: WindowAssigner[InternalRow]): WindowRules = WindowRules(
    assigner,
    chosenTrigger = EmittedFirings.trigger(arguments),
    allowedLateness = Millis.of("lateness", arguments.optionalDuration(AllowedLateness)),
    lateTag = if (arguments.flag(Late)) Some(Late) else None,
    pane = arguments.flag(WithPane),
    fillEmpty = arguments.ifGiven(FillEmpty).map(time => Millis.positive(FillEmpty, time))
  )

  def aggregates: Computed.Aggregates = Computed.Aggregates(arguments.aggregates.flatMap(listOf(Aggregates, _, 0)))

  /** `body` with errors of Spark that name the aggregates. */
  def namingAggregates[A](body: => A): A =
    if (function.hasAggregates) ColumnErrors.named(Aggregates, over(0), frames.head.schema)(body) else body

  private def over(number: Int) = {
    val table = if (function.tables.size > 1) s"table ${function.tables(number)}" else "table"
    s"the columns of the $table (${frames(number).columns.mkString(", ")})"
  }

  private def listOf(parameter: String, text: String, number: Int): Seq[Column] =
    ColumnErrors.named(parameter, over(number), frames(number).schema) {
      SparkWindowingBridge
        .selectList(frames(number).sparkSession, text)
        .getOrElse(function.refuse(s"$parameter must be a list of columns, got '$text'"))
    }

  private def columns(parameter: String, number: Int): Seq[Column] = {
    val list = listOf(parameter, arguments.text(parameter), number)
    ColumnErrors.named(parameter, over(number), frames(number).schema) {
      Columns.resolve(frames(number), list, parameter)
    }
    list
  }

  private def single(parameter: String, number: Int): Column = columns(parameter, number) match {
    case Seq(column) => column
    case _           => function.refuse(s"$parameter must be one column, got '${arguments.text(parameter)}'")
  }

  private def checkWatermark(time: String, rows: DataFrame): Unit = {
    val plan = SparkWindowingBridge.analyzedPlan(rows)
    if (rows.isStreaming && (EventTimeMarks.areOfTable(plan) || !plan.output.exists(EventTimeMarks.hasWatermark)))
      function.refuse(
        s"""the stream has no watermark, by which windows end: name a view of df.withWatermark("$time", "10 seconds"), or """ +
          s"from Spark 4.1 on TABLE(SELECT * FROM t WATERMARK $time DELAY OF INTERVAL 10 SECONDS)"
      )
  }
}
