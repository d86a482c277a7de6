package dev.sparkwindowing

import dev.sparkwindowing.spark.plan.WindowNode
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical.{Filter, LogicalPlan, Project}
import org.apache.spark.sql.types.StringType
import org.apache.spark.sql.{DataFrame, SparkSession, SparkWindowingBridge}

/** The outputs of a window operator as DataFrames. Each is a view of the same node: the operator runs once for each
  * that is started on its own.
  */
private[sparkwindowing] object SideOutputs {

  /** The name of the main output in the frame of all outputs. */
  val Main = "main"

  def main(spark: SparkSession, node: WindowNode): DataFrame = {
    val columns = mainColumns(node)
    val rows    = tagOf(node).fold[LogicalPlan](node)(tag => Filter(IsNull(tag), node))
    SparkWindowingBridge.toDataFrame(spark, Project(columns.map(c => Alias(c, c.name)()), rows))
  }

  def side(result: DataFrame, tag: String): DataFrame = {
    val node = nodeOf(result)
    checkTag(node, tag)
    val late   = node.output.last
    val fields = node.program.output.late.toSeq.flatMap(_.fieldNames.toSeq)
    val rows   = Filter(EqualTo(tagOf(node).getOrElse(Literal(null, StringType)), Literal(tag)), node)
    val plan   = Project(fields.zipWithIndex.map { case (name, i) => Alias(GetStructField(late, i), name)() }, rows)
    SparkWindowingBridge.toDataFrame(result.sparkSession, plan)
  }

  /** A column `output` (the tag, null for the main output), and a struct a column for each output. */
  def all(result: DataFrame): DataFrame = {
    val node    = nodeOf(result)
    val main    = CreateNamedStruct(mainColumns(node).flatMap(c => Seq(Literal(c.name), c)))
    val columns = tagOf(node) match {
      case None      => Seq(Alias(Literal(null, StringType), "output")(), Alias(main, Main)())
      case Some(tag) =>
        Seq(
          Alias(tag, "output")(),
          Alias(If(IsNull(tag), main, Literal(null, main.dataType)), Main)(),
          Alias(node.output.last, node.program.output.lateTag.getOrElse(""))()
        )
    }
    SparkWindowingBridge.toDataFrame(result.sparkSession, Project(columns, node))
  }

  def tags(result: DataFrame): Seq[String] = nodeOf(result).program.output.lateTag.toSeq

  /** The operator that a result comes from: the uppermost in its plan.
    *
    * @throws java.lang.IllegalArgumentException
    *   if there is none, or more than one beside each other
    */
  def nodeOf(result: DataFrame): WindowNode = uppermost(SparkWindowingBridge.analyzedPlan(result)) match {
    case Seq(node) => node
    case Seq()     =>
      throw new IllegalArgumentException(
        "the DataFrame is not the result of a window: pass what .aggregate(..) gave back"
      )
    case several =>
      throw new IllegalArgumentException(
        s"the DataFrame joins ${several.size} results of windows: pass one of them, as .aggregate(..) gave it back"
      )
  }

  private def uppermost(plan: LogicalPlan): Seq[WindowNode] = plan match {
    case node: WindowNode => Seq(node)
    case other            => other.children.flatMap(uppermost)
  }

  private def checkTag(node: WindowNode, tag: String): Unit =
    if (!node.program.output.lateTag.contains(tag))
      throw new IllegalArgumentException(node.program.output.lateTag match {
        case Some(name) => s"the result has no side output '$tag': it has '$name'"
        case None       =>
          s"the result has no side output '$tag': declare it with .side_output_late_data(\"$tag\") before .aggregate(..)"
      })

  private def mainColumns(node: WindowNode): Seq[Attribute] =
    if (node.program.output.lateTag.isEmpty) node.output else node.output.dropRight(2)

  private def tagOf(node: WindowNode): Option[Attribute] =
    if (node.program.output.lateTag.isEmpty) None else node.output.takeRight(2).headOption
}
