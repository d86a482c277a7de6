package dev.sparkwindowing.spark.upserts.postgres

import dev.sparkwindowing.spark.advice.Code
import org.apache.spark.sql.{SparkSession, SparkWindowingBridge}

import java.sql.{Connection, Driver, SQLException}
import java.util.Properties
import scala.util.Try

/** A PostgreSQL server, by its JDBC driver, which is the session's.
  *
  * @param url
  *   `jdbc:postgresql:..`; it may hold a password, so no error shows it
  * @param properties
  *   of the connection, such as `user` and `password`
  */
private[upserts] final class PostgresServer(spark: SparkSession, url: String, properties: Map[String, String]) {
  import PostgresServer._

  private lazy val driver: Driver = SparkWindowingBridge
    .findClass(spark, DriverClass)
    .map(_.getDeclaredConstructor().newInstance().asInstanceOf[Driver])
    .getOrElse {
      throw new IllegalArgumentException(
        s"The session has no JDBC driver of PostgreSQL: the class $DriverClass is not there.\n  " +
          s"""before the session starts: SparkSession.builder.config("spark.jars.packages", "$Package")"""
      )
    }

  /** Host, port and database, without user and password. */
  lazy val place: String = Try(driver.getPropertyInfo(url, new Properties)).toOption.toSeq.flatten.collect {
    case info if Place.contains(info.name) && info.value != null => info.name -> info.value
  }.toMap match {
    case found =>
      s"${found.getOrElse("PGHOST", "localhost")}:${found.getOrElse("PGPORT", "5432")}/${found.getOrElse("PGDBNAME", "")}"
  }

  /** Runs one transaction. A refusal of the server is an IllegalArgumentException with its text. */
  def transaction[A](body: Connection => A): A = refusals {
    val connection = open()
    try {
      connection.setAutoCommit(false)
      val result = body(connection)
      connection.commit()
      result
    } finally connection.close() // without a commit it rolls back
  }

  private def open(): Connection = {
    val settings = new Properties
    properties.foreach { case (name, value) => settings.setProperty(name, value) }
    val loaded = driver // not in Try, which would hide that there is none
    if (!Try(loaded.acceptsURL(url)).getOrElse(false))
      throw new IllegalArgumentException(
        """url is no JDBC address of PostgreSQL, such as "jdbc:postgresql://db.example.com/shop""""
      )
    loaded.connect(url, settings)
  }

  private def refusals[A](body: => A): A =
    try body
    catch {
      case e: SQLException =>
        val text = s"${e.getMessage}".linesIterator.map(_.trim).filter(_.nonEmpty).mkString("; ")
        throw new IllegalArgumentException(s"${Code.name("upsert_to_postgres")}: PostgreSQL says: $text", e)
    }

  /** Copies rows, each with its ending, to a table: `COPY .. FROM STDIN`. */
  def copy(connection: Connection, table: String, lines: Iterator[String]): Unit = {
    val api     = connection.unwrap(driver.getClass.getClassLoader.loadClass("org.postgresql.PGConnection"))
    val manager = api.getClass.getMethod("getCopyAPI").invoke(api)
    val copyIn  = manager.getClass.getMethod("copyIn", classOf[String], classOf[java.io.Reader])
    try copyIn.invoke(manager, s"COPY $table FROM STDIN", new LinesReader(lines))
    catch { case e: java.lang.reflect.InvocationTargetException => throw Option(e.getCause).getOrElse(e) }
  }
}

private[postgres] object PostgresServer {
  private val DriverClass = "org.postgresql.Driver"
  private val Package     = "org.postgresql:postgresql:42.7.8"
  private val Place       = Set("PGHOST", "PGPORT", "PGDBNAME")

  /** Name as SQL writes it. */
  def quoted(name: String): String = "\"" + name.replace("\"", "\"\"") + "\""

  /** Name with its schema. */
  def quoted(schema: String, name: String): String = s"${quoted(schema)}.${quoted(name)}"

  def listed(names: Seq[String]): String = names.map(quoted).mkString(", ")
}
