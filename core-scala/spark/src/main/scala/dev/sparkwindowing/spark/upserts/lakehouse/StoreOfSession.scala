package dev.sparkwindowing.spark.upserts.lakehouse

import org.apache.spark.sql.{SparkSession, SparkWindowingBridge}

import scala.util.control.NonFatal

/** Needs of a format of tables in a session: the jar, the settings, and the lines that bring them.
  *
  * @param format
  *   its name in errors
  * @param entry
  *   a class of its jar
  * @param packages
  *   by line of Spark, the newest last
  */
private[lakehouse] final class StoreOfSession(
    spark: SparkSession,
    format: String,
    entry: String,
    packages: Seq[(String, String)],
    settings: Seq[(String, String)]
) {

  /** Runs a statement, and explains its failure if the session lacks the format.
    *
    * @param unset
    *   what the session lacks beside the jar; None if nothing
    */
  def explained[A](unset: => Option[String])(body: => A): A =
    try body
    catch {
      case error: Throwable if NonFatal(error) || error.isInstanceOf[LinkageError] =>
        problem(error, unset).foreach(text => throw new IllegalArgumentException(s"$text\n  $remedy", error))
        throw error
    }

  /** Refuses a session that lacks the jar, or what else is needed. */
  def check(unset: => Option[String]): Unit =
    (if (hasJar) unset else Some(noJar)).foreach(text => throw new IllegalArgumentException(s"$text\n  $remedy"))

  private def hasJar = SparkWindowingBridge.findClass(spark, entry).nonEmpty
  private def noJar  = s"The session has no $format: its jars are not there."

  private def problem(error: Throwable, unset: => Option[String]): Option[String] =
    if (!hasJar) Some(noJar)
    else
      unset.orElse(
        if (causes(error).exists(_.isInstanceOf[LinkageError]))
          Some(s"The $format of the session was built for another Spark than ${spark.version}.")
        else None
      )

  private def causes(error: Throwable) = Iterator.iterate(error)(_.getCause).takeWhile(_ != null).take(20)

  private def remedy: String = {
    val own          = packages.find { case (line, _) => spark.version.startsWith(s"$line.") }
    val (line, name) = own.getOrElse(packages.last)
    val calls        = (("spark.jars.packages" -> name) +: settings).map { case (key, value) =>
      s""".config("$key", "$value")"""
    }
    val other = if (own.isEmpty) s"""pip install "pyspark==$line.*"; """ else ""
    s"${other}on Spark $line, before the session starts: SparkSession.builder${calls.mkString}"
  }
}
