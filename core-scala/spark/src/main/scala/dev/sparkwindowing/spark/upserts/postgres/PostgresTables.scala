package dev.sparkwindowing.spark.upserts.postgres

import dev.sparkwindowing.spark.advice.Code
import dev.sparkwindowing.spark.plan.OutputLayout.Pane

import java.sql.{Connection, SQLException}
import scala.collection.mutable.ArrayBuffer

/** Looks up tables by their names in SQL, and makes those that are not there. */
private[postgres] final class PostgresTables(connection: Connection) {
  import PostgresServer.{listed, quoted}

  /** Creates the table if it does not exist, and checks it, within the transaction.
    *
    * @throws java.lang.IllegalArgumentException
    *   if `name` is not the name of a table, or the table lacks a column or the uniqueness of its rows
    */
  def create(name: String, columns: Seq[PostgresColumn], keys: Seq[String]): Unit = {
    val parts = parsed(name)
    if (found(name).isEmpty) {
      val definitions = columns.map(c => s"${quoted(c.name)} ${c.sqlType}") :+
        s"UNIQUE NULLS NOT DISTINCT (${listed(PostgresColumn.Bounds ++ keys)})"
      run(s"CREATE TABLE IF NOT EXISTS ${parts.map(quoted(_)).mkString(".")} (${definitions.mkString(", ")})")
    }
    val table   = open(name, columns, keys)
    val batches = quoted(table.schema, PostgresTable.Batches)
    if (found(batches).isEmpty)
      run(
        s"CREATE TABLE IF NOT EXISTS $batches " +
          "(query_id text, table_name text, batch_id bigint NOT NULL, PRIMARY KEY (query_id, table_name))"
      )
    checkWritable(name, table)
  }

  /** The table as it is.
    *
    * @throws java.lang.IllegalArgumentException
    *   if it lacks another column than the pane
    */
  def open(name: String, columns: Seq[PostgresColumn], keys: Seq[String]): PostgresTable = {
    val (schema, relation) = found(name).getOrElse {
      val parts = parsed(name)
      parts.head -> parts.last
    }
    val description =
      connection.createStatement().executeQuery(s"SELECT * FROM ${quoted(schema, relation)} LIMIT 0").getMetaData
    val known   = (1 to description.getColumnCount).map(description.getColumnName).toSet
    val missing = columns.filterNot(column => known(column.name) || column.name == Pane)
    if (missing.nonEmpty) {
      val additions = missing.map(c => s"ADD COLUMN ${quoted(c.name)} ${c.sqlType}").mkString(", ")
      throw new IllegalArgumentException(s"the table has no such columns: ALTER TABLE $name $additions")
    }
    PostgresTable(schema, relation, columns.filter(column => known(column.name)), keys)
  }

  // Writes no row: PostgreSQL checks the statements without rows too.
  private def checkWritable(name: String, table: PostgresTable): Unit = {
    val before = connection.setSavepoint()
    try table.write(connection)(_ => ())
    catch {
      case e: SQLException if e.getSQLState == "42P10" =>
        throw new IllegalArgumentException(
          s"the rows of the table are not unique by window and key: ALTER TABLE $name " +
            s"ADD UNIQUE NULLS NOT DISTINCT (${listed(table.identity)})"
        )
    }
    connection.rollback(before)
  }

  private def parsed(name: String): Seq[String] = {
    val before = connection.setSavepoint()
    val names  =
      try texts("SELECT unnest(parse_ident(?))", name).map(_.head)
      catch {
        case e: SQLException if e.getSQLState == "22023" =>
          connection.rollback(before)
          Nil
      }
    if (names.size != 1 && names.size != 2)
      throw new IllegalArgumentException(
        s"""${Code.name("upsert_to_postgres")} takes the name of a table, "clicks" or "shop.clicks", got ${Code.text(
            name
          )}"""
      )
    names
  }

  /** Schema and name of a table. */
  private def found(name: String): Option[(String, String)] = texts(
    "SELECT nspname, relname FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace " +
      "WHERE pg_class.oid = to_regclass(?)",
    name
  ).headOption.map(row => row.head -> row.last)

  private def texts(query: String, parameter: String): Seq[Seq[String]] = {
    val statement = connection.prepareStatement(query)
    statement.setString(1, parameter)
    val rows  = statement.executeQuery()
    val count = rows.getMetaData.getColumnCount
    val all   = ArrayBuffer.empty[Seq[String]]
    while (rows.next()) all += (1 to count).map(rows.getString)
    all.toSeq
  }

  private def run(statement: String): Unit = connection.createStatement().execute(statement)
}
