package dev.sparkwindowing.spark.checkpoint

import com.fasterxml.jackson.databind.node.{JsonNodeFactory, ObjectNode}
import com.fasterxml.jackson.databind.{JsonNode, ObjectMapper}
import dev.sparkwindowing.spark.relocated.Relocated.CheckpointFileManager
import dev.sparkwindowing.watermarks.PartitionTimes
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path

import scala.jdk.CollectionConverters._
import scala.util.Try

/** Event times of the partitions of an input, in the checkpoint: a file for each micro-batch with rows of the input,
  * named by its number, written on the driver before Spark commits the micro-batch. So a micro-batch that runs again
  * starts from the times that it had.
  *
  * @param stateLocation
  *   the folder `state` of the checkpoint
  * @param number
  *   position of the watermark among those by partition in the query
  * @param column
  *   SQL of the column of partitions
  */
private[spark] final class PartitionTimesFiles(
    stateLocation: String,
    number: Int,
    column: String,
    conf: Configuration
) {
  import PartitionTimesFiles._

  private val folder = new Path(new Path(stateLocation).getParent, s"watermarks/partitions-$number")
  private val files  = CheckpointFileManager.create(folder, conf)
  private var ids    =
    if (!files.exists(folder)) Vector.empty
    else Numbered.in(files.list(folder)).toVector.sorted

  /** The times before a micro-batch.
    *
    * @throws java.lang.IllegalStateException
    *   if they are of another column, damaged, or there no more
    */
  def before(batch: Long): PartitionTimes = ids.filter(_ < batch).lastOption match {
    case Some(last)                     => read(last)
    case None if ids.forall(_ == batch) => PartitionTimes.Empty
    case None                           =>
      throw new IllegalStateException(
        s"$folder begins with micro-batch ${ids.head}, and the checkpoint was set back to $batch: the times of the " +
          "partitions at that time are not known. Start with a new checkpoint location"
      )
  }

  /** Writes the times after a micro-batch. */
  def write(batch: Long, times: PartitionTimes): Unit = {
    if (ids.isEmpty) files.mkdirs(folder)
    TextFile.write(files, pathOf(batch), Header, mapper.writeValueAsString(node(times)))
    val kept = (ids.filter(_ < batch) :+ batch).takeRight(Kept)
    ids.filterNot(id => kept.contains(id) || id == batch).foreach(id => files.delete(pathOf(id)))
    ids = kept
  }

  private def pathOf(batch: Long): Path = new Path(folder, batch.toString)

  private def read(batch: Long): PartitionTimes = {
    val path   = pathOf(batch)
    val found  = tree(files, path)
    val before = found.get("column").asText
    if (before != column)
      throw new IllegalStateException(
        s"per_partition was changed since the checkpoint was written ($path): it was $before, is $column. The times of " +
          "the old partitions would hold the watermark. Change it back, or start with a new checkpoint location"
      )
    PartitionTimes(found.get("partitions").elements.asScala.map(partition).toMap)
  }

  private def node(times: PartitionTimes): JsonNode = {
    val made       = nodes.objectNode.put("column", column)
    val partitions = made.putArray("partitions")
    times.partitions.toSeq.sortBy(_._1).foreach { case (name, p) =>
      val one: ObjectNode = partitions.addObject().put("name", name).put("highest", p.highest).put("idle", p.isIdle)
      p.quietSince.foreach(one.put("quietSince", _))
    }
    made
  }
}

private[spark] object PartitionTimesFiles {
  private val Header = "spark-windowing partitions 1"

  /** Number of files that are kept: as many as Spark keeps micro-batches by default. */
  private val Kept = 100

  /** Of each watermark by partition in a checkpoint the partitions that it waits for: those that are farthest behind,
    * of the ones that are not idle.
    */
  def slowest(checkpoint: String, conf: Configuration): Seq[String] = {
    val all   = new Path(checkpoint, "watermarks")
    val files = CheckpointFileManager.create(all, conf)
    val of    =
      if (files.exists(all)) files.list(all).map(_.getPath).filter(_.getName.startsWith("partitions-")).toSeq else Nil
    of.sortBy(_.getName).flatMap { folder =>
      val newest  = Numbered.in(folder, conf).reduceOption(_ max _).toSeq.map(id => new Path(folder, id.toString))
      val counted = newest
        .flatMap(path => tree(files, path).get("partitions").elements.asScala.map(partition))
        .filterNot(_._2.isIdle)
      counted.filter(_._2.highest == counted.map(_._2.highest).min).map(_._1)
    }
  }

  private def tree(files: CheckpointFileManager, path: Path): JsonNode = {
    val found = TextFile.read(files, path) match {
      case (Header, json) => Try(mapper.readTree(json)).toOption.filter(_.has("partitions"))
      case (other, _)     =>
        TextFile.refuseNewer(path, other, Header)
        None
    }
    found.getOrElse(
      throw new IllegalStateException(
        s"$path cannot be read: it was damaged, or written by another release. Restore it, or start with a new " +
          "checkpoint location"
      )
    )
  }

  private val mapper = new ObjectMapper
  private val nodes  = JsonNodeFactory.instance

  private def partition(node: JsonNode): (String, PartitionTimes.Partition) =
    node.get("name").asText -> PartitionTimes.Partition(
      node.get("highest").asLong,
      Option(node.get("quietSince")).map(_.asLong),
      node.get("idle").asBoolean
    )
}
