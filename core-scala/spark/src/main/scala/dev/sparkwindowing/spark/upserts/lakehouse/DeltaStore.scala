package dev.sparkwindowing.spark.upserts.lakehouse

import dev.sparkwindowing.spark.advice.Code
import dev.sparkwindowing.spark.upserts.batch.{Changes, UpsertStore, WrittenBatch}
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.types.StructType

/** A table of Delta Lake. Its log has the micro-batch as a transaction of an application, which Delta writes once. */
private[upserts] final class DeltaStore(spark: SparkSession, table: String) extends UpsertStore {
  import DeltaStore._

  private val target = new MergeTable(spark, table)
  private val needed = new StoreOfSession(spark, "Delta Lake", Extension, Packages, Settings)

  def place: String = table

  def create(result: StructType, keys: Seq[String]): Unit = {
    val format = needed.explained(unset) {
      target.createIfAbsent(result, "delta")
      spark.sql(s"DESCRIBE DETAIL $table").select("format").head().getString(0)
    }
    if (format != "delta")
      throw new IllegalArgumentException(
        s"${Code.name("upsert_to_delta")} writes Delta tables, and $table is in format $format"
      )
    target.columns(result)
  }

  def write(changes: Changes, batch: Option[WrittenBatch]): Unit = changes.bounds().foreach { bounds =>
    val transaction = batch.toSeq.flatMap { b =>
      Seq(Application -> s"spark-windowing ${b.query}", Version -> b.id.toString)
    }
    needed.explained(unset)(withSettings(transaction)(target.merge(changes, bounds)))
  }

  private def withSettings(settings: Seq[(String, String)])(body: => Unit): Unit = {
    val before = settings.map { case (name, _) => name -> spark.conf.getOption(name) }
    settings.foreach { case (name, value) => spark.conf.set(name, value) }
    try body
    finally before.foreach { case (name, value) => value.fold(spark.conf.unset(name))(spark.conf.set(name, _)) }
  }

  private def unset: Option[String] = {
    val names = Settings.collect { case (name, value) if !spark.conf.get(name, "").contains(value) => name }
    if (names.isEmpty) None
    else Some(s"The session has the jars of Delta Lake, but not its ${names.mkString(" and ")}.")
  }
}

private object DeltaStore {
  private val Application = "spark.databricks.delta.write.txnAppId"
  private val Version     = "spark.databricks.delta.write.txnVersion"
  private val Extension   = "io.delta.sql.DeltaSparkSessionExtension"

  private val Settings = Seq(
    "spark.sql.extensions"            -> Extension,
    "spark.sql.catalog.spark_catalog" -> "org.apache.spark.sql.delta.catalog.DeltaCatalog"
  )
  private val Packages = ("3.5" -> "io.delta:delta-spark_2.12:3.3.2") +:
    Seq("4.0", "4.1", "4.2").map(line => line -> s"io.delta:delta-spark_${line}_2.13:4.4.0") // none for 4.3 yet
}
