package dev.sparkwindowing.spark.upserts.lakehouse

import dev.sparkwindowing.spark.plan.OutputLayout.Pane
import dev.sparkwindowing.spark.upserts.batch.Changes
import dev.sparkwindowing.spark.upserts.batch.Changes.quoted
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.types.{DataType, StructType}

import java.util.{Locale, UUID}

/** A table of a catalog of Spark that is changed by MERGE.
  *
  * @param name
  *   as in Spark SQL
  */
private[lakehouse] final class MergeTable(spark: SparkSession, name: String) {

  def createIfAbsent(columns: StructType, format: String): Unit =
    spark.sql(s"CREATE TABLE IF NOT EXISTS $name (${columns.toDDL}) USING $format")

  /** The columns of a result that are in the table.
    *
    * @throws java.lang.IllegalArgumentException
    *   if the table lacks another one than the pane, or a field of the pane
    */
  def columns(result: StructType): Seq[String] = {
    val fold    = if (spark.conf.get("spark.sql.caseSensitive") == "true") identity[String] _ else lower
    val table   = spark.table(name).schema
    val there   = table.fieldNames.map(fold).toSet
    val missing = result.filterNot(field => there(fold(field.name)) || field.name == Pane)
    if (missing.nonEmpty) {
      val types = missing.map(field => s"${quoted(field.name)} ${field.dataType.sql}")
      throw new IllegalArgumentException(
        s"the table has no such columns: ALTER TABLE $name ADD COLUMNS (${types.mkString(", ")})"
      )
    }
    for { pane <- result.find(_.name == Pane); kept <- table.find(field => fold(field.name) == Pane) }
      checkPane(pane.dataType, kept.dataType)
    result.fieldNames.toSeq.filter(column => there(fold(column)))
  }

  // A query that begins to fill windows without rows has one more field.
  private def checkPane(pane: DataType, kept: DataType): Unit = (pane, kept) match {
    case (StructType(fields), there: StructType) =>
      val missing = fields.filterNot(field => there.exists(_.name.equalsIgnoreCase(field.name)))
      if (missing.nonEmpty) {
        val types = missing.map(field => s"$Pane.${field.name} ${field.dataType.sql}")
        throw new IllegalArgumentException(
          s"the column $Pane of the table has no such fields: ALTER TABLE $name ADD COLUMNS (${types.mkString(", ")})"
        )
      }
    case _ => ()
  }

  private def lower: String => String = _.toLowerCase(Locale.ROOT)

  /** Writes changes in one statement.
    *
    * @param bounds
    *   the least and the greatest start of their windows as SQL, by which files are skipped; Nil if there are none
    */
  def merge(changes: Changes, bounds: Seq[String]): Unit = {
    val columns = this.columns(changes.columns).map(quoted)
    val view    = s"changes_${UUID.randomUUID().toString.replace("-", "")}"
    val same    = changes.keys.map(quoted).map(key => s"target.$key <=> change.row.$key") :+
      "target.window <=> change.window"
    val near = if (bounds.isEmpty) Nil else Seq(s"target.window.start BETWEEN ${bounds.mkString(" AND ")}")
    changes.frame.createOrReplaceTempView(view)
    try
      spark.sql(
        s"""MERGE INTO $name AS target USING $view AS change ON ${(same ++ near).mkString(" AND ")}
           |WHEN MATCHED AND change.gone THEN DELETE
           |WHEN MATCHED THEN UPDATE SET ${columns.map(c => s"target.$c = change.row.$c").mkString(", ")}
           |WHEN NOT MATCHED AND NOT change.gone THEN INSERT (${columns.mkString(", ")})
           |VALUES (${columns.map(c => s"change.row.$c").mkString(", ")})""".stripMargin
      )
    finally spark.catalog.dropTempView(view)
  }
}
