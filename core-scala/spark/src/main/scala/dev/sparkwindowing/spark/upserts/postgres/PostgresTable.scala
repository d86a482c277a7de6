package dev.sparkwindowing.spark.upserts.postgres

import dev.sparkwindowing.spark.upserts.batch.WrittenBatch

import java.sql.Connection

/** A table with the columns that are written, and those that identify its rows. */
private[postgres] final case class PostgresTable(
    schema: String,
    name: String,
    columns: Seq[PostgresColumn],
    keys: Seq[String]
) {
  import PostgresServer.{listed, quoted}
  import PostgresTable._

  /** The columns by which rows are unique. */
  def identity: Seq[String] = PostgresColumn.Bounds ++ keys

  /** Records a micro-batch; false if the table has it or a later one of its query. */
  def isNew(connection: Connection, batch: WrittenBatch): Boolean = {
    val statement = connection.prepareStatement(
      s"INSERT INTO ${quoted(schema, Batches)} AS known (query_id, table_name, batch_id) VALUES (?, ?, ?) " +
        "ON CONFLICT (query_id, table_name) DO UPDATE SET batch_id = excluded.batch_id " +
        "WHERE known.batch_id < excluded.batch_id"
    )
    statement.setString(1, batch.query)
    statement.setString(2, name)
    statement.setLong(3, batch.id)
    statement.executeUpdate() == 1
  }

  /** Writes changes within a transaction.
    *
    * @param copy
    *   copies rows to a table: the columns, and whether the window is gone
    */
  def write(connection: Connection)(copy: String => Unit): Unit = {
    val target  = quoted(schema, this.name)
    val changes = quoted("pg_temp", "spark_windowing_changes")
    val names   = columns.map(_.name)
    // Merged windows have bounds: a comparison by "=" finds them by the index, which begins with the bounds.
    val same = PostgresColumn.Bounds.map(c => s"t.${quoted(c)} = c.${quoted(c)}") ++
      keys.map(c => s"t.${quoted(c)} IS NOT DISTINCT FROM c.${quoted(c)}")
    val run = connection.createStatement().execute(_: String)
    run(
      s"CREATE TEMPORARY TABLE spark_windowing_changes ON COMMIT DROP AS " +
        s"SELECT ${listed(names)}, false AS $Gone FROM $target WITH NO DATA" // with the types of the table
    )
    copy(changes)
    run(s"ANALYZE $changes") // how many are gone decides how they are found
    run(s"DELETE FROM $target AS t USING $changes AS c WHERE c.$Gone AND ${same.mkString(" AND ")}")
    run(
      s"INSERT INTO $target (${listed(names)}) SELECT ${listed(names)} FROM $changes WHERE NOT $Gone " +
        s"ON CONFLICT (${listed(identity)}) DO UPDATE SET " +
        names.map(n => s"${quoted(n)} = excluded.${quoted(n)}").mkString(", ")
    )
  }
}

private[postgres] object PostgresTable {

  /** The table with the last micro-batch of each query and table. */
  val Batches = "spark_windowing_batches"

  private val Gone = PostgresServer.quoted("spark_windowing_gone")
}
