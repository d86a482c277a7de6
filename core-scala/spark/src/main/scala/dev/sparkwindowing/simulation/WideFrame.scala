package dev.sparkwindowing.simulation

import com.fasterxml.jackson.databind.node.JsonNodeFactory
import dev.sparkwindowing.spark.plan.WindowNode
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical.{LocalRelation, LogicalPlan, Project, Union}
import org.apache.spark.sql.types.{IntegerType, StringType}

/** A part of a run: its name and its rows, which begin with their step. */
private[simulation] final case class RunPart(name: String, plan: LogicalPlan)

/** All parts of a run as one plan: a caller outside the JVM gets them in one job, of one run.
  *
  * The columns are `part` (the number of the part), `facts`, and for each part a struct, null in rows of the others.
  * Columns and fields are named by their positions, since those of a part may have equal names. The last row has the
  * facts, as JSON: the names of the parts and of their columns, and what belongs to no row.
  */
private[simulation] object WideFrame {

  def of(parts: Seq[RunPart], node: WindowNode, time: Option[String], afterSteps: String): LogicalPlan = {
    val nothing = parts.map(part => Literal(null, struct(part.plan).dataType))
    val rows    = parts.zipWithIndex.map { case (part, i) =>
      Project(columns(Literal(i), Literal(null, StringType), nothing.updated(i, struct(part.plan))), part.plan)
    }
    val text = facts(parts, node, time, afterSteps)
    val last = Project(
      columns(Literal(null, IntegerType), Literal(text), nothing),
      LocalRelation(Seq(AttributeReference("#", IntegerType)()), Seq(InternalRow(0)))
    )
    Union(rows :+ last)
  }

  private def columns(part: Expression, facts: Expression, structs: Seq[Expression]): Seq[NamedExpression] =
    Alias(part, "part")() +: Alias(facts, "facts")() +: structs.zipWithIndex.map { case (value, i) =>
      Alias(value, i.toString)()
    }

  private def struct(plan: LogicalPlan): CreateNamedStruct =
    CreateNamedStruct(plan.output.zipWithIndex.flatMap { case (column, i) => Seq(Literal(i.toString), column) })

  private def facts(parts: Seq[RunPart], node: WindowNode, time: Option[String], afterSteps: String): String = {
    val facts = JsonNodeFactory.instance.objectNode
    val named = facts.putArray("parts")
    parts.foreach { part =>
      val columns = named.addObject.put("name", part.name).putArray("columns")
      part.plan.output.foreach(column => columns.add(column.name))
    }
    facts
      .put("time", time.orNull)
      .put("is_event_time", node.program.assigner.isEventTime)
      .put("allowed_lateness", node.program.allowedLateness)
      .put("after", afterSteps)
      .toString
  }
}
