package dev.sparkwindowing.spark.exec

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.plans.physical.{ClusteredDistribution, Distribution}

/** Distribution with all rows of a key in one partition. Spark 4.3 added a fourth constructor parameter, so one jar for
  * 4.1 to 4.3 cannot name it: it is called with the keys and as many defaults as the running Spark has.
  */
private[exec] object ClusteredByKeys {
  private val constructor = classOf[ClusteredDistribution].getConstructors.head
  private val defaults    = (2 to constructor.getParameterCount).map { i =>
    ClusteredDistribution.getClass.getMethod(s"$$lessinit$$greater$$default$$$i").invoke(ClusteredDistribution)
  }

  def apply(keys: Seq[Expression]): Distribution =
    constructor.newInstance(keys +: defaults: _*).asInstanceOf[Distribution]
}
