package org.apache.spark.sql

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.classic.{Dataset => ClassicDataset, SparkSession => ClassicSession}
import org.apache.spark.sql.execution.streaming.runtime.StreamExecution

import java.util.UUID
import scala.jdk.CollectionConverters._

/** The few doors of Spark that are closed to other packages. */
object SparkWindowingBridge {

  def toDataFrame(session: SparkSession, plan: LogicalPlan): DataFrame =
    ClassicDataset.ofRows(session.asInstanceOf[ClassicSession], plan)

  def analyzedPlan(df: DataFrame): LogicalPlan = df.asInstanceOf[ClassicDataset[Row]].queryExecution.analyzed

  /** The running query of that run, if it still runs. */
  def activeQuery(session: SparkSession, runId: UUID): Option[StreamExecution] =
    session.asInstanceOf[ClassicSession].sharedState.activeStreamingQueries.values.asScala.find(_.runId == runId)
}
