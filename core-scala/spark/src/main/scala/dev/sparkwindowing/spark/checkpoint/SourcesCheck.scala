package dev.sparkwindowing.spark.checkpoint

import dev.sparkwindowing.spark.advice.Code
import dev.sparkwindowing.spark.sources.{TickOffset, TickSource}
import org.apache.commons.io.IOUtils
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.spark.sql.catalyst.plans.logical.{CTERelationRef, LogicalPlan}

import java.nio.charset.StandardCharsets.UTF_8

/** Tells why a query has more or fewer sources than its checkpoint, if that is due to a source of this library. Spark
  * refuses it as well, but names no source.
  */
private[spark] object SourcesCheck {

  /** @throws java.lang.IllegalStateException
    *   if the query cannot continue
    */
  def check(plan: LogicalPlan, checkpoint: String, conf: Configuration): Unit =
    lastOffsets(checkpoint, conf).foreach { offsets =>
      val found  = sources(plan)
      val isOurs = found.exists(TickSource.isOne) || offsets.exists(o => o == BatchLogs.NoOffset || TickOffset.isOne(o))
      if (isOurs && found.size != offsets.size)
        throw new IllegalStateException(
          s"the query has ${count(found.size)} and its checkpoint ${offsets.size}: ${Code.name("with_clock")} and " +
            s"${Code.name("with_idleness")} are sources of their own, which are kept when a query is restarted. Declare the query as it was, or write a checkpoint " +
            s"for it with ${Code.name("migrate")}, or start it with a new checkpointLocation"
        )
    }

  /** The sources of a query, in the order of its offsets. */
  def sources(plan: LogicalPlan): Seq[LogicalPlan] =
    plan.collectLeaves().filter(leaf => leaf.isStreaming && !leaf.isInstanceOf[CTERelationRef])

  private def count(sources: Int): String = if (sources == 1) "1 source" else s"$sources sources"

  // The offsets of the last micro-batch, one per source; None before the first one, and in a format without order.
  private def lastOffsets(checkpoint: String, conf: Configuration): Option[Seq[String]] = {
    val log = new Path(checkpoint, "offsets")
    Numbered.in(log, conf).reduceOption(_ max _).flatMap { number =>
      val in   = log.getFileSystem(conf).open(new Path(log, number.toString))
      val text =
        try IOUtils.toString(in, UTF_8)
        finally in.close()
      text.linesIterator.toList match {
        case "v1" :: _ :: offsets => Some(offsets)
        case _                    => None
      }
    }
  }
}
