package dev.sparkwindowing.spark.upserts.lakehouse

import org.apache.spark.sql.{SparkSession, SparkWindowingBridge}

import java.lang.reflect.InvocationTargetException
import java.util.concurrent.Callable
import scala.jdk.CollectionConverters._

/** Properties of the snapshots of Iceberg that the calling thread makes. */
private[lakehouse] object CommitProperties {

  /** Runs `body` with them; by reflection, since Iceberg is the session's.
    *
    * A setting of the session, `snapshot-property.*`, would mark the snapshots of other threads too.
    */
  def within(spark: SparkSession, properties: Map[String, String])(body: => Unit): Unit =
    if (properties.isEmpty) body
    else {
      val metadata = SparkWindowingBridge
        .findClass(spark, "org.apache.iceberg.spark.CommitMetadata")
        .getOrElse(throw new NoClassDefFoundError("org.apache.iceberg.spark.CommitMetadata"))
      val call = metadata.getMethod(
        "withCommitProperties",
        classOf[java.util.Map[_, _]],
        classOf[Callable[_]],
        classOf[Class[_]]
      )
      val callable: Callable[Unit] = () => body
      try call.invoke(null, properties.asJava, callable, classOf[RuntimeException])
      catch { case e: InvocationTargetException => throw Option(e.getCause).getOrElse(e) }
    }
}
