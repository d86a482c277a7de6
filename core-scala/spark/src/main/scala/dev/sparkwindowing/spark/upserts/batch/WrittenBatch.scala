package dev.sparkwindowing.spark.upserts.batch

import dev.sparkwindowing.spark.advice.Code
import dev.sparkwindowing.spark.exec.RunOfRows
import org.apache.spark.sql.{DataFrame, SparkWindowingBridge}

import java.util.concurrent.ConcurrentHashMap

/** A micro-batch of a query.
  *
  * @param query
  *   id of the query, the same in all its runs
  * @param run
  *   id of the run
  */
private[sparkwindowing] final case class WrittenBatch(query: String, run: String, id: Long)

private[upserts] object WrittenBatch {

  // The last written one, by query and place.
  private val written = new ConcurrentHashMap[(String, String), WrittenBatch]

  /** The micro-batch that rows are of: that of the calling thread or, where Spark Connect brings them, of the query
    * whose state they have been through. None outside a query.
    */
  def of(rows: DataFrame, id: Long): Option[WrittenBatch] =
    SparkWindowingBridge
      .currentQuery(rows.sparkSession)
      .orElse(RunOfRows(rows).flatMap(SparkWindowingBridge.activeQuery(rows.sparkSession, _)))
      .map(query => WrittenBatch(query.id.toString, query.runId.toString, id))

  /** Runs `write` once for a micro-batch and place.
    *
    * @throws java.lang.IllegalArgumentException
    *   if this run of the query has done so: the store would leave out what is written now
    */
  def once(batch: Option[WrittenBatch], place: String, function: Code)(
      write: Option[WrittenBatch] => Unit
  ): Unit = {
    batch.foreach { b =>
      if (written.get((b.query, place)) == b)
        throw new IllegalArgumentException(
          s"$function was called twice for $place in micro-batch ${b.id}, and the second call would be left out like a " +
            "repeated micro-batch: give it all rows at once, rows.union(others)"
        )
    }
    write(batch)
    batch.foreach(b => written.put((b.query, place), b))
  }
}
