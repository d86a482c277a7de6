package dev.sparkwindowing.spark.history

import dev.sparkwindowing.spark.advice.Code
import dev.sparkwindowing.spark.plan.{History, KeyedInput, StartedWith, StatefulInput}
import org.apache.spark.sql.catalyst.expressions.objects.AssertNotNull
import org.apache.spark.sql.catalyst.expressions.{Alias, Attribute, Cast, KnownNullable, NamedExpression}
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, Project}
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.{DataFrame, SparkWindowingBridge}

/** A stream with a history before it, in a declaration. */
private[sparkwindowing] object HistoryRows {

  /** @throws java.lang.IllegalArgumentException
    *   if the input is no stream, the history is one, or it lacks a column or has one of another type; likewise
    *   [[java.lang.UnsupportedOperationException]] for the results of another operator with state
    */
  def before(input: KeyedInput, history: DataFrame, emit: Boolean): KeyedInput = {
    val stream = SparkWindowingBridge.analyzedPlan(input.df)
    val rows   = SparkWindowingBridge.analyzedPlan(history)
    if (!stream.isStreaming)
      throw new IllegalArgumentException(
        s"${Code.name("starting_with")} is for a stream, and these rows are a static DataFrame: give the union of both to " +
          Code.name("key_by")
      )
    if (rows.isStreaming)
      throw new IllegalArgumentException(
        s"${Code.name("starting_with")} takes a static DataFrame, and got a stream: read the history with spark.read"
      )
    if (StatefulInput.isIn(stream))
      throw new UnsupportedOperationException(
        s"${Code.name("starting_with")} on the results of an operator with state: give the history to the first one, " +
          "whose results go on to this one"
      )
    HistoryStart.watch(input.df.sparkSession)
    val started = StartedWith(stream, new History(fitted(rows, stream.output), emit))
    input.copy(df = SparkWindowingBridge.toDataFrame(input.df.sparkSession, started))
  }

  private def fitted(rows: LogicalPlan, columns: Seq[Attribute]): LogicalPlan = {
    val names            = SQLConf.get.resolver
    val (found, missing) = columns.map(c => c -> rows.output.find(r => names(r.name, c.name))).partition(_._2.isDefined)
    if (missing.nonEmpty)
      throw new IllegalArgumentException(
        s"the history lacks ${missing.map(m => s"'${m._1.name}'").mkString(" and ")} of the stream: it needs each of its " +
          "columns. Select on the stream those that the windows use, before they are keyed"
      )
    Project(found.map { case (column, of) => typed(of.get, column) }, rows)
  }

  private def nullable(column: Attribute) = SparkWindowingBridge.nullable(new StructType().add("c", column.dataType))

  private def typed(value: Attribute, column: Attribute): NamedExpression = {
    if (nullable(value) != nullable(column))
      throw new IllegalArgumentException(
        s"'${column.name}' is ${value.dataType.sql} in the history and ${column.dataType.sql} in the stream. " +
          s"${Code.df.withColumn(column.name, Code.column(column.name).cast(column.dataType.sql.toLowerCase))} on the history"
      )
    // A state has one schema, which that of the history's micro-batch must be, also within structs.
    val of     = if (value.dataType == column.dataType) value else Cast(value, column.dataType)
    val fitted =
      if (value.nullable == column.nullable) of
      else if (value.nullable) AssertNotNull(of)
      else KnownNullable(of)
    Alias(fitted, column.name)()
  }
}
