package dev.sparkwindowing.spark.plan

import org.apache.hadoop.fs.Path
import org.apache.spark.sql.execution.streaming.checkpointing.CheckpointFileManager

import java.nio.charset.StandardCharsets.UTF_8

/** A text file in a checkpoint: a header, then one `name: value` per line. It is written atomically. */
private[spark] object TextFile {

  def write(files: CheckpointFileManager, path: Path, header: String, lines: Seq[(String, String)]): Unit = {
    val out  = files.createAtomic(path, true)
    val text = (header +: lines.map { case (name, value) => s"$name: $value" }).mkString("", "\n", "\n")
    try {
      out.write(text.getBytes(UTF_8))
      out.close()
    } catch {
      case e: Throwable =>
        out.cancel()
        throw e
    }
  }

  /** The header, and the lines. */
  def read(files: CheckpointFileManager, path: Path): (String, Seq[(String, String)]) = {
    val in = files.open(path)
    try {
      val lines = new String(in.readAllBytes(), UTF_8).linesIterator.toSeq
      lines.headOption.getOrElse("") -> lines.drop(1).map { line =>
        val at = line.indexOf(": ")
        line.take(at) -> line.drop(at + 2)
      }
    } finally in.close()
  }
}
