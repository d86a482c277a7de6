package dev.sparkwindowing.spark.checkpoint

import dev.sparkwindowing.spark.advice.Code
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path

import java.util.UUID
import scala.jdk.CollectionConverters._

/** Spark's logs in a checkpoint: `offsets` and `commits`, a file for each micro-batch, and `metadata`, which has the id
  * of the query.
  */
private[spark] final class BatchLogs(checkpoint: Path, conf: Configuration) {
  import BatchLogs._

  /** The last micro-batch.
    *
    * @param call
    *   the name of what the user calls
    * @throws java.lang.IllegalArgumentException
    *   if none is complete, or one was begun after the last complete one
    */
  def lastBatch(call: String): Long = (newest(Offsets), newest(Commits)) match {
    case (Some(begun), Some(done)) if begun == done => done
    case (Some(begun), Some(_))                     =>
      throw new IllegalArgumentException(
        s"micro-batch $begun of $checkpoint was begun and is not complete. If the query still runs, stop it. Start it once " +
          s"with ${Code.availableNow}, wait until it has ended, and call ${Code.name(call)} again"
      )
    case _ => refuseNone()
  }

  private def refuseNone(): Nothing = throw new IllegalArgumentException(
    s"$checkpoint holds no complete micro-batch: give the checkpointLocation of a query that has completed one"
  )

  /** The last complete micro-batch, also of a query that runs.
    *
    * @throws java.lang.IllegalArgumentException
    *   if none is complete
    */
  def lastComplete: Long = newest(Commits).getOrElse(refuseNone())

  /** The settings of the query that its checkpoint fixes. */
  def settings(batch: Long): Map[String, String] = {
    val all = file(Offsets, batch).json.path("conf")
    all.fieldNames.asScala.map(name => name -> all.path(name).asText).toMap
  }

  /** Spark's watermark of the micro-batch that follows one, in milliseconds; None if there is none. */
  def nextWatermark(batch: Long): Option[Long] =
    Option(file(Commits, batch).json.get(NextWatermark)).map(_.asLong).filter(_ > 0)

  /** The ids of the state after a micro-batch, by partition; none in a checkpoint of format 1. */
  def stateIds(batch: Long, operator: Long): Seq[String] =
    file(Commits, batch).json.path(StateIds).path(operator.toString).elements.asScala.map(_.path(0).asText).toList

  /** Writes the logs of another checkpoint, which goes on behind the same micro-batch.
    *
    * @param settings
    *   those that are other
    * @param ids
    *   of the state, by operator and partition
    * @param offsets
    *   those of its sources, from those of this one
    */
  def copyTo(
      to: BatchLogs,
      batch: Long,
      settings: Map[String, String],
      ids: Map[Long, Seq[String]],
      offsets: Seq[String] => Seq[String] = identity
  ): Unit = {
    // Spark reads the offsets of the micro-batch before the last one too.
    Seq(batch - 1, batch).filter(_ >= 0).foreach { number =>
      val before = file(Offsets, number)
      before.withRest(offsets(before.rest)).copy(to.path(Offsets, number)) { fields =>
        val conf = fields.withObject("/conf")
        settings.foreach { case (name, value) => conf.put(name, value) }
      }
    }
    file(Commits, batch).copy(to.path(Commits, batch)) { fields =>
      for ((operator, ofPartitions) <- ids if ofPartitions.nonEmpty) {
        val list = fields.withObject(s"/$StateIds").putArray(operator.toString)
        ofPartitions.foreach(list.addArray().add(_))
      }
    }
  }

  /** The offset of each source behind a micro-batch, as Spark writes it. */
  def offsets(batch: Long): Seq[String] = file(Offsets, batch).rest

  /** The complete micro-batches whose files are still there. */
  def complete: Seq[Long] = Numbered.in(new Path(checkpoint, Commits), conf).toSeq

  /** True if no micro-batch was begun. */
  def isEmpty: Boolean = newest(Offsets).isEmpty

  /** Writes the logs of a query that has not run, and goes on behind the last micro-batch of this one.
    *
    * @param sources
    *   how many it has. Each begins as in a new query
    * @param watermark
    *   of its first micro-batch, in milliseconds, if it is another one
    */
  def beginOther(other: BatchLogs, sources: Int, watermark: Option[Long]): Unit = {
    val batch = newest(Commits).get
    file(Commits, batch).copy(other.path(Commits, batch)) { fields =>
      watermark.foreach(fields.put(NextWatermark, _))
    }
    Seq(batch - 1, batch).filter(_ >= 0).foreach { number =>
      file(Offsets, number).withRest(Seq.fill(sources)(NoOffset)).copy(other.path(Offsets, number))(_ => ())
    }
  }

  /** The id of the query; None before its first start. */
  def queryId: Option[String] =
    if (metadata.getFileSystem(conf).exists(metadata))
      Some(LogFile.mapper.readTree(LogFile.text(metadata, conf)).path(Id).asText)
    else None

  /** Gives the checkpoint the id of a new query. */
  def writeQueryId(): Unit = {
    val fields = LogFile.mapper.createObjectNode().put(Id, UUID.randomUUID().toString)
    LogFile.write(metadata, LogFile.mapper.writeValueAsString(fields), conf)
  }

  private def newest(log: String): Option[Long] = Numbered.in(new Path(checkpoint, log), conf).reduceOption(_ max _)

  private def file(log: String, batch: Long) = new LogFile(path(log, batch), conf)
  private def path(log: String, batch: Long) = new Path(new Path(checkpoint, log), batch.toString)
  private def metadata                       = new Path(checkpoint, Metadata)
}

private[spark] object BatchLogs {
  private val Offsets  = "offsets"
  private val Commits  = "commits"
  private val Metadata = "metadata"
  private val StateIds = "stateUniqueIds"
  private val Id       = "id"

  private val NextWatermark = "nextBatchWatermarkMs"

  /** The offset of a source from which nothing was taken. */
  val NoOffset = "-"

  /** The settings of the stores of a checkpoint.
    *
    * @param settings
    *   those of the query
    * @param ids
    *   of its state
    */
  def storeSettings(settings: Map[String, String], ids: Seq[String]): Map[String, String] =
    Absent ++ settings + (Format -> (if (ids.isEmpty) "1" else "2"))

  // What Spark takes where a checkpoint of an older one does not say it, whatever the session has.
  private val Absent = Map(
    "spark.sql.streaming.stateStore.rowChecksum.enabled" -> "false",
    "spark.sql.streaming.stateStore.encodingFormat"      -> "unsaferow"
  )
  private val Format = "spark.sql.streaming.stateStore.checkpointFormatVersion"

  /** The names of the logs in a checkpoint. */
  val Folders: Seq[String] = Seq(Offsets, Commits)

  /** All names of Spark's in a checkpoint. */
  val Names: Set[String] = Folders.toSet + Metadata
}
