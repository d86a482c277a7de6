package dev.sparkwindowing.sql

import dev.sparkwindowing.assigners.WindowAssigner
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.{Column, DataFrame}

import java.time.Duration

/** Windows as a call of a table function declares them.
  *
  * @param keys
  *   empty stands for one key of all rows
  */
private[sparkwindowing] final case class WindowCall(
    rows: DataFrame,
    keys: Seq[Column],
    time: Column,
    assigner: WindowAssigner[InternalRow],
    allowedLateness: Duration,
    withPane: Boolean,
    aggregates: Seq[Column]
)
