package dev.sparkwindowing.spark.upserts

import com.fasterxml.jackson.databind.ObjectMapper
import dev.sparkwindowing.spark.advice.Face
import org.apache.spark.sql.execution.streaming.Sink
import org.apache.spark.sql.sources.{BaseRelation, CreatableRelationProvider, DataSourceRegister, StreamSinkProvider}
import org.apache.spark.sql.streaming.OutputMode
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.{DataFrame, SQLContext, SaveMode, SparkWindowingBridge}

import scala.jdk.CollectionConverters._

/** The format `windows-upsert`: one row a key and window in a table, for `writeStream`, and for `write` of a result or
  * of a micro-batch in `foreachBatch`.
  *
  * {{{
  * result.writeStream.format("windows-upsert").option("store", "delta").option("table", "clicks").start()
  * }}}
  */
final class UpsertSinkProvider extends StreamSinkProvider with CreatableRelationProvider with DataSourceRegister {

  override def shortName(): String = UpsertSinkProvider.Format

  override def createSink(
      context: SQLContext,
      options: Map[String, String],
      partitions: Seq[String],
      mode: OutputMode
  ): Sink = {
    UpsertSinkProvider.checkPartitions(partitions)
    new UpsertSink(UpsertOptions.of(options))
  }

  /** Writes the rows. With the options `keys`, JSON of a list, and `batchId` they are a micro-batch, else a result. */
  override def createRelation(
      context: SQLContext,
      mode: SaveMode,
      options: Map[String, String],
      rows: DataFrame
  ): BaseRelation = Face.Python.use {
    if (mode != SaveMode.Append)
      throw new IllegalArgumentException(
        s"""the format ${UpsertSinkProvider.Format} changes rows of a table, and $mode is no way to do so: .mode("append")"""
      )
    val chosen = UpsertOptions.of(options)
    val names  = options.map { case (name, value) => name.toLowerCase(java.util.Locale.ROOT) -> value }
    val upsert = names.get("keys") match {
      case Some(keys) =>
        Upsert.again(chosen, new ObjectMapper().readTree(keys).elements.asScala.map(_.textValue).toSeq)
      case None => Upsert.of(rows, chosen)
    }
    upsert.write(rows, names.get("batchid").fold(0L)(_.toLong))
    new BaseRelation {
      override def sqlContext: SQLContext = context
      override def schema: StructType     = rows.schema
    }
  }
}

private[upserts] object UpsertSinkProvider {
  val Format = "windows-upsert"

  def checkPartitions(columns: Seq[String]): Unit =
    if (columns.nonEmpty)
      throw new IllegalArgumentException(
        s"the format $Format writes to a table that may have partitions, and makes none: leave out .partitionBy(..)"
      )
}

/** The sink of a query. Its table is created with the first micro-batch, which shows the result. */
private[upserts] final class UpsertSink(options: UpsertOptions) extends Sink {
  private[this] var upsert: Option[Upsert] = None

  override def addBatch(id: Long, batch: DataFrame): Unit = {
    if (upsert.isEmpty) upsert = Some(Upsert.of(batch, options))
    upsert.foreach(_.write(SparkWindowingBridge.static(batch), id))
  }

  override def toString: String = s"${UpsertSinkProvider.Format}[${options.store} ${options.table}]"
}
