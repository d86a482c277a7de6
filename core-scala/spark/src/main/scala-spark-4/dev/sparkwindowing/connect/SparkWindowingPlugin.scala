package dev.sparkwindowing.connect

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.connect.planner.SparkConnectPlanner
import org.apache.spark.sql.connect.plugin.RelationPlugin
import org.sparkproject.connect.protobuf.Any

import java.util.Optional

/** Windows for clients of a Spark Connect server. It is named in a setting with which the server starts:
  * `spark.connect.extensions.relation.classes=dev.sparkwindowing.connect.SparkWindowingPlugin`.
  *
  * A server without it gets the same messages by [[MessageFunction]].
  */
final class SparkWindowingPlugin extends RelationPlugin {
  import SparkWindowingPlugin._

  override def transform(relation: Array[Byte], planner: SparkConnectPlanner): Optional[LogicalPlan] = {
    val message = Any.parseFrom(relation)
    if (message.getTypeUrl == TypeUrl) Optional.of(ConnectMessage.planOf(message.getValue.toByteArray, planner))
    else Optional.empty
  }
}

private object SparkWindowingPlugin {

  /** Marks a message of this project among those of other plugins. */
  val TypeUrl = "type.googleapis.com/dev.sparkwindowing.Message"
}
