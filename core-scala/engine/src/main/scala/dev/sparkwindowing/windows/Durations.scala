package dev.sparkwindowing.windows

import java.math.BigDecimal
import java.time.Duration
import scala.util.Try

/** Durations written as text, as in Spark. */
object Durations {

  private val Units = Map(
    "millisecond" -> 1L,
    "second"      -> 1000L,
    "minute"      -> 60000L,
    "hour"        -> 3600000L,
    "day"         -> 86400000L,
    "week"        -> 604800000L
  )
  private val Short =
    Map("d" -> "day", "h" -> "hour", "min" -> "minute", "s" -> "second", "ms" -> "millisecond")

  private val Part  = """([+-]?[0-9]{1,100}(?:\.[0-9]{1,100})?)\s*([a-z]+)"""
  private val Parts = Part.r
  private val Whole = s"""\\s*$Part(?:\\s+$Part)*\\s*"""

  /** Reads text such as "5 minutes" or "1 hour 30 minutes": numbers with units, which are added up. It may be negative.
    *
    * @param text
    *   units are milliseconds (ms), seconds (s), minutes (min), hours (h), days (d, of 24 hours) and weeks; only
    *   seconds may have a fraction
    * @return
    *   a whole number of milliseconds
    * @throws java.lang.IllegalArgumentException
    *   if the text is no duration, is finer than a millisecond, or does not fit into a Long of milliseconds
    */
  def of(text: String): Duration = {
    if (text == null) throw new NullPointerException("a duration must not be null")
    val lower = text.toLowerCase(java.util.Locale.ROOT)
    if (!lower.matches(Whole)) refuse(text)
    val millis =
      Parts.findAllMatchIn(lower).map(part => millisOf(part.group(1), part.group(2), text)).reduce(_ add _)
    Try(Duration.ofMillis(millis.longValueExact)).getOrElse {
      throw new IllegalArgumentException(
        if (millis.stripTrailingZeros.scale <= 0) s"the duration '$text' is too long"
        else s"a duration must be a whole number of milliseconds, got '$text'"
      )
    }
  }

  private def millisOf(number: String, word: String, text: String): BigDecimal = {
    val unit = Short.getOrElse(word, word.stripSuffix("s"))
    if (number.contains('.') && unit != "second") refuse(text)
    new BigDecimal(number).multiply(BigDecimal.valueOf(Units.getOrElse(unit, refuse(text))))
  }

  private def refuse(text: String): Nothing = throw new IllegalArgumentException(
    s"""a duration is text such as "5 minutes" or "1 hour 30 minutes", got '$text'. Units: milliseconds (ms), seconds (s), """ +
      "minutes (min), hours (h), days (d; of 24 hours), weeks. Months and years have no fixed length; a bare number has no " +
      "unit; only seconds may have a fraction"
  )
}
