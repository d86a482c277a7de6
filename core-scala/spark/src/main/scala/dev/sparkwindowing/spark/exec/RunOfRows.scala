package dev.sparkwindowing.spark.exec

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.execution.LogicalRDD
import org.apache.spark.sql.{DataFrame, SparkWindowingBridge}

import java.util.UUID
import scala.annotation.tailrec
import scala.util.Try

/** The run of a query that has made the rows of a micro-batch, found in what they are computed from. */
private[spark] object RunOfRows {

  /** None if the rows have been through no state store. */
  def apply(rows: DataFrame): Option[UUID] = {
    val plan = SparkWindowingBridge.analyzedPlan(rows)
    find(plan.collectLeaves().toList.collect { case leaf: LogicalRDD => leaf.rdd }, Set())
  }

  @tailrec private def find(open: List[RDD[_]], seen: Set[Int]): Option[UUID] = open match {
    case Nil                                  => None
    case rdd :: rest if seen.contains(rdd.id) => find(rest, seen)
    case rdd :: rest                          =>
      val own = run(rdd)
      if (own.nonEmpty) own else find(rdd.dependencies.map(_.rdd).toList ++ rest, seen + rdd.id)
  }

  // Spark's StateStoreRDD knows its run, and does not show it.
  private def run(rdd: RDD[_]): Option[UUID] = ancestors(rdd.getClass)
    .find(_.getSimpleName == "BaseStateStoreRDD")
    .flatMap(declared => Try(declared.getDeclaredField("queryRunId")).toOption)
    .map { field =>
      field.setAccessible(true)
      field.get(rdd).asInstanceOf[UUID]
    }

  private def ancestors(of: Class[_]): Iterator[Class[_]] =
    Iterator.iterate[Class[_]](of)(_.getSuperclass).takeWhile(_ != null)
}
