package dev.sparkwindowing.spark.upserts

import dev.sparkwindowing.spark.advice.Code
import dev.sparkwindowing.spark.upserts.batch.UpsertStore
import dev.sparkwindowing.spark.upserts.lakehouse.{DeltaStore, IcebergStore}
import dev.sparkwindowing.spark.upserts.postgres.PostgresStore
import org.apache.spark.sql.SparkSession

/** Options of the sink: `store`, `table`, and for PostgreSQL `url`; all others are properties of its connection. */
private[sparkwindowing] final case class UpsertOptions(
    store: String,
    table: String,
    url: Option[String] = None,
    properties: Map[String, String] = Map.empty
) {

  /** Name of the function that writes to such a table, for errors. */
  def function: Code = Code.name(s"upsert_to_$store")

  def open(spark: SparkSession): UpsertStore = UpsertOptions.stores(store)(spark, this)
}

private[sparkwindowing] object UpsertOptions {

  private val stores: Map[String, (SparkSession, UpsertOptions) => UpsertStore] = Map(
    "delta"    -> ((spark, o) => new DeltaStore(spark, o.table)),
    "iceberg"  -> ((spark, o) => new IcebergStore(spark, o.table)),
    "postgres" -> ((spark, o) => new PostgresStore(spark, o.table, o.url.getOrElse(""), o.properties))
  )

  /** @param options
    *   names in any case
    * @throws java.lang.IllegalArgumentException
    *   if one is missing or unknown
    */
  def of(options: Map[String, String]): UpsertOptions = {
    val known = options.map { case (name, value) => name.toLowerCase(java.util.Locale.ROOT) -> value }
    val store = known.getOrElse("store", missing("store", s"is one of ${names.mkString(", ")}"))
    if (!stores.contains(store))
      throw new IllegalArgumentException(s"the option store must be one of ${names.mkString(", ")}, got $store")
    val table  = known.getOrElse("table", missing("table", "is the name of the table"))
    val others = options.filterNot { case (name, _) =>
      Set("store", "table", "url", "keys", "batchid", "path", "checkpointlocation", "queryname")(
        name.toLowerCase(java.util.Locale.ROOT)
      )
    }
    if (store != "postgres" && (others.nonEmpty || known.contains("url")))
      throw new IllegalArgumentException(
        s"the store $store takes no option ${(others.keys ++ known.get("url").map(_ => "url")).mkString(", ")}: its options are store and table"
      )
    if (store == "postgres" && !known.contains("url"))
      missing("url", """is the address of the database, "jdbc:postgresql://db.example.com/shop"""")
    UpsertOptions(store, table, known.get("url"), others)
  }

  private def names = stores.keys.toSeq.sorted

  private def missing(option: String, what: String) =
    throw new IllegalArgumentException(s"""the option $option is missing: .option("$option", ..) $what""")
}
