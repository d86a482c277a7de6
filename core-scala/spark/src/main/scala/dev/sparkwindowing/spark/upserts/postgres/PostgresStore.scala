package dev.sparkwindowing.spark.upserts.postgres

import dev.sparkwindowing.spark.upserts.batch.{Changes, UpsertStore, WrittenBatch}
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.functions.col
import org.apache.spark.sql.types.StructType

import scala.jdk.CollectionConverters._

/** A table of PostgreSQL. The transaction of a micro-batch records its number in a table beside it. */
private[upserts] final class PostgresStore(
    spark: SparkSession,
    table: String,
    url: String,
    properties: Map[String, String]
) extends UpsertStore {
  private val server = new PostgresServer(spark, url, properties)

  def place: String = s"$table at ${server.place}"

  def create(result: StructType, keys: Seq[String]): Unit = {
    val columns = PostgresColumn.of(result)
    server.transaction(new PostgresTables(_).create(table, columns, keys))
  }

  def write(changes: Changes, batch: Option[WrittenBatch]): Unit =
    if (changes.bounds().nonEmpty)
      server.transaction { connection =>
        val target = new PostgresTables(connection).open(table, PostgresColumn.of(changes.columns), changes.keys)
        if (batch.forall(target.isNew(connection, _))) {
          val texts = changes.frame.select(target.columns.map(_.text) :+ col("gone").cast("string"): _*)
          target.write(connection) { changes =>
            server.copy(
              connection,
              changes,
              texts.toLocalIterator().asScala.map(row => LinesReader.line(row.toSeq.map(textOf)))
            )
          }
        }
      }

  private def textOf(value: Any): String = value match {
    case text: String => text
    case _            => null
  }
}
