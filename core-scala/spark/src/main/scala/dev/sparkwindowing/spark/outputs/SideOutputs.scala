package dev.sparkwindowing.spark.outputs

import dev.sparkwindowing.spark.advice.{Code, Face}
import dev.sparkwindowing.spark.plan.{OutputLayout, OutputNames, PythonFunctionOutput, WindowNode}
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical.{Filter, LogicalPlan, Project}
import org.apache.spark.sql.types.{StringType, StructType}
import org.apache.spark.sql.{DataFrame, SparkSession, SparkWindowingBridge}

/** All rows of a window operator, of all its outputs.
  *
  * @param plan
  *   begins with the columns of `layout`, in that order; others may follow
  */
private[sparkwindowing] final case class AllOutputs(plan: LogicalPlan, layout: OutputLayout) {

  private val mainCount = layout.main(isStreaming = false).size

  def mainColumns: Seq[Attribute] = plan.output.take(mainCount)

  /** The tag of a row's output, null for the main output; None if there are no side outputs. */
  def tag: Option[Attribute] = if (layout.sides.isEmpty) None else plan.output.drop(mainCount).headOption

  /** One struct for each side output. */
  def sideColumns: Seq[Attribute] = plan.output.slice(mainCount + 1, mainCount + 1 + layout.sides.size)

  def mainRows: LogicalPlan = tag.fold(plan)(t => Filter(IsNull(t), plan))

  /** Columns and rows of a side output.
    *
    * @throws java.lang.IllegalArgumentException
    *   if there is no such output
    */
  def side(name: String): (Seq[NamedExpression], LogicalPlan) = {
    val number = layout.side(name).getOrElse(throw new IllegalArgumentException(unknown(name)))
    val fields = layout.sides(number).schema.fieldNames.toSeq.zipWithIndex.map { case (field, i) =>
      Alias(GetStructField(sideColumns(number), i), field)()
    }
    (fields, Filter(EqualTo(tag.getOrElse(Literal(null, StringType)), Literal(name)), plan))
  }

  private def ofFunction(tag: String) = Code {
    case Face.Scala => s"SideOutput(${Code.text(tag)}, schema)"
    case _          => s"side_outputs={${Code.text(tag)}: schema}"
  }

  private def unknown(tag: String): String = layout.sides match {
    case Seq() =>
      s"the result has no side output '$tag': declare it with ${Code.call(".side_output_late_data", Code.text(tag))} before " +
        s".aggregate(..), or for what a function puts out with ${ofFunction(tag)}"
    case sides => s"the result has no side output '$tag': it has ${sides.map(s => s"'${s.tag}'").mkString(", ")}"
  }
}

/** Outputs of a window operator as DataFrames. Each is a view of the same node: the operator runs once for each query
  * that is started on one of them.
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

  /** A column `output` (`main` or the tag), and a struct column for each output. */
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

  /** The main result with a side output beside it: a struct column with the name of its tag, null in a row of the main
    * output. In a row of the side output the other columns are null.
    *
    * @throws java.lang.IllegalArgumentException
    *   if the result has a column of that name
    */
  def beside(result: DataFrame, tag: String): DataFrame = {
    val outputs = of(result)
    outputs.mainColumns.find(c => OutputNames.same(c.name, tag)).foreach { column =>
      throw new IllegalArgumentException(
        s"the column '$tag' is that of the rows of the output, and the result has one of its own${OutputNames
            .also(tag, column.name)}: give that another name, AS .."
      )
    }
    val isMain = IsNull(outputs.tag.getOrElse(Literal(null, StringType)))
    val main   = outputs.mainColumns.map { c =>
      Alias(If(isMain, c, Literal(null, c.dataType)), c.name)(explicitMetadata = Some(c.metadata))
    }
    val side = outputs.sideColumns(outputs.layout.side(tag).get)
    SparkWindowingBridge.toDataFrame(result.sparkSession, Project(main :+ Alias(side, tag)(), outputs.plan))
  }

  def tags(result: DataFrame): Seq[String] = of(result).layout.sides.map(_.tag)

  private def of(result: DataFrame): AllOutputs = {
    val node = nodeOf(result)
    node.program.pythonFunction.fold(AllOutputs(node, node.program.output))(pythonFunctionOn(node, result))
  }

  /** Columns that the function after an operator must return.
    *
    * @param handed
    *   the DataFrame that the function gets
    */
  def schemaOfPythonFunction(handed: DataFrame): StructType = nodeOf(handed).program.pythonFunction match {
    case Some(pythonFunction) => pythonFunction.layout.all(isStreaming = false)
    case None => throw new IllegalArgumentException("the DataFrame is not for a function after an operator")
  }

  /** The main result, from the rows that the function after an operator returned. */
  def mainOfPythonFunction(pythonFunction: DataFrame): DataFrame = main(pythonFunction.sparkSession, of(pythonFunction))

  // The function loses column metadata, such as the event-time mark of the window; it is restored here.
  private def pythonFunctionOn(
      node: WindowNode,
      result: DataFrame
  )(pythonFunction: PythonFunctionOutput): AllOutputs = {
    val function = SparkWindowingBridge.analyzedPlan(result).find(p => p.children.contains(node)).getOrElse {
      throw new IllegalArgumentException("the rows of the operator have not been through its function")
    }
    val fields = pythonFunction.layout.all(node.child.isStreaming)
    AllOutputs(
      Project(
        function.output.zip(fields).map { case (a, f) => Alias(a, f.name)(explicitMetadata = Some(f.metadata)) },
        function
      ),
      pythonFunction.layout
    )
  }

  /** The window operator of a result: the topmost in its plan.
    *
    * @throws java.lang.IllegalArgumentException
    *   if there is none, or several beside each other
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
