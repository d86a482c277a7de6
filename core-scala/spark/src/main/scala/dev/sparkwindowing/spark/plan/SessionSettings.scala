package dev.sparkwindowing.spark.plan

import org.apache.spark.sql.internal.SQLConf

/** Spark settings that windows on a stream require. */
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
          s"Type spark.conf.set(\"${setting.key}\", \"${setting.allowed}\") before the query starts; a checkpoint keeps " +
          "the value that its query began with"
      )
  }
}
