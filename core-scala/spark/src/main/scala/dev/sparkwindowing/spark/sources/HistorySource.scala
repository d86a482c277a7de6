package dev.sparkwindowing.spark.sources

import dev.sparkwindowing.spark.relocated.Relocated.StreamingExecutionRelation
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.connector.read.streaming
import org.apache.spark.sql.connector.read.streaming.{ReadLimit, SupportsTriggerAvailableNow}
import org.apache.spark.sql.execution.streaming.{Offset, Source}
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.{DataFrame, SparkSession, SparkWindowingBridge}

/** Streaming source with the rows of a static plan, all in one micro-batch. */
private[sparkwindowing] final class HistorySource(session: SparkSession, rows: LogicalPlan)
    extends Source
    with SupportsTriggerAvailableNow {
  override def schema: StructType                                                        = rows.schema
  override def prepareForTriggerAvailableNow(): Unit                                     = ()
  override def latestOffset(start: streaming.Offset, limit: ReadLimit): streaming.Offset = HistorySource.All
  override def getOffset: Option[Offset]                                                 = Some(HistorySource.All)
  override def getBatch(start: Option[Offset], end: Offset): DataFrame = SparkWindowingBridge.streamed(session, rows)
  override def stop(): Unit                                            = ()
  override def toString: String                                        = "history"
}

private[sparkwindowing] object HistorySource {
  private object All extends Offset {
    override def json(): String = "0"
  }

  /** The node of such a source in a plan.
    *
    * @param output
    *   its columns, those of the rows in order
    */
  def relation(session: SparkSession, rows: LogicalPlan, output: Seq[Attribute]): LogicalPlan = {
    val made   = classOf[StreamingExecutionRelation].getConstructors.maxBy(_.getParameterCount)
    val source = new HistorySource(session, rows)
    // From 4.2 on a source may have a name that the user gives.
    val name = made.getParameterTypes.find(_.getSimpleName == "StreamingSourceIdentifyingName").map { kind =>
      Class.forName(s"${kind.getPackage.getName}.Unassigned$$", true, kind.getClassLoader).getField("MODULE$").get(null)
    }
    made.newInstance(Seq[AnyRef](source, output, None) ++ name :+ session: _*).asInstanceOf[LogicalPlan]
  }
}
