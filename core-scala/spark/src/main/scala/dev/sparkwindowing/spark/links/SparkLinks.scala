package dev.sparkwindowing.spark.links

import dev.sparkwindowing.spark.advice.Code
import org.apache.spark.sql.SparkSession
import org.slf4j.LoggerFactory

import java.io.InputStream
import scala.collection.mutable

/** Features of this library that extend or call what is no public API of Spark. A runtime that is not open-source Spark
  * may have other classes there.
  *
  * @param root
  *   internal name of the class at which the check begins
  * @param what
  *   the feature, for messages
  */
private[sparkwindowing] sealed abstract class LinkedFeature(val root: String, val what: Code)

private[sparkwindowing] object LinkedFeature {
  private val Own     = "dev/sparkwindowing/spark/"
  private val InSpark = "org/apache/spark/sql/"

  case object NativeOperator extends LinkedFeature(Own + "exec/WindowExec", Code.plain("the native window operator"))
  case object CheckpointFiles
      extends LinkedFeature(Own + "checkpoint/SpecificationFile", Code.plain("the files in a checkpoint"))
  case object StartChecks
      extends LinkedFeature(Own + "operators/CheckpointCheck$", Code.plain("the check of a checkpoint"))
  case object PerPartition  extends LinkedFeature(Own + "exec/PartitionedWatermarkExec", Code.name("per_partition"))
  case object QuietInput    extends LinkedFeature(Own + "sources/QuietInputTicks", Code.name("with_idleness"))
  case object Clock         extends LinkedFeature(Own + "sources/ClockTicks", Code.name("with_clock"))
  case object IngestionTime extends LinkedFeature(Own + "exec/IngestionTimeStampExec", Code.plain("ingestion time"))
  case object Rescale       extends LinkedFeature(Own + "rescale/Rescale$", Code.name("rescale"))
  case object RealTime      extends LinkedFeature(Own + "exec/RealTimeWindows", Code.plain("real-time mode of windows"))
  case object Metrics
      extends LinkedFeature(InSpark + "WindowMetricsSource", Code.plain("the figures in Spark's metrics system"))
  case object WindowsInUi extends LinkedFeature(InSpark + "WindowsTab", Code.plain("the tab of windows in Spark's UI"))
  case object TableFunctions
      extends LinkedFeature(InSpark + "SparkWindowingTables$", Code.plain("the table functions of SQL"))
}

/** Checks that the classes of this library link with the Spark of this JVM. Each part is checked once, when it is asked
  * for. The JVM itself would find out late, in the middle of a query.
  */
private[sparkwindowing] object SparkLinks {
  private val log = LoggerFactory.getLogger("dev.sparkwindowing.links")

  private[this] val found            = mutable.Map.empty[LinkedFeature, Option[String]]
  private[this] lazy val ofThisSpark = check(fileOf)

  /** The first need of a part that this Spark lacks, as a text; None if it has all. */
  def missing(part: LinkedFeature): Option[String] = synchronized {
    found.getOrElseUpdate(
      part, {
        val result =
          try ofThisSpark.missing(part.root)
          catch { case e @ (_: Exception | _: LinkageError) => Some(s"its classes cannot be read ($e)") }
        result match {
          case None      => log.info(s"${part.what} links with this Spark")
          case Some(why) => log.warn(s"${part.what} does not link with this Spark: $why")
        }
        result
      }
    )
  }

  /** True if a part links with this Spark, or the session wants what is native all the same. */
  def allows(part: LinkedFeature): Boolean =
    OperatorSetting.ofSession.contains(OperatorSetting.Native) || missing(part).isEmpty

  /** Refuses a part that uses internals of Spark which this Spark lacks.
    *
    * @throws java.lang.UnsupportedOperationException
    *   if something is missing, unless the session wants the native operator all the same
    */
  def require(part: LinkedFeature, instead: String): Unit = if (!allows(part)) missing(part).foreach { why =>
    throw new UnsupportedOperationException(
      s"${part.what} on a stream does not run on this Spark, which is no open-source one: $why. $instead"
    )
  }

  /** A check of class files of a Spark and of this library. */
  private[links] def check(classFile: String => Option[InputStream]): LinkCheck = new LinkCheck(classFile, isFollowed)

  // Not what chooses between operators: it names both.
  private val Followed =
    Seq("exec", "task", "checkpoint", "relocated", "rescale", "sources").map(p => s"dev/sparkwindowing/spark/$p/")

  // Needs of real-time mode alone, which may be missing for micro-batches.
  private val OfRealTime = "dev/sparkwindowing/spark/realtime/"

  private def isFollowed(root: String, name: String): Boolean =
    Followed.exists(name.startsWith) || root == LinkedFeature.RealTime.root && name.startsWith(OfRealTime) ||
      LinkCheck.isOurs(name) && name.startsWith("org/apache/spark/")

  /** The file of a class in this JVM, None if there is none. */
  private[links] def fileOf(name: String): Option[InputStream] = {
    val loaders = Seq(getClass, classOf[SparkSession]).map(_.getClassLoader).distinct
    loaders.iterator.map(_.getResourceAsStream(name + ".class")).find(_ != null)
  }
}
