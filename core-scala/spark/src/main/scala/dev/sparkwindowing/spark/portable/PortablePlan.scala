package dev.sparkwindowing.spark.portable

import dev.sparkwindowing.spark.checkpoint.{Specification, SpecificationFile}
import dev.sparkwindowing.spark.links.LinkedPart
import dev.sparkwindowing.spark.plan._
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.types.DataTypeUtils
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.functions._
import org.apache.spark.sql.streaming.OutputMode
import org.apache.spark.sql.{Column, DataFrame, Encoder, Encoders, SparkSession, SparkWindowingBridge}

import java.util.UUID
import scala.util.Try

/** Plans the portable operator in the place of a window's node: Spark's public `flatMapGroupsWithState` over bytes,
  * whose physical operator is Spark's own. Its counters are observed metrics.
  */
private[spark] object PortablePlan {

  /** Name of the observed metrics. */
  val Metrics = "spark_windowing"

  /** @param program
    *   the operator's work on the rows
    * @param sortsRows
    *   whether the rows of a key are sorted by the number in their last column
    * @param planLater
    *   has Spark plan a logical plan
    */
  def of(
      node: WindowNode,
      path: PreAggregation,
      program: WindowProgram,
      sortsRows: Boolean,
      rows: SparkPlan
  )(planLater: LogicalPlan => SparkPlan): SparkPlan = {
    PortableRules.refuse(node)
    val session = SparkSession.active
    val timers  = PortableTimers.of(node)
    val run     = runOf(session)
    compare(session, run, node, path, timers)
    val function = new PortableFunction(
      program,
      DataTypeUtils.fromAttributes(rows.output),
      sortsRows,
      timers,
      PortableTimers.hasWatermark(node.child),
      PortableState.fingerprint(Specification.of(node.program, path, None, Some(timers)).tree),
      StateLimits.ofSession,
      run
    )
    val bytes  = BytesOfRowsExec.of(program.input.keyCount, rows)
    val input  = SparkWindowingBridge.toDataFrame(session, PlannedRows(bytes.output, bytes))
    val counts = counted(results(input, function, timers))
    RowsOfBytesExec(node.output, planLater(SparkWindowingBridge.analyzedPlan(counts)))
  }

  private def results(input: DataFrame, function: PortableFunction, timers: PortableTimers): DataFrame = {
    implicit val binary: Encoder[Array[Byte]]             = Encoders.BINARY
    implicit val row: Encoder[PortableFunction.RowBytes]  = Encoders.tuple(binary, binary, Encoders.TIMESTAMP)
    implicit val result: Encoder[PortableFunction.Result] = Encoders.product[PortableFunction.Result]
    input
      .groupBy(col(BytesOfRowsExec.Key))
      .as[Array[Byte], PortableFunction.RowBytes]
      .flatMapGroupsWithState[Array[Byte], PortableFunction.Result](OutputMode.Append(), timers.timeout)(function)
      .toDF("row", "counts")
  }

  private def counted(results: DataFrame): DataFrame = {
    val sums: Seq[Column] = CountsOfCall.Names.zipWithIndex.map { case (name, i) =>
      coalesce(sum(col("counts").getItem(i)), lit(0L)).as(name)
    }
    results.observe(Metrics, sums.head, sums.tail: _*).where(col("row").isNotNull).select("row")
  }

  // Spark names the jobs of a query after its run.
  private def runOf(session: SparkSession): Option[UUID] =
    Option(session.sparkContext.getLocalProperty("spark.jobGroup.id")).flatMap(id => Try(UUID.fromString(id)).toOption)

  // In the first micro-batch of a run. The query has one stateful operator, which Spark numbers 0. Where this Spark
  // lacks what that needs, each key compares the fingerprint.
  private def compare(
      session: SparkSession,
      run: Option[UUID],
      node: WindowNode,
      path: PreAggregation,
      timers: PortableTimers
  ): Unit = if (OperatorChoice.links(LinkedPart.CheckpointFiles)) for {
    id <- run
    if session.sparkContext.getLocalProperty(ComparedRun) != id.toString
    (batch, state, query) <- SparkWindowingBridge.plannedBatch(session, id)
  } {
    val spec = Specification.of(node.program, path, WatermarkTiming.of(node, query), Some(timers))
    val file = new SpecificationFile(state, 0L, SparkWindowingBridge.hadoopConf(session))
    node.program.face.use(file.check(batch, spec, allowsChange = false))
    session.sparkContext.setLocalProperty(ComparedRun, id.toString)
  }

  private val ComparedRun = "spark.windowing.comparedRun"
}
