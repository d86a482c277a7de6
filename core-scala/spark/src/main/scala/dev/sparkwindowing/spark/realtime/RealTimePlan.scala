package dev.sparkwindowing.spark.realtime

import dev.sparkwindowing.spark.plan.RealTimeRefusals
import dev.sparkwindowing.spark.relocated.Relocated
import org.apache.spark.sql.execution.SparkPlan

import scala.util.Try

/** The rest of a query with windows in real-time mode: Spark's list of operators, which Spark itself does not look at
  * in such a query.
  */
private[spark] object RealTimePlan {

  /** @throws java.lang.UnsupportedOperationException
    *   if the plan has an operator that is neither in Spark's list nor ours
    */
  def check(plan: SparkPlan): Unit = allowed.foreach { names =>
    val others = plan.collect { case node if !names(node.getClass.getName) && !isOurs(node) => node.nodeName }
    if (others.nonEmpty) throw RealTimeRefusals.ofOperators(others.distinct)
  }

  private def isOurs(node: SparkPlan) = node.getClass.getName.startsWith("dev.sparkwindowing.")

  // By name, since other versions of Spark do not have it. A Spark whose list has moved checks nothing.
  private lazy val allowed: Option[Set[String]] = Relocated.RealTimeAllowlist.flatMap(name =>
    Try {
      val list  = Class.forName(name)
      val names = list.getDeclaredMethod("allowedOperators")
      names.setAccessible(true)
      names.invoke(list.getField("MODULE$").get(null)).asInstanceOf[Set[String]]
    }.toOption
  )
}
