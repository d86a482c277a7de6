package dev.sparkwindowing.spark.checkpoint

import dev.sparkwindowing.spark.relocated.Relocated.CheckpointFileManager
import org.apache.commons.io.IOUtils
import org.apache.hadoop.fs.Path

import java.nio.charset.StandardCharsets.UTF_8

/** Text file in a checkpoint: a header, then a body. It is written atomically. */
private[spark] object TextFile {

  def write(files: CheckpointFileManager, path: Path, header: String, body: String): Unit = {
    val out = files.createAtomic(path, true)
    try {
      out.write(s"$header\n$body\n".getBytes(UTF_8))
      out.close()
    } catch {
      case e: Throwable =>
        out.cancel()
        throw e
    }
  }

  /** The header and the body. */
  def read(files: CheckpointFileManager, path: Path): (String, String) = {
    val in = files.open(path)
    try {
      val text = IOUtils.toString(in, UTF_8)
      val end  = text.indexOf('\n')
      if (end < 0) (text, "") else (text.take(end), text.drop(end + 1))
    } finally in.close()
  }

  /** Writes a body of `name: value` lines. */
  def writeLines(files: CheckpointFileManager, path: Path, header: String, lines: Seq[(String, String)]): Unit =
    write(files, path, header, lines.map { case (name, value) => s"$name: $value" }.mkString("\n"))

  def readLines(files: CheckpointFileManager, path: Path): (String, Seq[(String, String)]) = {
    val (header, body) = read(files, path)
    header -> body.linesIterator.toSeq.map { line =>
      val at = line.indexOf(": ")
      line.take(at) -> line.drop(at + 2)
    }
  }
}
