package dev.sparkwindowing.simulation

import dev.sparkwindowing.spark.advice.{Code, Face}
import dev.sparkwindowing.spark.expressions.{ColumnErrors, Columns}
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical.{Filter, LogicalPlan, Project, Sort}
import org.apache.spark.sql.functions.{col, max}
import org.apache.spark.sql.types.{ArrayType, BooleanType, DataType, MapType, StructType}
import org.apache.spark.sql.{Column, DataFrame, SparkWindowingBridge}

/** Answers why a row or a window of a static DataFrame is in the results, or not: the rows of its key go through the
  * operator again, on the driver.
  */
private[sparkwindowing] final class StaticWhy(result: DataFrame) {
  private[this] val node = Simulation.operatorOf(result, "why")
  if (node.child.isStreaming) {
    val line = Code {
      case Face.Scala => "Why.inCheckpoint(result, checkpoint, Seq(..))"
      case _          => "sw.why(result, row, checkpoint=..)"
    }
    throw new IllegalArgumentException(
      "why is asked of a static DataFrame, or of a run of simulate, and the result is a stream: ask with its checkpoint, " +
        line
    )
  }
  if (Simulation.inputSchemas(result).nonEmpty)
    throw new UnsupportedOperationException(
      "why is asked of the rows of one input, and the result has several: ask a run of simulate"
    )

  private[this] val plan                    = WhyPlan.of(node.program)
  private[this] val spark                   = result.sparkSession
  private[this] val Project(columns, input) = Simulation.projectionUnder(node)
  private[this] val keys                    = columns.take(node.program.input.keyCount).map(plain)

  private[this] def plain(e: Expression): Expression = e match {
    case Alias(of, _) => of
    case other        => other
  }

  /** @param row
    *   a condition that is true for one row of the input
    * @throws java.lang.IllegalArgumentException
    *   if it is true for none, or for several that differ
    */
  def ofRow(row: Column): Why = {
    val frame     = SparkWindowingBridge.toDataFrame(spark, input)
    val over      = s"the columns of the input (${frame.columns.mkString(", ")})"
    val condition = ColumnErrors.named("why", over, frame.schema)(Columns.resolve(frame, Seq(row), "why").head)
    if (condition.dataType != BooleanType)
      throw new IllegalArgumentException(
        s"why takes a condition on a row, got ${plain(condition).sql} of type ${condition.dataType.sql}"
      )
    ofRow(plain(condition))
  }

  /** @param row
    *   a DataFrame with one row, which has the columns of the input
    * @param names
    *   the columns that count; a column with maps does not, as they have no equality
    */
  def ofRow(row: DataFrame, names: Seq[String]): Why = {
    val values = rowsOf(SparkWindowingBridge.analyzedPlan(row)).head
    val same   = input.output.zipWithIndex.collect {
      case (column, i) if names.contains(column.name) && !hasMap(column.dataType) =>
        EqualNullSafe(column, Literal(values.get(i, column.dataType), column.dataType)): Expression
    }
    ofRow(same.reduceOption(And(_, _)).getOrElse(Literal(true)))
  }

  private[this] def hasMap(dataType: DataType): Boolean = dataType match {
    case _: MapType       => true
    case array: ArrayType => hasMap(array.elementType)
    case s: StructType    => s.exists(f => hasMap(f.dataType))
    case _                => false
  }

  private[this] def ofRow(is: Expression): Why = {
    val found = rowsOf(Project(keys.map(named) ++ input.output, Filter(is, input)))
    val types = keys.map(_.dataType) ++ input.output.map(_.dataType)
    found.map(_.toSeq(types)).distinct match {
      case Array()       => throw new IllegalArgumentException(s"why: no row of the input is as asked for, ${is.sql}")
      case Array(values) =>
        val (answers, asked) = run(values.take(keys.size), is)
        answers.ofElement(asked)
      case several =>
        throw new IllegalArgumentException(
          s"why: ${several.length} different rows of the input are as asked for, ${is.sql}: name more columns"
        )
    }
  }

  /** @param key
    *   values of the key columns, as a `Row` holds them
    * @param start
    *   of the window, milliseconds
    */
  def ofWindow(key: Seq[Any], start: Long, end: Long): Why = {
    val values = WhyKey.of(node.program, key).toSeq(keys.map(_.dataType))
    run(values, Literal(false))._1.ofWindow(key, dev.sparkwindowing.windows.TimeWindow(start, end))
  }

  // The rows of a key in the order in which the job takes them; with the number of the row that is asked for.
  private[this] def run(key: Seq[Any], is: Expression): (WhyOfRun, Int) = {
    val same  = keys.zip(key).map { case (e, v) => EqualNullSafe(e, Literal(v, e.dataType)) }
    val of    = same.reduceOption[Expression](And(_, _)).fold(input)(Filter(_, input))
    val taken = Project(columns ++ Seq(named(is), Alias(MonotonicallyIncreasingID(), "came")()), of)
    val order = Seq(taken.output(node.program.input.orderOrdinal), taken.output.last).map(SortOrder(_, Ascending))
    val rows  = rowsOf(if (plan.needsOrder) Sort(order, global = true, taken) else taken)
    val mark  = columns.size
    val asked = rows.indexWhere(row => !row.isNullAt(mark) && row.getBoolean(mark))
    (new StaticRun(node.program, rows.toSeq, lastTime).why(WhyText.in(spark)), asked)
  }

  // The greatest event time of all keys, which windows without rows need.
  private[this] def lastTime: Long =
    if (plan.emptyWindows.isEmpty) Long.MaxValue
    else {
      val times = SparkWindowingBridge.toDataFrame(
        spark,
        Project(Seq(Alias(plain(columns(node.program.input.timeOrdinal)), "time")()), input)
      )
      val row = times.agg(max(col("time"))).head()
      if (row.isNullAt(0)) Long.MinValue else row.getLong(0)
    }

  private[this] def named(e: Expression): NamedExpression = Alias(e, "asked")()

  private[this] def rowsOf(plan: LogicalPlan) = SparkWindowingBridge.collectRows(spark, plan).map(_.copy())
}
