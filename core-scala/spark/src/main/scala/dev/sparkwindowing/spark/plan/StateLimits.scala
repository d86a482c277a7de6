package dev.sparkwindowing.spark.plan

import dev.sparkwindowing.codec.BlockWriter
import org.apache.spark.network.util.JavaUtils
import org.apache.spark.sql.internal.SQLConf

import scala.util.Try

/** How many bytes the state of one key may have.
  *
  * @param warn
  *   beyond this many the log says so, once a key
  * @param max
  *   beyond this many the query stops
  */
private[sparkwindowing] final case class StateLimits(warn: Long, max: Long) {

  /** Up to here there is nothing to say. */
  val quiet: Long = math.min(warn, max)
}

private[sparkwindowing] object StateLimits {

  /** The settings of the session: numbers of bytes, also as `64m` or `1g`. */
  val WarnSetting = "spark.windowing.state.warnBytes"
  val MaxSetting  = "spark.windowing.state.maxBytes"

  /** 64 MiB and 1 GiB. */
  val Default: StateLimits = StateLimits(64L << 20, BlockWriter.MaxSize.toLong)

  /** Those of the session at hand.
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
