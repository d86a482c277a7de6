package dev.sparkwindowing.spark.metrics

import org.apache.spark.sql.WindowsTab.Table

import java.time.Instant
import scala.util.matching.Regex

/** Figures of running queries as tables for Spark's UI. */
private[metrics] object WindowsTables {

  /** @param queries
    *   figures by the name of the query
    */
  def of(queries: Seq[(String, Map[String, Long])]): Seq[Table] = Seq(
    Table(
      "Queries",
      Seq("Query", "Micro-batches", "Watermark", "Behind the clock, s"),
      queries.map { case (name, figures) =>
        val watermark = figures.get("watermark").fold("")(Instant.ofEpochMilli(_).toString)
        Seq(name, shown(figures.get("microBatches")), watermark, seconds(figures.get("watermarkLagMs")))
      }
    ),
    Table(
      "Window operators",
      Seq("Query", "Operator") ++ Columns.map(_._2),
      grouped(queries, Operator) { figures =>
        Columns.map { case (name, _) => shown(figures.get(name)) }
      }
    ),
    Table(
      "Inputs",
      Seq("Query", "Input", "Watermark behind the clock, s"),
      grouped(queries, Input) { figures =>
        Seq(seconds(figures.get("watermarkLagMs")))
      }
    ),
    Table(
      "Partitions",
      Seq("Query", "Input and partition", "Last row behind the clock, s"),
      grouped(queries, Partition) { figures =>
        Seq(seconds(figures.get("lagMs")))
      }
    )
  ).filter(_.rows.nonEmpty)

  private val Operator  = """(\d+)\.(\w+)""".r
  private val Input     = """input\.(\d+)\.(\w+)""".r
  private val Partition = """input\.(\d+\.partition\..*)\.(\w+)""".r

  private val Columns = Seq(
    "openWindows"           -> "Open windows",
    "keys"                  -> "Keys",
    "stateBytes"            -> "State, bytes",
    "eventTimers"           -> "Event timers",
    "processingTimers"      -> "Processing timers",
    "firedPanes"            -> "Fired",
    "numLateRecordsDropped" -> "Late, dropped",
    "lateSideOutput"        -> "Late side output",
    "rowsWithoutEventTime"  -> "Without event time"
  )

  // A row for each group of figures whose names begin with the same text.
  private def grouped(queries: Seq[(String, Map[String, Long])], name: Regex)(
      cells: Map[String, Long] => Seq[String]
  ): Seq[Seq[String]] = for {
    (query, figures) <- queries
    (group, own)     <- figures.toSeq
      .collect { case (name(group, figure), value) => (group, figure -> value) }
      .groupBy(_._1)
      .toSeq
      .sortBy(_._1)
  } yield Seq(query, group.replace(".partition.", ", ")) ++ cells(own.map(_._2).toMap)

  private def shown(value: Option[Long]): String   = value.fold("")(n => f"$n%,d")
  private def seconds(value: Option[Long]): String = value.fold("")(ms => f"${ms / 1000}%,d")
}
