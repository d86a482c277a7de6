package dev.sparkwindowing.spark.checkpoint

import dev.sparkwindowing.spark.relocated.Relocated.CheckpointFileManager
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path

import scala.util.Try
import scala.util.control.NonFatal

/** File `layout` next to the specification, required to read the state. It is not compared with the query; each start
  * writes its own.
  */
private[spark] object LayoutFile {

  private val Header = "spark-windowing layout 1"

  /** Writes the file on the driver, unless it exists and is undamaged.
    *
    * @param stateLocation
    *   the folder `state` of the checkpoint
    */
  def keep(stateLocation: String, operatorId: Long, conf: Configuration, layout: StateLayout): Unit = {
    val path  = pathOf(stateLocation, operatorId)
    val files = CheckpointFileManager.create(path, conf)
    if (!files.exists(path) || !Try(TextFile.readLines(files, path)).toOption.contains(Header -> layout.lines))
      TextFile.writeLines(files, path, Header, layout.lines)
  }

  /** Deletes the file of a state that it no longer describes. */
  def remove(stateLocation: String, operatorId: Long, conf: Configuration): Unit = {
    val path = pathOf(stateLocation, operatorId)
    CheckpointFileManager.create(path, conf).delete(path)
  }

  /** @throws java.lang.IllegalArgumentException
    *   if the file is missing or unreadable
    * @throws java.lang.IllegalStateException
    *   if a newer release wrote it
    */
  def read(stateLocation: String, operatorId: Long, conf: Configuration): StateLayout = {
    val path  = pathOf(stateLocation, operatorId)
    val files = CheckpointFileManager.create(path, conf)
    if (!files.exists(path))
      throw new IllegalArgumentException(
        s"$path is not there, which says how the state is to be read: start the query once with this version"
      )
    TextFile.refuseNewer(path, TextFile.read(files, path)._1, Header)
    try StateLayout.of(TextFile.readLines(files, path)._2)
    catch {
      case NonFatal(e) =>
        throw new IllegalArgumentException(
          s"$path cannot be read: it was damaged. Delete it and start the query, which writes it anew",
          e
        )
    }
  }

  private def pathOf(stateLocation: String, operatorId: Long): Path =
    new Path(SpecificationFile.folderOf(stateLocation, operatorId), "layout")
}
