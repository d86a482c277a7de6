package dev.sparkwindowing.simulation

import dev.sparkwindowing.spark.advice.Code
import dev.sparkwindowing.spark.plan.{TimestampColumn, WindowNode}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical.{LocalRelation, Project}
import org.apache.spark.sql.functions.{col, struct, to_json, unix_millis}
import org.apache.spark.sql.types.TimestampType
import org.apache.spark.sql.{Column, DataFrame, SparkWindowingBridge}

import scala.jdk.CollectionConverters._

/** Rows of a simulation, projected for the operator as in the query. */
private[simulation] final class SimulatedElements(node: WindowNode, elements: DataFrame) {
  private[this] val Project(layout, source) = Simulation.projectionUnder(node)
  private[this] val timeOrdinal             = node.program.input.timeOrdinal

  private[this] val spark = elements.sparkSession
  private[this] val plan  = SparkWindowingBridge.analyzedPlan(elements)

  if (plan.schema.fieldNames.toSeq != source.schema.fieldNames.toSeq)
    throw new IllegalArgumentException(
      s"elements have the columns ${plan.schema.fieldNames.mkString(", ")}, the input of the query has " +
        source.schema.fieldNames.mkString(", ")
    )

  // The event-time column of the query, if it is a plain column.
  private[this] val timeColumn: Option[Attribute] = layout(timeOrdinal) match {
    case Alias(UnixMillis(a: Attribute), _) => source.output.find(_.exprId == a.exprId)
    case _                                  => None
  }

  /** The name of the query's event-time column, if it is a plain column. */
  def timeName: Option[String] = timeColumn.map(_.name)

  /** The rows as given. */
  def rows: Array[InternalRow] = laidOut(elements, assigned = false)

  /** The rows with event times from `assigner`. */
  def rows(assigner: Column): Array[InternalRow] = {
    TimestampColumn.resolve(elements, assigner, "the timestamp assigner")
    laidOut(elements.select(col("*"), assigner.as("assigned")), assigned = true)
  }

  /** The rows with these event times. */
  def rows(times: Array[Long]): Array[InternalRow] = {
    val types = plan.output.map(_.dataType)
    val data  = SparkWindowingBridge.collectRows(spark, plan).toSeq.zip(times.toSeq).map { case (row, time) =>
      InternalRow.fromSeq(row.toSeq(types) :+ time * 1000)
    }
    val columns = plan.output.map(_.newInstance()) :+ AttributeReference("assigned", TimestampType)()
    laidOut(SparkWindowingBridge.toDataFrame(spark, LocalRelation(columns, data)), assigned = true)
  }

  /** The value in milliseconds of a TIMESTAMP over each row and its event time, as a user's generator sees them. */
  def proofs(generator: Column, assigner: Option[Column]): Int => Option[Long] = {
    val timed = assigner.fold(elements)(a => timeColumn.fold(elements)(c => elements.withColumn(c.name, a)))
    TimestampColumn.resolve(timed, generator, s"the column of ${Code.name("for_generator")}")
    val values = SparkWindowingBridge
      .collectRows(spark, SparkWindowingBridge.analyzedPlan(timed.select(unix_millis(generator))))
      .map(row => if (row.isNullAt(0)) None else Some(row.getLong(0)))
    values(_)
  }

  /** The event time of a projected row, `Long.MinValue` for none. */
  def timeOf(row: InternalRow): Long = if (row.isNullAt(timeOrdinal)) Long.MinValue else row.getLong(timeOrdinal)

  /** Text of an element for an error. */
  def shown(number: Int): String = {
    val json = to_json(struct(col("*")), Map("ignoreNullFields" -> "false").asJava)
    elements.select(json).collect()(number).getString(0)
  }

  // With `assigned` the last column stands for the event time, and for the column that the query takes it from.
  private[this] def laidOut(frame: DataFrame, assigned: Boolean): Array[InternalRow] = {
    val supplied = SparkWindowingBridge.analyzedPlan(frame)
    val asGiven  = source.output.zip(supplied.output)
    val replaced = AttributeMap(if (assigned) asGiven ++ timeColumn.map(_ -> supplied.output.last) else asGiven)
    val columns  = layout.zipWithIndex.map {
      case (e, i) if assigned && i == timeOrdinal => Alias(UnixMillis(supplied.output.last), e.name)()
      case (e, _) => e.transform { case a: Attribute => replaced.getOrElse(a, a) }.asInstanceOf[NamedExpression]
    }
    SparkWindowingBridge.collectRows(spark, Project(columns, supplied))
  }
}
