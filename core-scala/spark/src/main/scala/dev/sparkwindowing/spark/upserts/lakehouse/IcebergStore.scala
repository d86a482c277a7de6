package dev.sparkwindowing.spark.upserts.lakehouse

import dev.sparkwindowing.spark.advice.Code
import dev.sparkwindowing.spark.upserts.batch.{Changes, UpsertStore, WrittenBatch}
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.parser.CatalystSqlParser
import org.apache.spark.sql.types.StructType

/** A table of Apache Iceberg. The snapshot that a micro-batch makes has its number among its properties. */
private[upserts] final class IcebergStore(spark: SparkSession, table: String) extends UpsertStore {
  import IcebergStore._

  private val target = new MergeTable(spark, table)
  private val needed = new StoreOfSession(spark, "Iceberg", Catalog, Packages, Settings)

  def place: String = table

  def create(result: StructType, keys: Seq[String]): Unit = {
    needed.check(unset)
    val provider = needed.explained(unset) {
      target.createIfAbsent(result, "iceberg")
      spark
        .sql(s"DESCRIBE TABLE EXTENDED $table")
        .where("col_name = 'Provider'")
        .select("data_type")
        .head()
        .getString(0)
    }
    if (provider != "iceberg")
      throw new IllegalArgumentException(
        s"${Code.name("upsert_to_iceberg")} writes Iceberg tables, and $table is in format $provider"
      )
    target.columns(result)
  }

  def write(changes: Changes, batch: Option[WrittenBatch]): Unit = changes.bounds().foreach { bounds =>
    needed.explained(unset) {
      // The session keeps a table for some seconds as it was, and others write it too.
      spark.sql(s"REFRESH TABLE $table")
      if (!batch.exists(isWritten)) {
        val properties = batch.fold(Map.empty[String, String])(b => Map(Query -> b.query, Batch -> b.id.toString))
        CommitProperties.within(spark, properties)(target.merge(changes, bounds))
      }
    }
  }

  // Snapshots of compactions have no such properties, and expired ones are not needed: see the docs.
  private def isWritten(batch: WrittenBatch): Boolean = {
    val last = spark
      .sql(
        s"SELECT max(CAST(summary['$Batch'] AS BIGINT)) FROM $table.snapshots WHERE summary['$Query'] = '${batch.query}'"
      )
      .head()
    !last.isNullAt(0) && last.getLong(0) >= batch.id
  }

  private def unset: Option[String] = {
    def classOf(catalog: String) = spark.conf.getOption(s"spark.sql.catalog.$catalog")
    val catalog                  = CatalystSqlParser.parseMultipartIdentifier(table) match {
      case first +: _ +: _ if classOf(first).nonEmpty => first
      case _                                          => spark.catalog.currentCatalog()
    }
    if (classOf(catalog).exists(_.contains("iceberg") || catalog != OwnCatalog)) None
    else Some(s"The table $table is in a catalog of Spark's own, which has no Iceberg tables.")
  }
}

private object IcebergStore {
  private val Query      = "spark-windowing.query-id"
  private val Batch      = "spark-windowing.batch-id"
  private val OwnCatalog = "spark_catalog"
  private val Catalog    = "org.apache.iceberg.spark.SparkCatalog"

  private val Packages = Seq(
    "3.5" -> "org.apache.iceberg:iceberg-spark-runtime-3.5_2.12:1.10.0",
    "4.0" -> "org.apache.iceberg:iceberg-spark-runtime-4.0_2.13:1.10.0",
    "4.1" -> "org.apache.iceberg:iceberg-spark-runtime-4.1_2.13:1.11.0" // none for 4.2 yet
  )
  private val Settings = Seq(
    "spark.sql.extensions"             -> "org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions",
    "spark.sql.catalog.lake"           -> Catalog,
    "spark.sql.catalog.lake.type"      -> "hadoop",
    "spark.sql.catalog.lake.warehouse" -> "/data/lake"
  )
}
