package dev.sparkwindowing.live

import dev.sparkwindowing.SparkWindowing
import dev.sparkwindowing.simulation.SimulationStep
import dev.sparkwindowing.spark.WindowText
import org.apache.spark.sql.{DataFrame, Row, SparkSession}

import java.sql.Timestamp

/** A query and its rows, which come from one source task: as a simulation that judges each row when it comes, in
  * real-time mode, and in one micro-batch. Results are as text, sorted, each behind the name of its output.
  *
  * @param delay
  *   of the watermark, in milliseconds
  * @param rows
  *   key, time and value, in the order in which they come. A row has no time if its value is negative
  * @param build
  *   the result
  */
final case class LiveCase(name: String, delay: Long, rows: Seq[(Long, Long, Long)], build: DataFrame => DataFrame) {
  import LiveCase._

  def simulated(spark: SparkSession): Seq[String] = within(spark) { (_, query) =>
    val result  = build(query.rows)
    var highest = Long.MinValue
    val steps   = rows.flatMap { case (key, ts, value) =>
      val isTimed = value >= 0
      val row     = SimulationStep.element(key, if (isTimed) new Timestamp(ts) else null, value)
      val rises   = isTimed && ts > highest
      if (rises) highest = ts
      // The watermark is the last time that may not come any more.
      if (rises) Seq(row, SimulationStep.watermark(highest - delay - 1)) else Seq(row)
    }
    val run = SparkWindowing.simulate(result, steps: _*)
    val all = ("main" -> run.main) +: SparkWindowing.outputTags(result).map(tag => tag -> run.side(tag))
    WindowText.of(all.flatMap { case (output, rows) =>
      rows.drop("step").collect().toSeq.map(row => withoutClock(Row.fromSeq(output +: row.toSeq)))
    })
  }

  /** @param parts
    *   number of parts in which the rows come; between two of them a micro-batch ends
    */
  def live(spark: SparkSession, parts: Int): Seq[String] = live(spark, parts, simulated(spark).size)

  /** @param count
    *   of the results that are waited for
    */
  def live(spark: SparkSession, parts: Int, count: Int): Seq[String] = within(spark) { (log, query) =>
    query.live(millis = 300)
    rows.grouped((rows.size + parts - 1) / parts).zipWithIndex.foreach { case (part, i) =>
      if (i > 0) query.nextBatch()
      add(log, part)
    }
    val all = query.await(count)
    // Nothing more at the end of the micro-batch.
    query.nextBatch()
    shown(all ++ query.await(0))
  }

  /** A part in real-time mode, one in a micro-batch, and the last in real-time mode. Results may come again. */
  def switching(spark: SparkSession): Seq[String] = {
    val wanted = simulated(spark).distinct
    within(spark) { (log, query) =>
      val Seq(first, second, third) = rows.grouped((rows.size + 2) / 3).toSeq
      query.live(millis = 300)
      add(log, first)
      query.nextBatch()
      query.stop()
      add(log, second)
      query.once()
      query.live(millis = 300)
      add(log, third)
      shown(query.awaitAll(rows => shown(rows).distinct.size >= wanted.size))
    }
  }

  def once(spark: SparkSession): Seq[String] = within(spark) { (log, query) =>
    add(log, rows)
    shown(query.once().await(0))
  }

  private def add(log: RowLog, some: Seq[(Long, Long, Long)]): Unit =
    some.foreach { case (key, ts, value) => log.add(0, key, ts, value) }

  private def within[A](spark: SparkSession)(act: (RowLog, LiveQuery) => A): A = {
    val log   = RowLog.create(1)
    val query = new LiveQuery(spark, log, delay)(rows => allOf(build(rows)))
    try act(log, query)
    finally {
      query.close()
      log.close()
    }
  }
}

object LiveCase {
  private def allOf(result: DataFrame): DataFrame =
    if (SparkWindowing.outputTags(result).isEmpty) result else SparkWindowing.allOutputs(result)

  // Rows of all outputs have its name, and a column for each output.
  private def shown(rows: Seq[Row]): Seq[String] = WindowText.of(rows.map { row =>
    val isOfOutputs = row.schema.head.name == "output"
    val output      = if (isOfOutputs) row.getString(0) else "main"
    val values      = if (isOfOutputs) row.getStruct(row.fieldIndex(output)) else row
    withoutClock(Row.fromSeq(output +: values.toSeq))
  })

  // A pane without the time at which it fired.
  private def withoutClock(row: Row): Row = Row.fromSeq(row.toSeq.map {
    case Row(timing: String, number, isLast, _, replaced) => Row(timing, number, isLast, replaced)
    case other                                            => other
  })
}
