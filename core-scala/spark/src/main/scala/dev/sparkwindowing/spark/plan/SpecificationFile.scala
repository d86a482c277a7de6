package dev.sparkwindowing.spark.plan

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.spark.sql.execution.streaming.checkpointing.CheckpointFileManager

/** The specification of a query in its checkpoint: written in the first micro-batch, on the driver and before any task,
  * and compared at every start. A changed query on old state would read it wrongly, so it is refused and the state
  * stays as it is; a safe change is taken where it is allowed, and holds from the micro-batch in which it was made.
  *
  * @param stateLocation
  *   the folder `state` of the checkpoint
  */
private[spark] final class SpecificationFile(stateLocation: String, operatorId: Long, conf: Configuration) {
  import SpecificationFile._

  private val folder = folderOf(stateLocation, operatorId)
  private val files  = CheckpointFileManager.create(folder, conf)

  /** @param batchId
    *   the first micro-batch of this start
    * @param allowsChange
    *   whether a safe change is taken
    * @return
    *   the change, if there is one
    * @throws java.lang.IllegalStateException
    *   if the state was kept by another specification
    */
  def check(batchId: Long, wanted: Lines, allowsChange: Boolean): Option[StateChange] = {
    // Before the first micro-batch is committed there is no state that another specification could have written.
    val found   = if (batchId == 0) None else Some(before(batchId))
    val changes = found.fold(Seq.empty[Change]) { case (path, lines) => compare(path, lines, wanted, allowsChange) }
    // What a start has written of which nothing was committed.
    versions.filter(_ >= batchId).foreach(from => files.delete(pathOf(from)))
    if (batchId == 0) files.mkdirs(folder)
    if (batchId == 0 || changes.nonEmpty) TextFile.write(files, pathOf(batchId), Header, wanted)
    if (changes.isEmpty) None else Some(StateChange.of(changes))
  }

  private def before(batchId: Long): (Path, Lines) = {
    val path = pathOf(versions.filter(_ < batchId).maxOption.getOrElse(0L))
    if (!files.exists(path))
      throw new IllegalStateException(
        s"the checkpoint has no window specification ($path): it was written by another operator. Use a new checkpoint location"
      )
    path -> TextFile.read(files, path)
  }

  // The micro-batches from which on a specification holds.
  private def versions: Seq[Long] =
    if (!files.exists(folder)) Nil
    else
      files.list(folder).toSeq.map(_.getPath.getName).collect {
        case Name           => 0L
        case Version(batch) => batch.toLong
      }

  private def pathOf(from: Long): Path = new Path(folder, if (from == 0) Name else s"$Name.$from")

  /** The shift of a staggered grid: drawn in the first micro-batch, then that of the checkpoint. */
  def shift(draw: => Long): Long = {
    val path = new Path(folder, "shift")
    if (!files.exists(path)) {
      files.mkdirs(folder)
      TextFile.write(files, path, Header, Seq("milliseconds" -> draw.toString))
    }
    TextFile.read(files, path).collectFirst { case ("milliseconds", value) => value.toLong }.getOrElse {
      throw new IllegalStateException(
        s"$path holds no shift of the windows: it was damaged. Use a new checkpoint location"
      )
    }
  }
}

private[spark] object SpecificationFile {
  private type Lines  = Seq[(String, String)]
  private type Change = (String, String, String)

  /** Where the files of an operator lie. */
  def folderOf(stateLocation: String, operatorId: Long): Path =
    new Path(new Path(stateLocation, operatorId.toString), "_window")

  private val Header  = "spark-windowing specification 1"
  private val Name    = "specification"
  private val Version = """specification\.(\d+)""".r

  private def compare(path: Path, found: Lines, wanted: Lines, allowsChange: Boolean): Seq[Change] = {
    val before  = found.toMap
    val changes = wanted.collect {
      case (name, now) if before.get(name).forall(_ != now) => (name, before.getOrElse(name, "not there"), now)
    }
    val (safe, unsafe) = changes.partition((StateChange.isSafe _).tupled)
    if (unsafe.nonEmpty)
      throw new IllegalStateException(
        s"the query was changed since its checkpoint was written ($path), and its state would be read wrongly. Changed: " +
          s"${show(unsafe)}. ${if (safe.isEmpty) ""
            else s"Changed too, which .allow_state_change() would allow: ${show(safe)}. "}" +
          "Change it back, or start with a new checkpoint location. The state is untouched"
      )
    if (safe.nonEmpty && !allowsChange)
      throw new IllegalStateException(
        s"the query was changed since its checkpoint was written ($path). Changed: ${show(safe)}. Its state can be taken " +
          "over: allow that for one start with .allow_state_change() behind key_by(..).window(..), in Scala " +
          ".allowStateChange(). Or change it back, or start with a new checkpoint location. The state is untouched"
      )
    safe
  }

  private def show(changes: Seq[Change]): String =
    changes.map { case (name, was, is) => s"$name: was $was, is $is" }.mkString("; ")
}
