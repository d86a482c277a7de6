package dev.sparkwindowing.spark.upserts.postgres

import java.io.Reader

/** Texts one behind the other. */
private[postgres] final class LinesReader(lines: Iterator[String]) extends Reader {
  private[this] var line     = ""
  private[this] var position = 0

  override def read(buffer: Array[Char], offset: Int, length: Int): Int = {
    while (position == line.length && lines.hasNext) {
      line = lines.next()
      position = 0
    }
    if (position == line.length) -1
    else {
      val count = math.min(length, line.length - position)
      line.getChars(position, position + count, buffer, offset)
      position += count
      count
    }
  }

  override def close(): Unit = ()
}

private[postgres] object LinesReader {

  /** A row in the text format of COPY; null is a value that there is not. */
  def line(values: Seq[String]): String = values.map(v => if (v == null) "\\N" else escaped(v)).mkString("", "\t", "\n")

  private def escaped(value: String): String =
    value.replace("\\", "\\\\").replace("\t", "\\t").replace("\n", "\\n").replace("\r", "\\r")
}
