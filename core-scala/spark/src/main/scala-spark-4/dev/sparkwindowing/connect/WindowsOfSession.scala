package dev.sparkwindowing.connect

import org.apache.spark.sql.sources.{BaseRelation, RelationProvider}
import org.apache.spark.sql.types.{StringType, StructType}
import org.apache.spark.sql.{SQLContext, SparkConnectBridge}

/** Data source that gives the session that reads it the table function of messages. A client of a server without plugin
  * adds this jar to its session and reads the source once:
  * {{{
  * spark.addArtifact(jar)
  * spark.read.format("dev.sparkwindowing.connect.WindowsOfSession").load().schema
  * }}}
  * It takes no options and has no rows. Other sessions of the server are not touched.
  */
final class WindowsOfSession extends RelationProvider {

  override def createRelation(context: SQLContext, options: Map[String, String]): BaseRelation = {
    SparkConnectBridge.addTableFunction(
      context.sparkSession,
      MessageFunction.Name,
      new MessageFunction
    )
    new BaseRelation {
      override def sqlContext: SQLContext = context
      override def schema: StructType     = new StructType().add("nothing", StringType)
    }
  }
}
