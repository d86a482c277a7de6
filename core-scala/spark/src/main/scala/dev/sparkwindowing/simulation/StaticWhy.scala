package dev.sparkwindowing.simulation

import dev.sparkwindowing.spark.advice.{Code, Face}
import dev.sparkwindowing.spark.expressions.{ColumnErrors, Columns}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical.{Filter, LocalRelation, LogicalPlan, Project, Sort}
import org.apache.spark.sql.types.BooleanType
import org.apache.spark.sql.{Column, DataFrame, SparkWindowingBridge}

/** Answers why a row or a window of a static DataFrame is in the results, or not: the rows of its key go through the
  * operator again, on the driver.
  */
private[sparkwindowing] final class StaticWhy(result: DataFrame) {
  import SimulationEvent._

  private[this] val node = Simulation.operatorOf(result, "why")
  if (node.child.isStreaming)
    throw new IllegalArgumentException(
      "why is asked of a static DataFrame, or of a run of simulate, and the result is a stream: ask with " +
        s"its checkpoint, ${Code {
            case Face.Scala => "Why.inCheckpoint(result, checkpoint, ..)";
            case _          => "sw.why(result, row, checkpoint=..)"
          }}"
    )
  if (Simulation.inputSchemas(result).nonEmpty)
    throw new UnsupportedOperationException(
      "why is asked of the rows of one input, and the result has several: ask a run of simulate"
    )

  private[this] val spark                   = result.sparkSession
  private[this] val Project(columns, input) = Simulation.projectionUnder(node)
  private[this] val keys = columns.take(node.program.input.keyCount).map { case Alias(e, _) => e; case e => e }
  private[this] val time = columns(node.program.input.timeOrdinal) match { case Alias(e, _) => e; case e => e }

  /** @param row
    *   a condition that is true for one row of the input
    * @throws java.lang.IllegalArgumentException
    *   if it is true for none, or for several that differ
    */
  def ofRow(row: Column): Why = {
    val frame     = SparkWindowingBridge.toDataFrame(spark, input)
    val condition =
      ColumnErrors.named("why", s"the columns of the input (${frame.columns.mkString(", ")})", frame.schema) {
        Columns.resolve(frame, Seq(row), "why").head
      }
    if (condition.dataType != BooleanType)
      throw new IllegalArgumentException(
        s"why takes a condition on a row, got ${condition.sql} of type ${condition.dataType.sql}"
      )
    val is    = condition match { case Alias(e, _) => e; case e => e }
    val found = rowsOf(Project(keys.map(named) ++ input.output, Filter(is, input)))
    val types = keys.map(_.dataType) ++ input.output.map(_.dataType)
    found.map(_.toSeq(types)).distinct match {
      case Array() => throw new IllegalArgumentException(s"why: no row of the input is as asked for, ${condition.sql}")
      case Array(values) =>
        val (answers, asked) = run(values.take(keys.size), is)
        answers.why(asked)
      case several =>
        throw new IllegalArgumentException(
          s"why: ${several.length} different rows of the input are as asked for, ${condition.sql}: name more columns"
        )
    }
  }

  /** @param key
    *   values of the key columns, as a `Row` holds them
    * @param start
    *   of the window, milliseconds
    */
  def ofWindow(key: Seq[Any], start: Long, end: Long): Why = {
    val constant = keys.drop(node.program.output.keys.size).map(_ => 0)
    val values   = key.zip(keys).map { case (v, e) => Literal.create(v, e.dataType).value } ++ constant
    run(if (key.size + constant.size == keys.size) values else Nil, Literal(false))._1.why(key, start, end)
  }

  // The rows of a key as those of one micro-batch, in order of event time, then the end of the input; with the number of
  // the row that is asked for.
  private[this] def run(key: Seq[Any], is: Expression): (SimulationRun, Int) = {
    val same     = keys.zip(key).map { case (e, v) => EqualNullSafe(e, Literal(v, e.dataType)) }
    val of       = same.reduceOption[Expression](And(_, _)).fold(input)(Filter(_, input))
    val order    = Sort(Seq(SortOrder(time, Ascending)), global = true, of)
    val rows     = rowsOf(Project(input.output :+ named(is), order))
    val mark     = input.output.size
    val asked    = rows.indexWhere(row => !row.isNullAt(mark) && row.getBoolean(mark))
    val types    = input.output.map(_.dataType)
    val elements = LocalRelation(
      input.output.map(_.newInstance()),
      rows.map(r => InternalRow.fromSeq(r.toSeq(types :+ BooleanType).init)).toSeq
    )
    val events = Batch(rows.indices.map(Element(_, 0)).toSeq)
    val again  = new Simulation(result, SparkWindowingBridge.toDataFrame(spark, elements), None, isStatic = true)
    (again.run(IndexedSeq(events, End)), asked)
  }

  private[this] def named(e: Expression): NamedExpression = Alias(e, "asked")()

  private[this] def rowsOf(plan: LogicalPlan): Array[InternalRow] =
    SparkWindowingBridge.collectRows(spark, plan).map(_.copy())
}
