package dev.sparkwindowing.simulation

import com.fasterxml.jackson.databind.ObjectMapper
import com.fasterxml.jackson.databind.node.ObjectNode
import dev.sparkwindowing.spark.plan.WindowNode
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.AttributeReference
import org.apache.spark.sql.catalyst.plans.logical.{LocalRelation, LogicalPlan}
import org.apache.spark.sql.types._
import org.apache.spark.sql.{SparkSession, SparkWindowingBridge}
import org.apache.spark.unsafe.types.UTF8String

/** A table of a run: its name and its rows, which begin with their step.
  *
  * @param isRead
  *   true if the caller reads its values, false if they are for a function after the operator
  */
private[simulation] final case class RunTable(name: String, plan: LogicalPlan, isRead: Boolean)

/** All parts of a run as one plan: a caller outside the JVM gets them in one call, of one run. The plan has the rows
  * themselves, so that reading it starts no job.
  *
  * The columns are `part` (the number of the part), `facts`, and for each part a struct, null in rows of the others.
  * Columns and fields are named by their positions, since those of a part may have equal names. In the parts that the
  * caller reads a TIMESTAMP is a BIGINT of its microseconds: a caller's own type may not reach as far. The last row has
  * the facts, as JSON: names and schemas of the parts, and what belongs to no row.
  */
private[simulation] object WideFrame {

  def of(
      spark: SparkSession,
      parts: Seq[RunTable],
      node: WindowNode,
      time: Option[String],
      afterSteps: String
  ): LogicalPlan = {
    val first   = Seq(AttributeReference("part", IntegerType)(), AttributeReference("facts", StringType)())
    val columns = first ++ parts.zipWithIndex.map { case (part, i) => AttributeReference(i.toString, struct(part))() }
    val nothing = Seq.fill[Any](columns.size)(null)
    val rows    = parts.zipWithIndex.flatMap { case (part, i) =>
      SparkWindowingBridge.collectRows(spark, part.plan).toSeq.map { row =>
        InternalRow.fromSeq(nothing.updated(0, i).updated(first.size + i, row))
      }
    }
    val last = nothing.updated(1, UTF8String.fromString(facts(parts, node, time, afterSteps)))
    LocalRelation(columns, rows :+ InternalRow.fromSeq(last))
  }

  private def struct(part: RunTable): StructType =
    StructType(part.plan.output.zipWithIndex.map { case (column, i) =>
      StructField(i.toString, if (part.isRead) asRead(column.dataType) else column.dataType)
    })

  // The same values: Spark's own form of a TIMESTAMP are its microseconds.
  private def asRead(dataType: DataType): DataType = dataType match {
    case TimestampType => LongType
    case s: StructType => StructType(s.map(field => field.copy(dataType = asRead(field.dataType))))
    case a: ArrayType  => a.copy(elementType = asRead(a.elementType))
    case m: MapType    => m.copy(keyType = asRead(m.keyType), valueType = asRead(m.valueType))
    case other         => other
  }

  private def facts(parts: Seq[RunTable], node: WindowNode, time: Option[String], afterSteps: String): String = {
    val mapper = new ObjectMapper
    val facts  = mapper.createObjectNode
    val named  = facts.putArray("parts")
    parts.foreach { part =>
      named.addObject.put("name", part.name).set[ObjectNode]("schema", mapper.readTree(part.plan.schema.json))
    }
    facts
      .put("time", time.orNull)
      .put("is_event_time", node.program.plan.isEventTime)
      .put("allowed_lateness", node.program.plan.allowedLateness)
      .put("after", afterSteps)
      .toString
  }
}
