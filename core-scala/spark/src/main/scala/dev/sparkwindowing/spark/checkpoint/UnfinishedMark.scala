package dev.sparkwindowing.spark.checkpoint

import dev.sparkwindowing.spark.advice.Code
import dev.sparkwindowing.spark.relocated.Relocated.CheckpointFileManager
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path

/** File in a checkpoint that is being written from another one. A query is refused on a checkpoint that has it: of the
  * state only a part may be there.
  */
private[spark] object UnfinishedMark {

  val Name = "_window_unfinished"

  private val Header = "spark-windowing unfinished 1"

  /** Marks a checkpoint that is empty.
    *
    * @param call
    *   the name of what the user calls
    * @throws java.io.IOException
    *   if it has the mark already
    */
  def set(checkpoint: Path, from: Path, call: String, conf: Configuration): Unit = {
    val files = CheckpointFileManager.create(checkpoint, conf)
    files.mkdirs(checkpoint)
    TextFile.write(files, new Path(checkpoint, Name), Header, s"from: $from\ncall: $call", mayReplace = false)
  }

  def remove(checkpoint: Path, conf: Configuration): Unit =
    CheckpointFileManager.create(checkpoint, conf).delete(new Path(checkpoint, Name))

  /** Text of the refusal of a checkpoint that has the mark; None for one that has not. */
  def refusal(checkpoint: Path, conf: Configuration): Option[String] = {
    val path  = new Path(checkpoint, Name)
    val files = CheckpointFileManager.create(checkpoint, conf)
    if (!files.exists(path)) None
    else {
      val lines = TextFile.readLines(files, path)._2.toMap
      val from  = lines.getOrElse("from", "the old one")
      val call  = Code.name(lines.getOrElse("call", "rescale"))
      Some(
        s"$checkpoint is half-written: $call of $from did not end, or still runs. If it does not, delete " +
          s"$checkpoint; $from is as it was: go on with that, or call $call again"
      )
    }
  }
}
