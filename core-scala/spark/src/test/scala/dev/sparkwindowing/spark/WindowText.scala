package dev.sparkwindowing.spark

import org.apache.spark.sql.Row

import java.sql.Timestamp

/** Result rows as text, so that a test reads as a time line: `a [0, 10000) 2 30`. Sorted. */
object WindowText {

  def of(rows: Seq[Row]): Seq[String] = rows.map(_.toSeq.map(value).mkString(" ")).sorted

  private def value(v: Any): String = v match {
    case null                            => "null"
    case Row(s: Timestamp, e: Timestamp) => s"[${s.getTime}, ${e.getTime})"
    case t: Timestamp                    => t.getTime.toString
    case r: Row                          => r.toSeq.map(value).mkString("(", " ", ")")
    case s: scala.collection.Seq[_]      => s.map(value).mkString("[", " ", "]")
    case bytes: Array[Byte]              => bytes.map(b => f"$b%02x").mkString
    case other                           => other.toString
  }
}
