package dev.sparkwindowing.spark.aggregates

import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.expressions.aggregate._

/** Aggregates whose buffers are made before the exchange and merged after it. */
private[sparkwindowing] object Partials {

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
