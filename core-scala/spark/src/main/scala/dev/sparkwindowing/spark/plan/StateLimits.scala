package dev.sparkwindowing.spark.plan

import org.apache.spark.network.util.JavaUtils
import org.apache.spark.sql.internal.SQLConf

import scala.util.Try

/** Size limits of the state of one key with its pieces, in bytes, and those of the index of timers.
  *
  * @param warn
  *   above this size the log has a warning, once per key
  * @param max
  *   above this size the query stops
  * @param timerIndex
  *   largest size of the index of timers of a partition; 0 for no index
  * @param savedFrom
  *   number of keys of a partition from which on its state has what a start needs of the index; 0 for never
  */
private[sparkwindowing] final case class StateLimits(warn: Long, max: Long, timerIndex: Long, savedFrom: Long)

private[sparkwindowing] object StateLimits {

  /** Settings of the session: numbers of bytes, also as `64m` or `1g`. */
  val WarnSetting = "spark.windowing.state.warnBytes"
  val MaxSetting  = "spark.windowing.state.maxBytes"

  val TimerIndexSetting = "spark.windowing.timerIndex.maxBytes"

  /** A number of keys. */
  val SavedSetting = "spark.windowing.timerIndex.savedFromKeys"

  /** 64 MiB, no limit, 128 MiB, and 10,000 keys. */
  val Default: StateLimits = StateLimits(64L << 20, Long.MaxValue, 128L << 20, 10000L)

  /** Limits of the active session.
    *
    * @throws java.lang.IllegalArgumentException
    *   if one is no number of bytes or keys, or the first or the second is not positive
    */
  def ofSession: StateLimits =
    StateLimits(
      bytes(WarnSetting, Default.warn, Long.MaxValue),
      bytes(MaxSetting, Default.max, Long.MaxValue),
      bytes(TimerIndexSetting, Default.timerIndex, Long.MaxValue, least = 0),
      keys(SavedSetting, Default.savedFrom)
    )

  private def keys(name: String, default: Long): Long =
    Option(SQLConf.get.getConfString(name, null)).fold(default) { text =>
      Try(text.trim.toLong).toOption.filter(_ >= 0).getOrElse {
        throw new IllegalArgumentException(
          s"$name must be a number of keys such as $default, got '$text': " +
            s"""spark.conf.set("$name", "$default")"""
        )
      }
    }

  /** A setting that is a number of bytes. */
  private[plan] def bytes(
      name: String,
      default: Long,
      most: Long,
      least: Long = 1,
      example: String = "64m"
  ): Long =
    Option(SQLConf.get.getConfString(name, null)).fold(default) { text =>
      Try(JavaUtils.byteStringAsBytes(text)).toOption.filter(n => n >= least && n <= most).getOrElse {
        val range = if (most == Long.MaxValue) "" else s", at most ${most >> 20}m"
        throw new IllegalArgumentException(
          s"$name must be a ${if (least > 0) "positive " else ""}number of bytes such as $example$range, got '$text': " +
            s"""spark.conf.set("$name", "$example")"""
        )
      }
    }
}
