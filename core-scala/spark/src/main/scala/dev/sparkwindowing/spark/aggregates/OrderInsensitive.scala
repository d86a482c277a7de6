package dev.sparkwindowing.spark.aggregates

import dev.sparkwindowing.spark.relocated.Relocated
import org.apache.spark.sql.catalyst.expressions.aggregate._

/** Functions known to give the same result for any order of rows and merges, up to rounding. */
private[sparkwindowing] object OrderInsensitive {

  def apply(function: AggregateFunction): Boolean = function match {
    // Equal values may differ in their bytes, as under a collation: the first one is kept.
    case _: Min | _: Max => Relocated.isBinaryStable(function.dataType)
    // Returns null at the first overflow, which one order may avoid.
    case _: Sum | _: Average                       => !function.prettyName.startsWith("try_")
    case _: Count                                  => true
    case _: BitAndAgg | _: BitOrAgg | _: BitXorAgg => true
    case _: CentralMomentAgg | _: Covariance | _: PearsonCorrelation | _: RegrSlope | _: RegrIntercept => true
    case _: HyperLogLogPlusPlus | _: Percentile                                                        => true
    case _                                                                                             => false
  }
}
