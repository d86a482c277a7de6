package dev.sparkwindowing.spark.checkpoint

import dev.sparkwindowing.declaration.{Difference, PartSpec}
import dev.sparkwindowing.spark.advice.Code
import dev.sparkwindowing.spark.links.OperatorSetting
import dev.sparkwindowing.spark.relocated.Relocated.CheckpointFileManager
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path

import scala.util.Try

/** Specification of a query in its checkpoint. It is written in the first micro-batch, on the driver and before any
  * task, and compared at every start. A changed query would misread the state, so it is refused and the state is left
  * unchanged. A safe change is accepted where it is allowed, and holds from the micro-batch in which it was made.
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
    *   whether a safe change is accepted
    * @return
    *   what it changes of the state, if there is something
    * @throws java.lang.IllegalStateException
    *   if the state was written with another specification
    */
  def check(batchId: Long, wanted: Specification, allowsChange: Boolean): Option[StateChange] = {
    // Before the first micro-batch is committed there is no state of another specification.
    val changes = if (batchId == 0) None else Some(changesSince(batchId, wanted, allowsChange)).filterNot(_.isEmpty)
    // Deletes the specifications of starts that committed no micro-batch.
    versions.filter(_ >= batchId).foreach(from => files.delete(pathOf(from)))
    if (batchId == 0) files.mkdirs(folder)
    if (batchId == 0 || changes.nonEmpty)
      TextFile.write(files, pathOf(batchId), Header, SpecJson.write(wanted.tree))
    changes.flatMap(_.ofState)
  }

  /** The safe differences from the specification that held before a micro-batch. Writes nothing.
    *
    * @throws java.lang.IllegalStateException
    *   if there are unsafe differences, safe ones that are not allowed, or no specification
    */
  def changesSince(batchId: Long, wanted: Specification, allowsChange: Boolean): Changes = {
    val path = pathBefore(batchId)
    compare(path, treeIn(path), wanted, allowsChange)
  }

  /** That of the micro-batch.
    *
    * @throws java.lang.IllegalStateException
    *   if it cannot be read
    */
  def tree(batch: Long): PartSpec = treeIn(pathBefore(batch + 1))

  /** Writes the only specification of a state that no query has continued. */
  def replace(tree: PartSpec): Unit = {
    versions.foreach(from => files.delete(pathOf(from)))
    TextFile.write(files, pathOf(0), Header, SpecJson.write(tree))
  }

  private def pathBefore(batchId: Long): Path =
    pathOf(versions.filter(_ < batchId).reduceOption(_ max _).getOrElse(0L))

  private def treeIn(path: Path): PartSpec = {
    if (!files.exists(path))
      throw new IllegalStateException(
        s"the checkpoint has no window specification ($path): it was written by another operator. Use a new checkpoint location"
      )
    TextFile.read(files, path) match {
      case (Header, json) => read(path, json)
      case (other, _)     =>
        TextFile.refuseNewer(path, other, Header)
        throw new IllegalStateException(
          s"$path is '$other', and this release reads '$Header': it was written by another release, which wrote less of " +
            "the query, so that a changed one could not be told. Start with a new checkpoint location. The state is untouched"
        )
    }
  }

  /** True if the state was written by the portable operator. */
  def isOfPortable: Boolean = TextFile.read(files, pathOf(0)) match {
    case (Header, json) => Specification.operatorOf(read(pathOf(0), json)) == OperatorSetting.Portable
    case _              => false
  }

  // The micro-batches in which a specification takes effect.
  private def versions: Seq[Long] =
    if (!files.exists(folder)) Nil
    else
      files.list(folder).toSeq.map(_.getPath.getName).collect {
        case Name           => 0L
        case Version(batch) => batch.toLong
      }

  private def pathOf(from: Long): Path = new Path(folder, if (from == 0) Name else s"$Name.$from")

  /** The shift of a staggered grid: determined in the first micro-batch, then read from the checkpoint. */
  def shift(draw: => Long): Long = {
    val path = new Path(folder, "shift")
    if (!files.exists(path)) {
      files.mkdirs(folder)
      TextFile.writeLines(files, path, ShiftHeader, Seq("milliseconds" -> draw.toString))
    }
    val (header, lines) = TextFile.readLines(files, path)
    TextFile.refuseNewer(path, header, ShiftHeader)
    lines.collectFirst { case ("milliseconds", value) => value.toLong }.getOrElse {
      throw new IllegalStateException(
        s"$path holds no shift of the windows: it was damaged. Use a new checkpoint location"
      )
    }
  }
}

private[spark] object SpecificationFile {

  /** Folder of the files of an operator. */
  def folderOf(stateLocation: String, operatorId: Long): Path =
    new Path(new Path(stateLocation, operatorId.toString), "_window")

  /** The window operators of a checkpoint, in order. */
  def operators(stateLocation: String, conf: Configuration): Seq[Long] = {
    val folder = new Path(stateLocation)
    val files  = folder.getFileSystem(conf)
    Numbered.in(folder, conf).filter(id => files.exists(new Path(folderOf(stateLocation, id), Name))).sorted
  }

  private val Header      = "spark-windowing specification 4"
  private val ShiftHeader = "spark-windowing shift 1"
  private val Name        = "specification"
  private val Version     = """specification\.(\d+)""".r

  private def read(path: Path, json: String): PartSpec =
    Try(SpecJson.read(json)).toOption.collect { case spec: PartSpec => spec }.getOrElse {
      throw new IllegalStateException(
        s"$path cannot be read: it was damaged. Restore it, or start with a new checkpoint location. The state is untouched"
      )
    }

  private def compare(path: Path, before: PartSpec, after: Specification, allowsChange: Boolean): Changes = {
    refuseOtherOperator(path, Specification.operatorOf(before), Specification.operatorOf(after.tree))
    val changes = Changes.between(before, after.tree)
    import changes.{safe, unsafe}
    def show(differences: Seq[Difference]) = differences.map(after.explained).mkString("; ")
    val ofFunctions                        = unsafe.forall(_.path.headOption.exists(Specification.OfFunctions))
    def migrate = if (ofFunctions) s" write a checkpoint for it with ${Code.name("migrate")}, or" else ""
    if (unsafe.nonEmpty)
      throw new IllegalStateException(
        s"the query was changed since its checkpoint was written ($path), and its state would be read wrongly. Changed: " +
          s"${show(unsafe)}. ${if (safe.isEmpty) ""
            else s"Changed too, which $Allow would allow: ${show(safe)}. "}" +
          s"Change it back, or$migrate start with a new checkpoint location. The state is untouched"
      )
    if (safe.nonEmpty && !allowsChange)
      throw new IllegalStateException(
        s"the query was changed since its checkpoint was written ($path). Changed: ${show(safe)}. Its state can be taken " +
          s"over: allow that for one start with $Allow after ${Code.name("key_by")}(..).window(..). " +
          "Or change it back, or start with a new checkpoint location. The state is untouched"
      )
    changes
  }

  private val Allow = Code.call(".allow_state_change")

  private def refuseOtherOperator(path: Path, before: String, now: String): Unit =
    if (before != now)
      throw new IllegalStateException(
        s"the state was written by the $before window operator ($path), and this session runs the $now one, which cannot " +
          s"""read it: spark.conf.set("${OperatorSetting.Name}", "$before") before the query starts, or start with a new """ +
          "checkpoint location. The state is untouched"
      )
}
