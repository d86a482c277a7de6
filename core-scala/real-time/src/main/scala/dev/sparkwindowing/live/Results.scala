package dev.sparkwindowing.live

import org.apache.spark.sql.{ForeachWriter, Row}

import java.util.UUID
import java.util.concurrent.{ConcurrentHashMap, ConcurrentLinkedQueue}
import scala.jdk.CollectionConverters._

/** Rows of a query in the order in which they come to the sink, with the time, for a query with `foreach(results)`. */
final class Results private (name: String) extends ForeachWriter[Row] {

  def open(partition: Long, batch: Long): Boolean = true
  def process(row: Row): Unit                     = {
    Results.open.get(name).add(Results.Came(row, Results.micros()))
    ()
  }
  def close(error: Throwable): Unit = ()

  /** All rows. */
  def all: Seq[Results.Came] = Results.open.get(name).asScala.toSeq

  def size: Int = Results.open.get(name).size

  /** Sum of the first column. */
  def sum: Long = all.map(_.row.getLong(0)).sum

  /** Takes all rows. */
  def take(): Seq[Row] = {
    val rows = Results.open.get(name)
    Iterator.continually(rows.poll()).takeWhile(_ != null).map(_.row).toSeq
  }

  /** Of results whose first column is the time at which they were due, in milliseconds: the time of the last one of
    * each, less that time, in milliseconds. For those due from `from` until `until`.
    */
  def latencies(from: Long, until: Long): Array[Double] = {
    val last = all.groupMapReduce(_.row.getLong(0))(_.micros)(math.max)
    last.collect { case (due, at) if due >= from && due < until => (at - due * 1000L) / 1000.0 }.toArray
  }

  /** Times between two rows that follow each other, in milliseconds, the longest first: the hundred longest of rows
    * that came from `from` until `until`, in milliseconds.
    */
  def silences(from: Long, until: Long): Array[Double] = {
    val times = all.map(_.micros).filter(at => at >= from * 1000L && at < until * 1000L).sorted
    times.zip(times.drop(1)).map { case (a, b) => (b - a) / 1000.0 }.sorted.reverse.take(100).toArray
  }

  /** Forgets the rows. */
  def forget(): Unit = {
    Results.open.remove(name)
    ()
  }
}

object Results {
  private val open = new ConcurrentHashMap[String, ConcurrentLinkedQueue[Came]]

  /** @param micros
    *   microseconds since 1970
    */
  final case class Came(row: Row, micros: Long)

  def create(): Results = {
    val name = UUID.randomUUID.toString
    open.put(name, new ConcurrentLinkedQueue[Came])
    new Results(name)
  }

  // One clock for all rows, finer than milliseconds.
  private val (startNanos, startMillis) = (System.nanoTime, System.currentTimeMillis)

  def micros(): Long = startMillis * 1000L + (System.nanoTime - startNanos) / 1000L
}
