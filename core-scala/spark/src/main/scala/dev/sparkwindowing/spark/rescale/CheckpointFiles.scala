package dev.sparkwindowing.spark.rescale

import com.fasterxml.jackson.databind.node.ObjectNode
import dev.sparkwindowing.spark.checkpoint.{BatchLogs, LogFile, UnfinishedMark}
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FileUtil, Path}

import java.io.IOException
import scala.jdk.CollectionConverters._
import scala.util.Try

/** Files of a checkpoint beside Spark's logs and the rows of the state: what the sources, this library and Spark keep,
  * of the query and of each operator.
  */
private[spark] final class CheckpointFiles(checkpoint: Path, conf: Configuration) {
  import CheckpointFiles._

  private val files = checkpoint.getFileSystem(conf)

  /** The operators with state, with the names that Spark gives them, if it does. */
  def operators: Map[Long, Option[String]] =
    names(state).flatMap(name => Try(name.toLong).toOption).map(id => id -> operatorName(id)).toMap

  private def operatorName(operator: Long): Option[String] = {
    val path = metadata(new Path(state, operator.toString))
    if (files.exists(path)) Some(new LogFile(path, conf).json.path("operatorInfo").path("operatorName").asText)
    else None
  }

  /** Copies them.
    *
    * @param partitions
    *   of the state of the copy
    * @param sources
    *   for each source of the copy its number here, None if it is new; None if all are the same
    */
  def copyTo(to: Path, partitions: Int, sources: Option[Seq[Option[Int]]] = None): Unit = {
    names(checkpoint).filterNot(Others).filter(sources.isEmpty || _ != Sources).foreach(copy(checkpoint, _, to))
    for (places <- sources; (Some(before), now) <- places.zipWithIndex) copySource(before, to, now)
    names(state).foreach { operator =>
      val from  = new Path(state, operator)
      val moved = new Path(new Path(to, State), operator)
      names(from).filter(name => Try(name.toInt).isFailure).foreach(copy(from, _, moved))
      // The first partition has the types of all.
      names(new Path(from, "0")).filter(_.startsWith("_")).foreach(copy(new Path(from, "0"), _, new Path(moved, "0")))
      if (files.exists(metadata(from)))
        new LogFile(metadata(from), conf).copy(metadata(moved))(_.path("stateStoreInfo").elements.asScala.foreach {
          case store: ObjectNode => store.put("numPartitions", partitions)
          case _                 => ()
        })
    }
  }

  // A source keeps its files in a folder with its number.
  private def copySource(before: Int, to: Path, now: Int): Unit = {
    val from = new Path(checkpoint, Sources)
    if (files.exists(new Path(from, before.toString)))
      copy(from, before.toString, new Path(to, Sources), now.toString)
  }

  /** True if a source has its watermark by partition. */
  def hasPartitionTimes: Boolean = files.exists(new Path(checkpoint, "watermarks"))

  private def state = new Path(checkpoint, State)

  // From Spark 4.0 on.
  private def metadata(operator: Path) = new Path(operator, "_metadata/metadata")

  private def names(folder: Path): Seq[String] =
    if (!files.exists(folder)) Nil
    else files.listStatus(folder).toSeq.map(_.getPath.getName).filterNot(_.startsWith(".")).sorted

  private def copy(folder: Path, name: String, to: Path): Unit = copy(folder, name, to, name)

  private def copy(folder: Path, name: String, to: Path, as: String): Unit = {
    val target = to.getFileSystem(conf)
    val isDone = target.mkdirs(to) &&
      FileUtil.copy(files, new Path(folder, name), target, new Path(to, as), false, conf)
    if (!isDone) throw new IOException(s"${new Path(folder, name)} cannot be copied to $to")
  }
}

private object CheckpointFiles {
  private val State   = "state"
  private val Sources = "sources"
  private val Others  = BatchLogs.Names + State + UnfinishedMark.Name
}
