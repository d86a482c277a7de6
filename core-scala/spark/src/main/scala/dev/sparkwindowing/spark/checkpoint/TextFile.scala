package dev.sparkwindowing.spark.checkpoint

import dev.sparkwindowing.spark.relocated.Relocated.CheckpointFileManager
import org.apache.commons.io.IOUtils
import org.apache.hadoop.fs.Path

import java.nio.charset.StandardCharsets.UTF_8
import scala.util.Try

/** Text file in a checkpoint: a header, then a body. It is written atomically. */
private[spark] object TextFile {

  /** @throws java.io.IOException
    *   if the file exists and may not be replaced
    */
  def write(
      files: CheckpointFileManager,
      path: Path,
      header: String,
      body: String,
      mayReplace: Boolean = true
  ): Unit = write(files, path, s"$header\n$body\n", mayReplace)

  /** Writes a text that is of another kind. */
  def write(files: CheckpointFileManager, path: Path, text: String, mayReplace: Boolean): Unit = {
    val out = files.createAtomic(path, mayReplace)
    try {
      out.write(text.getBytes(UTF_8))
      out.close()
    } catch {
      case e: Throwable =>
        out.cancel()
        throw e
    }
  }

  /** The header and the body. */
  def read(files: CheckpointFileManager, path: Path): (String, String) = {
    val all = text(files, path)
    val end = all.indexOf('\n')
    if (end < 0) (all, "") else (all.take(end), all.drop(end + 1))
  }

  /** All of a file. */
  def text(files: CheckpointFileManager, path: Path): String = {
    val in = files.open(path)
    try IOUtils.toString(in, UTF_8)
    finally in.close()
  }

  /** Refuses a file whose header has a higher number than this release writes.
    *
    * @param found
    *   header of the file, such as "spark-windowing layout 2"
    * @param known
    *   the one that this release writes and reads
    * @throws java.lang.IllegalStateException
    *   if it is higher
    */
  def refuseNewer(path: Path, found: String, known: String): Unit = {
    def number(header: String) = Try(header.substring(header.lastIndexOf(' ') + 1).toInt).toOption
    val sameKind               = found.take(found.lastIndexOf(' ')) == known.take(known.lastIndexOf(' '))
    if (sameKind && number(found).exists(n => number(known).exists(n > _)))
      throw new IllegalStateException(
        s"$path is '$found', and this release reads '$known': a newer release wrote it. Run the query with that release, " +
          "or start with a new checkpoint location. The state is untouched"
      )
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
