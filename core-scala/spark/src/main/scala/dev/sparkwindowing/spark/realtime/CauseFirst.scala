package dev.sparkwindowing.spark.realtime

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.{Partition, TaskContext}

import scala.util.control.NonFatal

/** Rows of a task in real-time mode whose failure waits for a moment: when a source task fails, those that read from it
  * lose their connection, and Spark tells the user the failure that comes first to the driver. Spark ends the others
  * when it has that of the source.
  */
private[spark] final class CauseFirst(rows: RDD[InternalRow]) extends RDD[InternalRow](rows) {

  override protected def getPartitions: Array[Partition] = firstParent[InternalRow].partitions

  override def compute(split: Partition, context: TaskContext): Iterator[InternalRow] = {
    val all = CauseFirst.wait(context)(firstParent[InternalRow].iterator(split, context))
    new Iterator[InternalRow] {
      def hasNext: Boolean    = CauseFirst.wait(context)(all.hasNext)
      def next(): InternalRow = CauseFirst.wait(context)(all.next())
    }
  }
}

private object CauseFirst {
  private val MostMillis = 1000L
  private val Step       = 10L

  private def wait[A](context: TaskContext)(body: => A): A =
    try body
    catch {
      case NonFatal(failure) =>
        val end = System.nanoTime + MostMillis * 1000000L
        while (!context.isInterrupted() && System.nanoTime < end) Thread.sleep(Step)
        throw failure
    }
}
