package dev.sparkwindowing.spark.checkpoint

import com.fasterxml.jackson.databind.ObjectMapper
import com.fasterxml.jackson.databind.node.ObjectNode
import dev.sparkwindowing.spark.relocated.Relocated.CheckpointFileManager
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path

/** File of Spark's in a checkpoint: a line with its format, one of JSON, and others. */
private[spark] final class LogFile(path: Path, conf: Configuration, others: Option[Seq[String]] = None) {
  import LogFile.mapper

  private lazy val lines: Seq[String] = {
    val found = LogFile.text(path, conf).linesIterator.toVector
    if (found.size < 2) throw new IllegalStateException(s"$path has ${found.size} lines: it is no file of Spark's")
    others.fold[Seq[String]](found)(found.take(2) ++ _)
  }

  /** The lines behind the fields. */
  def rest: Seq[String] = lines.drop(2)

  /** The same with other lines behind the fields. */
  def withRest(lines: Seq[String]): LogFile = new LogFile(path, conf, Some(lines))

  lazy val json: ObjectNode = mapper.readTree(lines(1)) match {
    case fields: ObjectNode => fields
    case other              => throw new IllegalStateException(s"$path has $other where fields are expected")
  }

  /** Writes it elsewhere with other fields. */
  def copy(to: Path)(change: ObjectNode => Unit): Unit = {
    val fields = json.deepCopy()
    change(fields)
    LogFile.write(to, lines.updated(1, mapper.writeValueAsString(fields)).mkString("\n"), conf)
  }
}

private[spark] object LogFile {
  val mapper = new ObjectMapper

  def text(path: Path, conf: Configuration): String = TextFile.text(CheckpointFileManager.create(path, conf), path)

  def write(path: Path, text: String, conf: Configuration): Unit = {
    val files = CheckpointFileManager.create(path, conf)
    files.mkdirs(path.getParent)
    TextFile.write(files, path, text, mayReplace = true)
  }
}
