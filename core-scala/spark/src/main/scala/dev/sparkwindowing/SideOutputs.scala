package dev.sparkwindowing

import dev.sparkwindowing.spark.plan.{OutputLayout, StagedOutput, WindowNode}
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical.{Filter, LogicalPlan, Project}
import org.apache.spark.sql.types.StringType
import org.apache.spark.sql.{DataFrame, SparkSession, SparkWindowingBridge}

/** All rows that a window operator puts out, of all its outputs.
  *
  * @param plan
  *   gives the columns that `layout` names, in that order; others may follow
  */
private[sparkwindowing] final case class AllOutputs(plan: LogicalPlan, layout: OutputLayout) {

  private val mainCount = layout.main(isStreaming = false).size

  def mainColumns: Seq[Attribute] = plan.output.take(mainCount)

  /** The tag of the output that a row belongs to, null for the main one; None if there is no other. */
  def tag: Option[Attribute] = if (layout.sides.isEmpty) None else plan.output.drop(mainCount).headOption

  /** A struct for each side output. */
  def sideColumns: Seq[Attribute] = plan.output.slice(mainCount + 1, mainCount + 1 + layout.sides.size)

  def mainRows: LogicalPlan = tag.fold(plan)(t => Filter(IsNull(t), plan))

  /** The columns of a side output, and its rows.
    *
    * @throws java.lang.IllegalArgumentException
    *   if there is no such
    */
  def side(name: String): (Seq[NamedExpression], LogicalPlan) = {
    val number = layout.side(name).getOrElse(throw new IllegalArgumentException(unknown(name)))
    val fields = layout.sides(number).schema.fieldNames.toSeq.zipWithIndex.map { case (field, i) =>
      Alias(GetStructField(sideColumns(number), i), field)()
    }
    (fields, Filter(EqualTo(tag.getOrElse(Literal(null, StringType)), Literal(name)), plan))
  }

  private def unknown(tag: String): String = layout.sides match {
    case Seq() =>
      s"the result has no side output '$tag': declare it with .side_output_late_data(\"$tag\") before .aggregate(..), or " +
        s"for what a function puts out with side_outputs={\"$tag\": schema}"
    case sides => s"the result has no side output '$tag': it has ${sides.map(s => s"'${s.tag}'").mkString(", ")}"
  }
}

/** The outputs of a window operator as DataFrames. Each is a view of the same node: the operator runs once for each
  * that is started on its own.
  */
private[sparkwindowing] object SideOutputs {

  def main(spark: SparkSession, outputs: AllOutputs): DataFrame = {
    val columns = outputs.mainColumns.map(c => Alias(c, c.name)())
    SparkWindowingBridge.toDataFrame(spark, Project(columns, outputs.mainRows))
  }

  def side(result: DataFrame, tag: String): DataFrame = {
    val (columns, rows) = of(result).side(tag)
    SparkWindowingBridge.toDataFrame(result.sparkSession, Project(columns, rows))
  }

  /** A column `output` (`main` or the tag), and a struct a column for each output. */
  def all(result: DataFrame): DataFrame = {
    val outputs = of(result)
    val main    = CreateNamedStruct(outputs.mainColumns.flatMap(c => Seq(Literal(c.name), c)))
    val columns = outputs.tag match {
      case None => Seq(Alias(Literal(OutputLayout.Main), OutputLayout.TagColumn)(), Alias(main, OutputLayout.Main)())
      case Some(tag) =>
        Seq(
          Alias(Coalesce(Seq(tag, Literal(OutputLayout.Main))), OutputLayout.TagColumn)(),
          Alias(If(IsNull(tag), main, Literal(null, main.dataType)), OutputLayout.Main)()
        ) ++ outputs.sideColumns.zip(outputs.layout.sides).map { case (c, side) => Alias(c, side.tag)() }
    }
    SparkWindowingBridge.toDataFrame(result.sparkSession, Project(columns, outputs.plan))
  }

  def tags(result: DataFrame): Seq[String] = of(result).layout.sides.map(_.tag)

  private def of(result: DataFrame): AllOutputs = {
    val node = nodeOf(result)
    node.program.staged.fold(AllOutputs(node, node.program.output))(stageOn(node, result))
  }

  /** The result of the function that runs behind an operator: `staged` is what that function made of the operator's
    * rows.
    */
  def mainOfStage(staged: DataFrame): DataFrame = main(staged.sparkSession, of(staged))

  // The marks of columns, of the window above all, are lost in the function, so they are put back.
  private def stageOn(node: WindowNode, result: DataFrame)(staged: StagedOutput): AllOutputs = {
    val stage = SparkWindowingBridge.analyzedPlan(result).find(p => p.children.contains(node)).getOrElse {
      throw new IllegalArgumentException("the rows of the operator have not been through its function")
    }
    val fields = staged.layout.all(node.child.isStreaming)
    AllOutputs(
      Project(
        stage.output.zip(fields).map { case (a, f) => Alias(a, f.name)(explicitMetadata = Some(f.metadata)) },
        stage
      ),
      staged.layout
    )
  }

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
}
