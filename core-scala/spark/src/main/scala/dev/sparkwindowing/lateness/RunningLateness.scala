package dev.sparkwindowing.lateness

import dev.sparkwindowing.spark.advice.Code
import dev.sparkwindowing.spark.rows.RowsBehind

/** Lateness of the rows that a query has taken, from the counts of buckets in its progress. */
private[sparkwindowing] object RunningLateness {

  /** @param metrics
    *   the custom metrics of each stateful operator in each micro-batch
    * @param shares
    *   of the rows that delays should keep, from 0 to 1
    */
  def advise(metrics: Seq[Map[String, Long]], shares: Seq[Double]): Advice = {
    Advice.check(shares)
    // Of a query with one watermark one operator measures.
    val measured = metrics.filter(_.contains(RowsBehind.Names.head))
    val counts   = RowsBehind.Names.map(name => measured.map(_.getOrElse(name, 0L)).sum)
    val rows     = counts.sum
    if (rows == 0)
      throw new IllegalArgumentException(
        "the query has measured no rows in its last micro-batches. It measures those of windows of the native operator on " +
          s"a stream with one watermark. Of a table take ${Code.call("sw.advise", Code.dots, Code.named("arrived", ".."))}"
      )
    val unknown = measured.map(_.getOrElse("rowsWithoutEventTime", 0L)).sum
    val keeping = (0L +: RowsBehind.Bounds).zip(counts.scanLeft(rows)(_ - _).tail).map { case (bound, late) =>
      Advice.Delay(bound, late, (rows - late).toDouble / rows)
    }
    val delays = shares.flatMap(share => keeping.find(_.kept >= share)).distinct.sortBy(-_.delay)
    Advice(rows + unknown, unknown, rows - counts.head, delays, Some(Advice.Buckets(measured.size, counts.last)))
  }
}
