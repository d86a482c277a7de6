package dev.sparkwindowing.spark.plan

import dev.sparkwindowing.declaration.Spec
import org.apache.spark.sql.catalyst.analysis.MultiInstanceRelation
import org.apache.spark.sql.catalyst.expressions.{Attribute, AttributeSet}
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, UnaryNode}

/** The window operator in a logical plan. `program.input` describes its input columns. */
final case class WindowNode(program: WindowProgram, output: Seq[Attribute], child: LogicalPlan)
    extends UnaryNode
    with MultiInstanceRelation {

  override def producedAttributes: AttributeSet = AttributeSet(output)

  /** True if it keeps state. It overrides a method that Spark has from 4.3 on. */
  def isStateful: Boolean = isStreaming

  // All columns: those read by position must not be pruned.
  override lazy val references: AttributeSet = child.outputSet

  // Entry point of Spark's check of a starting query.
  override def foreach(visit: LogicalPlan => Unit): Unit = {
    program.checks.visited(this, visit)
    super.foreach(visit)
  }

  /** Called when a plan is joined with itself, e.g. a result with its late rows. */
  override def newInstance(): LogicalPlan = copy(output = output.map(_.newInstance()))

  override protected def withNewChildInternal(newChild: LogicalPlan): WindowNode = {
    program.checks.copied()
    copy(child = newChild)
  }

  override def simpleString(maxFields: Int): String =
    (program.plan.arguments :+ ("functions" -> Spec.Items(program.computation.specs)))
      .filter(_._2.isWritten)
      .map { case (name, value) => s"$name = $value" }
      .mkString("Window ", ", ", "")
}
