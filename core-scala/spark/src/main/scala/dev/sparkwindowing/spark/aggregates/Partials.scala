package dev.sparkwindowing.spark.aggregates

import org.apache.spark.sql.catalyst.expressions.aggregate._
import org.apache.spark.sql.catalyst.expressions.{Attribute, UnsafeRow}

/** Aggregates whose buffers are made before the exchange and merged after it. */
private[sparkwindowing] object Partials {

  /** True if the buffers are fixed-width rows, which Spark's own hash aggregation updates in place. */
  def areFlat(aggregates: SqlAggregates): Boolean =
    aggregates.stateSchema.forall(f => UnsafeRow.isMutable(f.dataType)) &&
      !aggregates.functions.exists(_.aggregateFunction.isInstanceOf[TypedImperativeAggregate[_]])

  /** The functions in partial mode, over other columns.
    *
    * @param columns
    *   the column of each of `aggregates.argumentAttributes`
    */
  def of(aggregates: SqlAggregates, columns: Seq[Attribute]): Seq[AggregateExpression] = {
    val at = aggregates.argumentAttributes.map(_.exprId).zip(columns).toMap
    aggregates.functions.map { f =>
      f.transform { case a: Attribute => at.getOrElse(a.exprId, a) }
        .asInstanceOf[AggregateExpression]
        .copy(mode = Partial)
    }
  }
}
