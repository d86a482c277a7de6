package dev.sparkwindowing.spark.plan

import dev.sparkwindowing.codec.BlockWriter
import org.apache.spark.network.util.JavaUtils
import org.apache.spark.sql.internal.SQLConf

import scala.util.Try

/** Size limits of the state of one key, in bytes.
  *
  * @param warn
  *   above this size the log has a warning, once per key
  * @param max
  *   above this size the query stops
  * @param timerIndex
  *   largest size of the index of timers of a partition; 0 for no index
  */
private[sparkwindowing] final case class StateLimits(warn: Long, max: Long, timerIndex: Long)

private[sparkwindowing] object StateLimits {

  /** Settings of the session: numbers of bytes, also as `64m` or `1g`. */
  val WarnSetting = "spark.windowing.state.warnBytes"
  val MaxSetting  = "spark.windowing.state.maxBytes"

  val TimerIndexSetting = "spark.windowing.timerIndex.maxBytes"

  /** 64 MiB, 1 GiB and 128 MiB. */
  val Default: StateLimits = StateLimits(64L << 20, BlockWriter.MaxSize.toLong, 128L << 20)

  /** Limits of the active session.
    *
    * @throws java.lang.IllegalArgumentException
    *   if one is no positive number of bytes, or the second is more than a block may have
    */
  def ofSession: StateLimits =
    StateLimits(
      bytes(WarnSetting, Default.warn, Long.MaxValue),
      bytes(MaxSetting, Default.max, Default.max),
      bytes(TimerIndexSetting, Default.timerIndex, Long.MaxValue, least = 0)
    )

  private def bytes(name: String, default: Long, most: Long, least: Long = 1): Long =
    Option(SQLConf.get.getConfString(name, null)).fold(default) { text =>
      Try(JavaUtils.byteStringAsBytes(text)).toOption.filter(n => n >= least && n <= most).getOrElse {
        val range = if (most == Long.MaxValue) "" else s", at most ${most >> 20}m"
        throw new IllegalArgumentException(
          s"$name must be a ${if (least > 0) "positive " else ""}number of bytes such as 64m$range, got '$text': " +
            s"""spark.conf.set("$name", "64m")"""
        )
      }
    }
}
