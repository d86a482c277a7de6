package dev.sparkwindowing.spark.exec

import dev.sparkwindowing.spark.expressions.MeasuredTime
import dev.sparkwindowing.spark.plan.{StatefulInput, WatermarkTiming, WindowNode}
import dev.sparkwindowing.spark.rows.RowsBehind
import org.apache.spark.sql.catalyst.expressions.{Alias, NamedExpression}
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, Project}

/** The input of an operator on a stream, whose rows are counted by how far they are behind earlier ones. */
private[exec] final class MeasuredInput(val plan: LogicalPlan, val rows: RowsBehind)

private[exec] object MeasuredInput {

  /** None where the watermark does not say what was the greatest event time: without one, with several, and for rows of
    * another stateful operator.
    */
  def of(node: WindowNode): Option[MeasuredInput] =
    if (!node.child.isStreaming || WatermarkTiming.watermarks(node.child) != 1 || StatefulInput.isIn(node.child)) None
    else {
      val rows             = new RowsBehind
      val place            = node.program.input.timeOrdinal
      val (columns, input) = node.child match {
        case Project(columns, input) if columns.forall(_.deterministic) => (columns, input)
        case other                                                      => (other.output, other)
      }
      Some(new MeasuredInput(Project(columns.updated(place, measured(columns(place), rows)), input), rows))
    }

  private def measured(time: NamedExpression, rows: RowsBehind): NamedExpression = {
    val of = time match {
      case Alias(child, _) => child
      case column          => column
    }
    Alias(MeasuredTime(of, rows), time.name)(time.exprId, time.qualifier, Some(time.metadata))
  }
}
