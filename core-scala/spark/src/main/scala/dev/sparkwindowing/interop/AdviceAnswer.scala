package dev.sparkwindowing.interop

import dev.sparkwindowing.SparkWindowing
import dev.sparkwindowing.lateness.{Advice, RunningLateness}
import org.apache.spark.sql.Column

import scala.jdk.CollectionConverters._

/** Answers what delays of a watermark would keep of the rows of a table, or of those that a query has taken. */
private[interop] object AdviceAnswer {

  def of(message: Fields): Seq[java.util.Map[String, Any]] = answer(
    SparkWindowing.advise(
      message.frame("rows"),
      message.get[Column]("time"),
      message.get[Column]("arrived"),
      message.duration("every"),
      message.optional[Column]("per_partition").orNull,
      message.list[Number]("keep").map(_.doubleValue)
    )
  )

  def ofQuery(message: Fields): Seq[java.util.Map[String, Any]] =
    answer(RunningLateness.advise(message.numbers("metrics"), message.list[Number]("keep").map(_.doubleValue)))

  private def answer(advice: Advice): Seq[java.util.Map[String, Any]] = {
    val delays = advice.delays.map(d => Map[String, Any]("delay" -> d.delay, "late" -> d.late, "kept" -> d.kept).asJava)
    Seq(
      Map[String, Any](
        "text"    -> advice.toString,
        "rows"    -> advice.rows,
        "unknown" -> advice.unknown,
        "behind"  -> advice.behind,
        "delays"  -> delays.asJava
      ).asJava
    )
  }
}
