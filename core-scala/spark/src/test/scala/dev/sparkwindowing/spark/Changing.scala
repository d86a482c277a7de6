package dev.sparkwindowing.spark

import dev.sparkwindowing.SparkWindowing
import dev.sparkwindowing.checkpoints.MigratedOperator
import org.apache.spark.sql.streaming.StreamingQueryException
import org.apache.spark.sql.{DataFrame, SparkSession}

import java.nio.file.Files
import scala.jdk.CollectionConverters._

/** A query that is stopped, changed and started again on its checkpoint. */
final class Changing(spark: SparkSession, delay: Option[String] = Some("0 seconds"))(first: DataFrame => DataFrame) {
  private[this] var now                           = first
  private[this] def query: DataFrame => DataFrame = now
  val driven                                      = new DrivenQuery(spark, delay = delay)(events => query(events))
  driven.start()

  def to(next: DataFrame => DataFrame): this.type = {
    driven.stop()
    now = next
    driven.start()
    this
  }

  /** Goes on with another query from a checkpoint that is written for it. */
  def migrate(next: DataFrame => DataFrame, sources: Option[Seq[Option[Int]]] = None): Seq[MigratedOperator] = {
    driven.stop()
    val place   = Rescaled.folder()
    val written = SparkWindowing.migrate(driven.checkpoint.toString, next(driven.events), place.toString, sources)
    now = next
    driven.moveTo(place)
    written
  }

  /** The error that stops the changed query before its first micro-batch. */
  def refused(next: DataFrame => DataFrame): String =
    Changing
      .outcome {
        to(next)
        driven.watermark(1000)
      }
      .fold(identity, _ => throw new AssertionError("the query was not refused"))

  /** The specifications in the checkpoint, oldest first. */
  def specifications: Seq[String] =
    Files
      .list(driven.checkpoint.resolve("state/0/_window"))
      .iterator
      .asScala
      .map(_.getFileName.toString)
      .filter(_.startsWith("specification"))
      .toSeq
      .sorted
}

object Changing {

  /** The result, or the error of a query that is refused: by `start()` itself, or by its thread. */
  def outcome[A](run: => A): Either[String, A] =
    try Right(run)
    catch {
      case e: StreamingQueryException => Left(e.getCause.getMessage)
      case e: IllegalStateException   => Left(e.getMessage)
    }

  def apply(spark: SparkSession)(first: DataFrame => DataFrame)(check: Changing => Unit): Unit = {
    val changing = new Changing(spark)(first)
    try check(changing)
    finally changing.driven.stop()
  }
}
