package dev.sparkwindowing.spark.portable

import dev.sparkwindowing.spark.checkpoint.{Specification, SpecificationFile}
import dev.sparkwindowing.spark.exec.OperatorRows
import dev.sparkwindowing.spark.links.{LinkedFeature, SparkLinks}
import dev.sparkwindowing.spark.metrics.QueryMetrics
import dev.sparkwindowing.spark.plan.{StateLimits, WatermarkTiming, WindowNode}
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
private[portable] object PortablePlan {

  /** @param rows
    *   the operator's input
    * @param timing
    *   the micro-batch in which windows fire, given the plan of the whole query
    * @param planLater
    *   has Spark plan a logical plan
    */
  def of(
      node: WindowNode,
      rows: OperatorRows,
      timers: PortableTimers,
      timing: LogicalPlan => Option[WatermarkTiming]
  )(planLater: LogicalPlan => SparkPlan): SparkPlan = {
    val session                                         = SparkSession.active
    val run                                             = runOf(session)
    def specification(firesIn: Option[WatermarkTiming]) =
      Specification.of(node.program, rows.path, firesIn, timers.specified)
    node.program.face.use(compare(session, run)(query => specification(timing(query))))
    val function = new PortableFunction(
      rows.program,
      DataTypeUtils.fromAttributes(rows.plan.output),
      rows.numbered,
      timers,
      PortableTimers.hasWatermark(node.child),
      PortableState.fingerprint(specification(None).tree),
      StateLimits.ofSession,
      run
    )
    val bytes  = BytesOfRowsExec.of(rows.program.input.keyCount, rows.plan)
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
    results.observe(QueryMetrics.Observed, sums.head, sums.tail: _*).where(col("row").isNotNull).select("row")
  }

  // Spark names the jobs of a query after its run.
  private def runOf(session: SparkSession): Option[UUID] =
    Option(session.sparkContext.getLocalProperty("spark.jobGroup.id")).flatMap(id => Try(UUID.fromString(id)).toOption)

  // In the first micro-batch of a run. The query has one stateful operator, which Spark numbers 0. Where this Spark
  // lacks what that needs, each key compares the fingerprint.
  private def compare(session: SparkSession, run: Option[UUID])(wanted: LogicalPlan => Specification): Unit =
    if (SparkLinks.allows(LinkedFeature.CheckpointFiles)) for {
      id <- run
      if session.sparkContext.getLocalProperty(ComparedRun) != id.toString
      batch <- SparkWindowingBridge.activeQuery(session, id).flatMap(SparkWindowingBridge.microBatch(_))
    } {
      val file = new SpecificationFile(batch.stateLocation, 0L, SparkWindowingBridge.hadoopConf(session))
      file.check(batch.id, wanted(batch.logical), allowsChange = false)
      session.sparkContext.setLocalProperty(ComparedRun, id.toString)
    }

  private val ComparedRun = "spark.windowing.comparedRun"
}
