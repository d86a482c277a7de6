package dev.sparkwindowing.spark.links

import org.apache.spark.sql.internal.SQLConf

import java.util.Locale

/** Setting of the session for the operator that runs the windows of a stream. It overrules the check of links. */
private[sparkwindowing] object OperatorSetting {
  val Name = "spark.windowing.operator"

  /** The operator that extends Spark's. */
  val Native = "native"

  /** The one inside Spark's public `flatMapGroupsWithState`. */
  val Portable = "portable"

  /** The value in the active session; None to have the operator chosen.
    *
    * @throws java.lang.IllegalArgumentException
    *   if the setting names no operator
    */
  def ofSession: Option[String] = Option(SQLConf.get.getConfString(Name, null)).map { value =>
    val operator = value.trim.toLowerCase(Locale.ROOT)
    if (operator != Native && operator != Portable)
      throw new IllegalArgumentException(
        s"$Name must be native or portable, got '$value': " +
          s"""spark.conf.set("$Name", "portable"), or spark.conf.unset("$Name") to have it chosen"""
      )
    operator
  }
}
