package dev.sparkwindowing.spark.analysis

import dev.sparkwindowing.spark.advice.Face
import dev.sparkwindowing.spark.declared.Declaration
import dev.sparkwindowing.spark.plan.WindowNode
import org.apache.spark.sql.catalyst.analysis.UnresolvedException
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, Project}
import org.apache.spark.sql.{SparkSession, SparkWindowingBridge}

/** Windows over tables that Spark has yet to look up: a declaration with its inputs as children. Spark's analyzer
  * replaces the children by what they stand for; with the last of them this node becomes the plan of the result.
  *
  * @param declaration
  *   names its DataFrames by the positions of `children`
  */
private[sparkwindowing] final case class UnresolvedWindows(
    declaration: UnresolvedWindows.Numbered,
    children: Seq[LogicalPlan]
) extends LogicalPlan {
  override lazy val resolved: Boolean = false
  override def output: Seq[Attribute] = throw new UnresolvedException("output")
  override def maxRows: Option[Long]  = None

  override protected def withNewChildrenInternal(newChildren: IndexedSeq[LogicalPlan]): LogicalPlan =
    declaration.face.use(UnresolvedWindows.over(declaration.of, newChildren))

  override def simpleString(maxFields: Int): String = s"'Windows of ${children.size} inputs"
}

private[sparkwindowing] object UnresolvedWindows {

  /** A declaration that Spark's rules do not look into, and the face that it was written in. */
  final class Numbered(val of: Declaration[Int], val face: Face) extends Serializable

  /** The plan of a declaration: that of its result, if its inputs are resolved. */
  def over(declaration: Declaration[Int], inputs: Seq[LogicalPlan]): LogicalPlan =
    if (!inputs.forall(_.resolved)) UnresolvedWindows(new Numbered(declaration, Face.inUse), inputs)
    else {
      val session = SparkSession.active
      val frames  = inputs.map(SparkWindowingBridge.toDataFrame(session, _))
      unmarked(SparkWindowingBridge.analyzedPlan(Analysis.of(declaration.map(frames))))
    }

  // Spark hands the marks of a node on to what takes its place, unless that has marks of its own.
  private def unmarked(plan: LogicalPlan): LogicalPlan = plan match {
    case main: Project      => main.copy()
    case handed: WindowNode => handed.copy()
    case other              => other
  }
}
