package dev.sparkwindowing

import dev.sparkwindowing.simulation.{CheckpointWhy, SimulationStep, StaticWhy, Why => Answer}
import org.apache.spark.sql.{Column, DataFrame}

/** Answers why a row or a window is in the results, or not. A run of [[SparkWindowing.simulate]] answers by its own
  * method [[dev.sparkwindowing.simulation.SimulationRun.why]].
  */
object Why {

  /** Answers why a row of a static DataFrame is in the results, or not. The rows of its key are read again, to the
    * driver.
    *
    * {{{
    * println(Why.of(result, col("user") === "ann" && col("price") === 5))
    * }}}
    *
    * @param result
    *   exactly what a window's function returned
    * @param row
    *   a condition on the columns of the input that is true for one row
    * @throws java.lang.IllegalArgumentException
    *   if it is true for none, or for several that differ; for a stream
    * @throws java.lang.UnsupportedOperationException
    *   for a join or co-group, and a function without windows
    */
  def of(result: DataFrame, row: Column): Answer = new StaticWhy(result).ofRow(row)

  /** Tells what became of a row of a stream, from the checkpoint of the query: its windows, which of them are open, and
    * what these wait for. What has fired before is not kept in a checkpoint. The query may be running.
    *
    * @param result
    *   the result of the query, exactly what a window's function returned
    * @param checkpoint
    *   the checkpointLocation of the query
    * @param row
    *   a value for each column of the DataFrame given to `keyBy`, as for `sim.element`
    * @param operatorId
    *   operator of the query; optional if the query has one window operator
    * @throws java.lang.IllegalArgumentException
    *   if the checkpoint has no window operator, none with that id or several, or no complete micro-batch
    * @throws java.lang.UnsupportedOperationException
    *   for windows of processing time, over windows of rows, and a function without windows
    */
  def inCheckpoint(result: DataFrame, checkpoint: String, row: Seq[Any], operatorId: Option[Long] = None): Answer =
    new CheckpointWhy(result, checkpoint, operatorId).of(
      SimulationStep.elements(result, Seq(SimulationStep.element(row: _*)))
    )

  /** Answers why a window of a static DataFrame has fired, or not.
    *
    * @param key
    *   values of the key columns, as a `Row` holds them
    * @param start
    *   of the window, milliseconds; it and `end` are ignored for the global window
    */
  def ofWindow(result: DataFrame, key: Seq[Any], start: Long, end: Long): Answer =
    new StaticWhy(result).ofWindow(key, start, end)
}
