package dev.sparkwindowing.spark.plan

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.spark.sql.execution.streaming.checkpointing.CheckpointFileManager

import java.nio.charset.StandardCharsets.UTF_8

/** The specification of a query in its checkpoint: written in the first micro-batch, on the driver and before any task,
  * and compared at every start. A changed query on old state would read it wrongly, so it is refused and the state
  * stays as it is.
  */
private[spark] object SpecificationFile {

  private val Header = "spark-windowing specification 1"

  /** @param stateLocation
    *   the folder `state` of the checkpoint
    * @throws java.lang.IllegalStateException
    *   if the checkpoint was written by another specification
    */
  def check(
      stateLocation: String,
      operatorId: Long,
      batchId: Long,
      conf: Configuration,
      wanted: Seq[(String, String)]
  ): Unit = {
    val folder = folderOf(stateLocation, operatorId)
    val path   = new Path(folder, "specification")
    val files  = CheckpointFileManager.create(path, conf)
    // Before the first micro-batch is committed there is no state that another specification could have written.
    if (batchId == 0) {
      files.mkdirs(folder)
      write(files, path, wanted)
    } else if (!files.exists(path))
      throw new IllegalStateException(
        s"the checkpoint has no window specification ($path): it was written by another operator. Use a new checkpoint location"
      )
    else compare(path, read(files, path), wanted)
  }

  /** The shift of a staggered grid: drawn in the first micro-batch, then that of the checkpoint. */
  def shift(stateLocation: String, operatorId: Long, conf: Configuration, draw: => Long): Long = {
    val folder = folderOf(stateLocation, operatorId)
    val path   = new Path(folder, "shift")
    val files  = CheckpointFileManager.create(path, conf)
    if (!files.exists(path)) {
      files.mkdirs(folder)
      write(files, path, Seq("milliseconds" -> draw.toString))
    }
    read(files, path).collectFirst { case ("milliseconds", value) => value.toLong }.getOrElse {
      throw new IllegalStateException(
        s"$path holds no shift of the windows: it was damaged. Use a new checkpoint location"
      )
    }
  }

  def folderOf(stateLocation: String, operatorId: Long): Path =
    new Path(new Path(stateLocation, operatorId.toString), "_window")

  private def compare(path: Path, found: Seq[(String, String)], wanted: Seq[(String, String)]): Unit = {
    val before  = found.toMap
    val changed = wanted.collect {
      case (name, now) if before.get(name).forall(_ != now) =>
        s"$name: was ${before.getOrElse(name, "not there")}, is $now"
    }
    if (changed.nonEmpty)
      throw new IllegalStateException(
        s"the query was changed since its checkpoint was written ($path), and its state would be read wrongly. Changed: " +
          s"${changed.mkString("; ")}. Change it back, or start with a new checkpoint location. The state is untouched"
      )
  }

  def write(files: CheckpointFileManager, path: Path, lines: Seq[(String, String)]): Unit = {
    val out  = files.createAtomic(path, true)
    val text = (Header +: lines.map { case (name, value) => s"$name: $value" }).mkString("", "\n", "\n")
    try {
      out.write(text.getBytes(UTF_8))
      out.close()
    } catch {
      case e: Throwable =>
        out.cancel()
        throw e
    }
  }

  def read(files: CheckpointFileManager, path: Path): Seq[(String, String)] = {
    val in = files.open(path)
    try
      new String(in.readAllBytes(), UTF_8).linesIterator.drop(1).toSeq.map { line =>
        val at = line.indexOf(": ")
        line.take(at) -> line.drop(at + 2)
      }
    finally in.close()
  }
}
