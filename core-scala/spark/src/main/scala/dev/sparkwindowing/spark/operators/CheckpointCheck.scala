package dev.sparkwindowing.spark.operators

import dev.sparkwindowing.spark.advice.Face
import dev.sparkwindowing.spark.checkpoint.{
  Changes,
  Numbered,
  SourcesCheck,
  Specification,
  SpecificationFile,
  UnfinishedMark
}
import dev.sparkwindowing.spark.history.HistoryStart
import dev.sparkwindowing.spark.links.{LinkedFeature, SparkLinks}
import dev.sparkwindowing.spark.metrics.RunningMetrics
import dev.sparkwindowing.spark.plan.{PlanChecks, RealTimeCheck, StartCheck, WindowNode}
import dev.sparkwindowing.spark.sources.TickSource
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.streaming.WriteToStream
import org.apache.spark.sql.{SparkSession, SparkWindowingBridge}

import scala.util.Try

/** Compares the windows of a query with its checkpoint when the query starts, before it looks for rows. So a changed
  * query is refused even if a run has no rows. The first micro-batch compares each operator with its own specification
  * again ([[SpecificationFile]]).
  */
private[sparkwindowing] object CheckpointCheck extends PlanChecks {

  /** Check in `start()`, in sessions with the extensions of this library: on the plan that Spark analyzes to start a
    * query.
    */
  def ofStart(session: SparkSession, plan: LogicalPlan): Unit = plan match {
    case w: WriteToStream if w.inputQuery.exists(isOurs) && links =>
      check(w.inputQuery, w.resolvedCheckpointLocation, SparkWindowingBridge.hadoopConf(session))
    case _ => ()
  }

  private def isOurs(plan: LogicalPlan): Boolean = plan.isInstanceOf[WindowNode] || TickSource.isOne(plan)

  /** Check in every session: the query's thread copies its plan, including sources, before its first micro-batch. */
  def copied(): Unit = if (links) SparkWindowingBridge.startingQuery().foreach { query =>
    RealTimeCheck.refuse(query.trigger, query.analyzedPlan)
    check(query.analyzedPlan, query.resolvedCheckpointRoot, SparkWindowingBridge.hadoopConf(query.sparkSession))
    faceOf(query.analyzedPlan).use(HistoryStart.check(query))
    if (query.analyzedPlan.exists(_.isInstanceOf[WindowNode])) RunningMetrics.started(query)
  }

  def visited(node: WindowNode, visit: LogicalPlan => Unit): Unit =
    StartCheck.visited(node, visit, SessionOperator.of(node))

  // If this Spark lacks the classes, the first micro-batch compares (native), or each key (portable).
  private def links: Boolean = SparkLinks.allows(LinkedFeature.StartChecks)

  /** @throws java.lang.IllegalStateException if another query wrote the checkpoint */
  private def check(plan: LogicalPlan, checkpoint: String, conf: Configuration): Unit = {
    val nodes = plan.collect { case node: WindowNode if node.child.isStreaming => node }
    faceOf(plan).use {
      UnfinishedMark.refusal(new Path(checkpoint), conf).foreach(why => throw new IllegalStateException(why))
      SourcesCheck.check(plan, checkpoint, conf)
      SessionOperator.refuse(plan)
      HistoryStart.refuse(plan)
      if (nodes.nonEmpty) nextBatch(checkpoint, conf).foreach { batch =>
        val state = new Path(checkpoint, "state").toString
        val files = SpecificationFile.operators(state, conf).map(new SpecificationFile(state, _, conf))
        // Spark numbers operators in the first micro-batch only, so each window may match any file.
        if (files.size == nodes.size) compare(plan, nodes.toList, files.toList, batch)
      }
    }
  }

  private def faceOf(plan: LogicalPlan): Face =
    plan.collectFirst { case node: WindowNode => node.program.face }.getOrElse(Face.inUse)

  private def compare(
      plan: LogicalPlan,
      nodes: List[WindowNode],
      files: List[SpecificationFile],
      batch: Long
  ): Unit = {
    def changes(node: WindowNode, file: SpecificationFile) = Try {
      val operator = SessionOperator.of(node)
      val wanted   =
        Specification.of(node.program, operator.path(node), operator.timing(node, plan), operator.specified(node))
      file.changesSince(batch, wanted, node.program.allowsStateChange)
    }
    // Pairs unchanged windows first, then those with a safe change.
    def pair(nodes: List[WindowNode], files: List[SpecificationFile], fits: Try[Changes] => Boolean) =
      nodes.foldLeft((List.empty[WindowNode], files)) { case ((left, rest), node) =>
        rest
          .find(file => fits(changes(node, file)))
          .fold((left :+ node, rest))(file => (left, rest.filterNot(_ eq file)))
      }
    val (changed, others) = pair(nodes, files, _.toOption.exists(_.isEmpty))
    val (refused, last)   = pair(changed, others, _.isSuccess)
    refused.zip(last).foreach { case (node, file) => changes(node, file).get }
  }

  // The number of the first micro-batch of this start; None if none was committed yet, so that there is no state.
  private def nextBatch(checkpoint: String, conf: Configuration): Option[Long] =
    Numbered.in(new Path(checkpoint, "commits"), conf).reduceOption(_ max _).map(_ + 1)
}
