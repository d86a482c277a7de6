package dev.sparkwindowing.spark.analysis

import dev.sparkwindowing.spark.advice.Face
import dev.sparkwindowing.spark.declared.Declaration
import dev.sparkwindowing.spark.plan.WindowNode
import org.apache.spark.sql.catalyst.analysis.UnresolvedException
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.plans.logical.{AnalysisHelper, EventTimeWatermark, LogicalPlan, Project}
import org.apache.spark.sql.{DataFrame, SparkSession, SparkWindowingBridge}

/** Windows over tables that Spark has yet to look up: what is made of the inputs, with these as children. Spark's
  * analyzer replaces the children by what they stand for; with the last of them this node becomes the plan that is
  * made.
  */
private[sparkwindowing] final case class UnresolvedWindows(
    made: UnresolvedWindows.Made,
    children: Seq[LogicalPlan]
) extends LogicalPlan {
  override lazy val resolved: Boolean = false
  override def output: Seq[Attribute] = throw new UnresolvedException("output")
  override def maxRows: Option[Long]  = None

  override protected def withNewChildrenInternal(newChildren: IndexedSeq[LogicalPlan]): LogicalPlan =
    made.face.use(UnresolvedWindows.over(newChildren)(made.of))

  override def simpleString(maxFields: Int): String = s"'Windows of ${children.size} inputs"
}

private[sparkwindowing] object UnresolvedWindows {

  /** Function of resolved inputs, into which Spark's rules do not look, and the face that it was written in. */
  final class Made(val of: Seq[DataFrame] => DataFrame, val face: Face) extends Serializable

  /** The plan of a declaration, whose DataFrames are the positions of `inputs`: that of its result, if these are
    * resolved.
    */
  def over(declaration: Declaration[Int], inputs: Seq[LogicalPlan]): LogicalPlan =
    over(inputs)(frames => Analysis.of(declaration.map(frames)))

  /** The plan of what `made` makes of the inputs, if these are resolved. */
  def over(inputs: Seq[LogicalPlan])(made: Seq[DataFrame] => DataFrame): LogicalPlan =
    if (!inputs.forall(_.resolved)) UnresolvedWindows(new Made(made, Face.inUse), inputs)
    else {
      val session = SparkSession.active
      def frames  = inputs.map(SparkWindowingBridge.toDataFrame(session, _))
      // Spark's tests fail a rule of the analyzer that goes through a plan in another way than that of rules.
      unmarked(AnalysisHelper.allowInvokingTransformsInAnalyzer(SparkWindowingBridge.analyzedPlan(made(frames))))
    }

  // Spark hands the marks of a node on to what takes its place, unless that has marks of its own.
  private def unmarked(plan: LogicalPlan): LogicalPlan = plan match {
    case main: Project         => main.copy()
    case handed: WindowNode    => handed.copy()
    case w: EventTimeWatermark => w.copy()
    case other                 => Project(other.output, other)
  }
}
