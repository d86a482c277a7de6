package dev.sparkwindowing.spark.plan

import org.apache.spark.sql.internal.SQLConf

import java.util.Locale

/** Settings of the active session: those of Spark that windows on a stream require, and flags of this project. */
private[spark] object SessionSettings {

  /** @param allowed
    *   the only allowed value
    * @param otherwise
    *   the effect of another value
    */
  final case class Setting(key: String, allowed: String, otherwise: String)

  val All: Seq[Setting] = Seq(
    Setting(
      "spark.sql.streaming.statefulOperator.allowMultiple",
      "true",
      "the watermark would never pass from one micro-batch to the next, so no window would fire"
    ),
    Setting(
      "spark.sql.streaming.stateStore.encodingFormat",
      "unsaferow",
      "Spark has no such form for the state of windows"
    )
  )

  /** @throws java.lang.IllegalArgumentException for a setting with another value; the message says what to type */
  def check(conf: SQLConf): Unit = All.foreach { setting =>
    val value = conf.getConfString(setting.key, setting.allowed)
    if (!value.trim.equalsIgnoreCase(setting.allowed))
      throw new IllegalArgumentException(
        s"windows on a stream need ${setting.key} to be ${setting.allowed}, got '$value': ${setting.otherwise}. " +
          s"""Type spark.conf.set("${setting.key}", "${setting.allowed}") before the query starts; a checkpoint keeps """ +
          "the value that its query began with"
      )
  }

  /** The value of a flag of this project, true by default.
    *
    * @throws java.lang.IllegalArgumentException
    *   if it is neither true nor false
    */
  def flag(name: String): Boolean = {
    val value = SQLConf.get.getConfString(name, "true")
    value.toLowerCase(Locale.ROOT) match {
      case "true"  => true
      case "false" => false
      case _       =>
        throw new IllegalArgumentException(
          s"""$name must be true or false, got '$value': spark.conf.set("$name", "true")"""
        )
    }
  }
}
