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
  */
private[sparkwindowing] final case class StateLimits(warn: Long, max: Long) {

  /** Size up to which nothing is checked. */
  val quiet: Long = math.min(warn, max)
}

private[sparkwindowing] object StateLimits {

  /** Settings of the session: numbers of bytes, also as `64m` or `1g`. */
  val WarnSetting = "spark.windowing.state.warnBytes"
  val MaxSetting  = "spark.windowing.state.maxBytes"

  /** 64 MiB and 1 GiB. */
  val Default: StateLimits = StateLimits(64L << 20, BlockWriter.MaxSize.toLong)

  /** Limits of the active session.
    *
    * @throws java.lang.IllegalArgumentException
    *   if one is no positive number of bytes, or the second is more than a block may have
    */
  def ofSession: StateLimits =
    StateLimits(bytes(WarnSetting, Default.warn, Long.MaxValue), bytes(MaxSetting, Default.max, Default.max))

  private def bytes(name: String, default: Long, most: Long): Long =
    Option(SQLConf.get.getConfString(name, null)).fold(default) { text =>
      Try(JavaUtils.byteStringAsBytes(text)).toOption.filter(n => n > 0 && n <= most).getOrElse {
        val range = if (most == Long.MaxValue) "" else s", at most ${most >> 20}m"
        throw new IllegalArgumentException(
          s"$name must be a positive number of bytes such as 64m$range, got '$text': spark.conf.set(\"$name\", \"64m\")"
        )
      }
    }
}
