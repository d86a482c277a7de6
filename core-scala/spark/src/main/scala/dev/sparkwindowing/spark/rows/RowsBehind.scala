package dev.sparkwindowing.spark.rows

import org.apache.spark.util.CollectionAccumulator
import org.apache.spark.{SparkContext, TaskContext}

import scala.jdk.CollectionConverters._

/** Counts, in the tasks before the exchange, how far rows are behind the greatest event time of earlier micro-batches,
  * in buckets of fixed bounds.
  *
  * Each task fills counts of its own. They come to the driver in an accumulator of Spark's own classes, since a jar
  * that was added to a running session is not visible where task results are read.
  */
private[spark] final class RowsBehind extends Serializable {
  import RowsBehind._

  private[this] val sent                     = new CollectionAccumulator[Array[Long]]
  @volatile private var seen                 = Long.MinValue
  @transient private var isMeasured          = false
  @transient private var counts: Array[Long] = _ // of the task

  /** Called on the driver before the tasks of a micro-batch.
    *
    * @param greatest
    *   the greatest event time of earlier micro-batches, in milliseconds; `Long.MinValue` before the first; None if it
    *   is not known, and so rows are not measured
    */
  def begin(context: SparkContext, greatest: Option[Long]): Unit = {
    if (!sent.isRegistered) context.register(sent, "rows behind earlier ones")
    isMeasured = greatest.nonEmpty
    greatest.foreach(seen = _)
  }

  /** Counts a row in a task, and returns its time. */
  def add(time: Long): Long = {
    if (counts == null) open()
    counts(if (time >= seen) 0 else bucketOf(seen - time)) += 1
    time
  }

  private def open(): Unit = {
    val ofTask = new Array[Long](Names.size)
    TaskContext.get().addTaskCompletionListener[Unit](_ => sent.add(ofTask))
    counts = ofTask
  }

  /** On the driver: the rows of each bucket, in the order of [[RowsBehind.Names]]; none if they are not measured. */
  def values: Seq[Long] =
    if (!isMeasured) Nil
    else
      sent.value.asScala.foldLeft(Seq.fill(Names.size)(0L))((all, more) => all.zip(more).map { case (a, b) => a + b })
}

private[sparkwindowing] object RowsBehind {

  /** The greatest milliseconds of each bucket but the first, of rows that are not behind, and the last one. */
  val Bounds: Seq[Long] = Seq.tabulate(20)(1000L << _)

  /** Name and meaning of the number of rows of each bucket in the query's progress. */
  val Descriptions: Seq[(String, String)] = {
    val within = Bounds.map(_ / 1000).map(s => s"rowsBehindUpTo${s}s" -> s"rows up to $s s behind earlier ones")
    ("rowsNotBehind" -> "rows not behind earlier ones") +: within :+
      ("rowsBehindMore" -> s"rows more than ${Bounds.last / 1000} s behind earlier ones")
  }

  val Names: Seq[String] = Descriptions.map(_._1)

  /** The bucket of a row that is so many milliseconds behind, of 1 or more. */
  def bucketOf(millis: Long): Int =
    math.min(65 - java.lang.Long.numberOfLeadingZeros((millis - 1) / 1000), Bounds.size + 1)
}
