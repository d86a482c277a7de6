package dev.sparkwindowing.spark

import dev.sparkwindowing.SparkWindowing
import org.apache.spark.sql.{DataFrame, Row, SparkSession}

/** Result of `readState` as lines of text, with times in milliseconds; nulls are left out. */
object StateText {
  private val Shown = Seq("elements", "contents", "trigger", "firings", "state")

  def of(q: DrivenQuery, spark: SparkSession, operator: Option[Long] = None): Seq[String] = {
    q.stop()
    of(SparkWindowing.readState(spark, q.checkpoint.toString, operator))
  }

  def of(state: DataFrame): Seq[String] = state.orderBy("key", "kind", "window").collect().toSeq.map(line)

  private def line(row: Row): String = {
    val key    = row.getStruct(0).mkString(",")
    val window =
      if (row.isNullAt(row.fieldIndex("window"))) Nil else Seq(WindowText.of(Seq(Row(row.getStruct(2)))).mkString)
    val facts  = Shown.filterNot(n => row.isNullAt(row.fieldIndex(n))).map(n => s"$n ${row.get(row.fieldIndex(n))}")
    val timers = Seq("event", "processing").flatMap { clock =>
      Option(row.getAs[java.sql.Timestamp](s"next_${clock}_timer")).map(t => s"$clock ${t.getTime}")
    }
    (Seq(key, row.getAs[String]("kind")) ++ window ++ facts ++ timers).mkString(" ")
  }
}
