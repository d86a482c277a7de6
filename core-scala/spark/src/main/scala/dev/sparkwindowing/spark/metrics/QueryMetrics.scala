package dev.sparkwindowing.spark.metrics

import dev.sparkwindowing.spark.task.TaskCounters
import org.apache.spark.sql.streaming.{StateOperatorProgress, StreamingQueryProgress}

import java.time.Instant
import scala.collection.mutable
import scala.jdk.CollectionConverters._

/** Figures of one run of a query with windows: what has happened is counted from the start of the run on, what there is
  * are gauges. Names are stable.
  *
  * @param now
  *   the query's clock, in milliseconds
  */
private[metrics] final class QueryMetrics(now: () => Long) {
  import QueryMetrics._

  val figures = new Figures

  private[this] var inputs  = Seq.empty[InputTimes] // of the last micro-batch that has begun
  private[this] val highest = mutable.Map.empty[Int, Long]

  // Of the micro-batch that runs in real-time mode; the highest so far; and what has been counted of that micro-batch
  // and of those whose progress is not known yet, by their numbers.
  private[this] var live: Option[LiveFigures] = None
  private[this] var watermark                 = 0L
  private[this] val counted                   = mutable.TreeMap.empty[Long, mutable.Map[String, Long]]

  /** Called before the tasks of a micro-batch. */
  def begin(next: Seq[InputTimes]): Unit = synchronized {
    // The next micro-batch may begin before the progress of this one is known.
    observe()
    inputs = next
  }

  /** Called before the tasks of a micro-batch in real-time mode. */
  def beginLive(batch: Long, figures: LiveFigures): Unit = synchronized {
    live = Some(figures)
    counted(batch) = mutable.Map.empty
  }

  /** Takes what a running task has told of its accumulators. */
  def heartbeat(task: Long, values: Map[Long, Long]): Unit = synchronized {
    for {
      running <- live if running.update(task, values)
      before  <- counted.lastOption.map(_._2)
    } {
      running.sums.foreach {
        case (name, value) if TaskCounters.OfEvents(name) =>
          figures.count(s"$LiveOperator.$name", value - before.getOrElse(name, 0L))
          before(name) = value
        case (name, value) => if (running.areAll) figures.set(s"$LiveOperator.$name", value)
      }
      running.reached.foreach(rise)
    }
  }

  def update(progress: StreamingQueryProgress): Unit = synchronized {
    figures.count("microBatches", 1)
    val before = counted.get(progress.batchId).fold(Map.empty[String, Long])(_.toMap)
    counted.keys.toList.takeWhile(_ <= progress.batchId).foreach(counted.remove)
    progress.stateOperators.zipWithIndex.foreach { case (operator, i) => update(operator, i.toString, before) }
    Option(progress.observedMetrics.get(Observed)).foreach { row =>
      row.schema.fieldNames.foreach(name => figures.count(name, row.getAs[Long](name)))
    }
    Option(progress.eventTime.get("watermark")).map(Instant.parse(_).toEpochMilli).filter(_ > 0).foreach(rise)
    observe()
  }

  // A progress has the watermark with which its micro-batch began.
  private def rise(millis: Long): Unit = {
    watermark = math.max(watermark, millis)
    figures.set("watermark", watermark)
    lag("watermarkLagMs", watermark)
  }

  private def update(operator: StateOperatorProgress, number: String, before: Map[String, Long]): Unit = {
    val own = operator.customMetrics.asScala.filter { case (name, _) => TaskCounters.Names(name) }
    if (own.nonEmpty) {
      own.foreach {
        case (name, value) if TaskCounters.OfEvents(name) =>
          figures.count(s"$number.$name", value - before.getOrElse(name, 0L))
        case (name, value) => figures.set(s"$number.$name", value)
      }
      figures.set(s"$number.keys", operator.numRowsTotal)
      figures.set(s"$number.updatesTimeMs", operator.allUpdatesTimeMs)
      figures.set(s"$number.removalsTimeMs", operator.allRemovalsTimeMs)
      figures.set(s"$number.commitTimeMs", operator.commitTimeMs)
    }
  }

  private def observe(): Unit = inputs.zipWithIndex.foreach { case (input, i) =>
    input.highest().foreach { time =>
      val seen = math.max(time, highest.getOrElse(i, time))
      highest(i) = seen
      lag(s"input.$i.watermarkLagMs", seen - input.delayMs)
    }
    val group = s"input.$i.partition."
    // Of partitions with one name here the slowest shows.
    val partitions = input.partitions().groupBy { case (name, _) => s"$group${plain(name)}.lagMs" }.map {
      case (name, same) => name -> same.values.min
    }
    partitions.foreach { case (name, time) => lag(name, time) }
    figures.retain(group, partitions.keySet)
  }

  private def lag(name: String, time: Long): Unit = figures.setSeen(name, time)(now() - _)
}

private[spark] object QueryMetrics {

  /** Name of the observed metrics of the portable operator. */
  val Observed = "spark_windowing"

  // In real-time mode a query has one stateful operator.
  private val LiveOperator = "0"

  // A dot parts names, and some systems take no other signs.
  private def plain(name: String): String = name.replaceAll("[^A-Za-z0-9_-]", "_")
}
