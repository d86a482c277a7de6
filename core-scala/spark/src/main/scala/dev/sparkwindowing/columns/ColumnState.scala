package dev.sparkwindowing.columns

import dev.sparkwindowing.spark.computations.{BoundColumnState, StateTtl}
import dev.sparkwindowing.spark.expressions.{ColumnBinder, StructFit}
import org.apache.spark.sql.Column
import org.apache.spark.sql.types.{DataType, StructField, StructType}

import java.time.Duration

/** State of a window or of a key as columns: a struct that is updated after each firing. */
final class ColumnState private (initial: Column, update: Column, private[sparkwindowing] val ttl: Option[StateTtl]) {

  /** @param result type of the result that the update reads */
  private[sparkwindowing] def bind(name: String, result: DataType, binder: ColumnBinder): BoundColumnState = {
    def updated(state: StructType) =
      binder.overValues(update, Seq(StructField("state", state), StructField("result", result)), s"$name: update")
    val start = binder.overValues(initial, Nil, s"$name: initial")
    val first = StructFit.structOf(start.dataType, s"$name: initial")
    val kept  = StructFit.widest(first, Seq(StructFit.structOf(updated(first).dataType, s"$name: update")))
    new BoundColumnState(
      name,
      kept,
      start.map(StructFit(_, kept, s"$name: initial", "what update gives")),
      updated(kept).map(StructFit(_, kept, s"$name: update", "its state")),
      ttl
    )
  }

  override def toString: String = s"ColumnState.of($initial, $update)"
}

object ColumnState {

  /** @param initial
    *   a struct of constants
    * @param update
    *   over the structs `state` and `result`: the new state, a struct of the same fields
    */
  def of(initial: Column, update: Column): ColumnState = new ColumnState(initial, update, None)

  /** @param ttl
    *   time after the last update at which the state of a key begins anew; null for never. Not for the state of a
    *   window
    * @param ttlClock
    *   clock of `ttl`: "event_time" (a firing has the last millisecond of its window, or the watermark if that is
    *   earlier) or "processing_time"
    */
  def of(initial: Column, update: Column, ttl: Duration, ttlClock: String): ColumnState =
    new ColumnState(initial, update, StateTtl.of(ttl, ttlClock, "ColumnState"))
}
