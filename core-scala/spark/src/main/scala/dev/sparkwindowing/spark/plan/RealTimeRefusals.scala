package dev.sparkwindowing.spark.plan

import dev.sparkwindowing.spark.advice.Code
import dev.sparkwindowing.spark.links.{LinkedFeature, SparkLinks}
import dev.sparkwindowing.spark.relocated.Relocated
import org.apache.spark.SPARK_VERSION
import org.apache.spark.sql.catalyst.plans.logical.{EventTimeWatermark, LogicalPlan}
import org.apache.spark.sql.internal.SQLConf

/** Refuses, by name, what windows cannot do in real-time mode. */
private[spark] object RealTimeRefusals {

  /** Setting by which Spark compares the plan of a query with its own list. */
  val Allowlist = "spark.sql.streaming.realTimeMode.allowlistCheck"

  /** @param query
    *   with windows on a stream
    * @throws java.lang.UnsupportedOperationException
    *   with what it is and what to do
    */
  def check(query: LogicalPlan): Unit = {
    if (!isSince43) refuse(s"need Spark 4.3 or later, and this is $SPARK_VERSION", inMicroBatches)
    SparkLinks.require(LinkedFeature.RealTime, s"Take another trigger: $inMicroBatches")
    if (SQLConf.get.getConfString(Allowlist, "true").trim.equalsIgnoreCase("true"))
      refuse(
        s"are not in the list of operators that Spark compares a query with",
        s"""type spark.conf.set("$Allowlist", "false"); this library then looks at the rest of the query"""
      )
    val nodes = query.collect { case node: WindowNode if node.isStateful => node }
    if (query.collect { case other if StatefulInput.isStateful(other) => other }.size > 1)
      refuse(
        "run with no other stateful operator in the query (a window, an aggregation, a join of streams, deduplication)",
        s"write the result to Kafka and read it in a second query, or $inMicroBatches"
      )
    nodes.foreach(node => program(node.program))
    sources(query)
  }

  /** Error for operators that Spark does not run in that mode. */
  def ofOperators(names: Seq[String]): UnsupportedOperationException = new UnsupportedOperationException(
    s"Spark does not run ${names.mkString(", ")} in real-time mode: take it away, or $inMicroBatches"
  )

  private def program(program: WindowProgram): Unit = {
    if (program.pythonFunction.nonEmpty)
      refuse(
        "run no function of Python, whose process gets rows in blocks",
        s"take ${Code.name("sw.ColumnProcess")} or aggregates, or $inMicroBatches"
      )
    if (program.plan.firesByMicroBatch)
      refuse(
        "have no end of a micro-batch at which a trigger could fire",
        s"take a trigger by rows or time, such as ${Code.name("sw.CountTrigger")}.of(100), or $inMicroBatches"
      )
    if (program.allowsStateChange)
      refuse(
        s"take over no state of another declaration",
        s"run the query once in micro-batches with ${Code.call(".allow_state_change")}, or take it away"
      )
  }

  private def sources(query: LogicalPlan): Unit = {
    val watermarks = query.collect { case w: EventTimeWatermark => Relocated.watermarkId(w) }.distinct
    if (watermarks.size > 1) refuse(s"take one watermark, and the query has ${watermarks.size}", inMicroBatches)
    query.foreach {
      case w: EventTimeWatermark if PartitionProof.of(w.eventTime).isDefined =>
        refuse(
          s"have the watermark of the slowest source task without ${Code.name("per_partition")}",
          s"take ${Code.name("per_partition")} away"
        )
      case _: IngestionTimeStamp =>
        refuse(
          "take no ingestion time, which is one for all rows of a micro-batch",
          s"take a time of the rows, or $inMicroBatches"
        )
      case _: StartedWith =>
        refuse(
          s"begin with no rows of a table",
          s"run the query in micro-batches first, with ${Code.name("starting_with")}, or take it away"
        )
      case _ => ()
    }
  }

  private def inMicroBatches = s"run it in micro-batches, ${Code.trigger("1 second")}"

  private def isSince43: Boolean = {
    val Array(major, minor) = SPARK_VERSION.split("\\.").take(2).map(_.toInt)
    major > 4 || major == 4 && minor >= 3
  }

  private def refuse(what: String, instead: => String): Nothing =
    throw new UnsupportedOperationException(s"windows in real-time mode $what: $instead")
}
