package dev.sparkwindowing.testing

/** Times of the scenario files: whole milliseconds as a number, or text as `10 s` and `-8 h`. */
object Durations {
  private val units = Map("ms" -> 1L, "s" -> 1000L, "min" -> 60000L, "h" -> 3600000L, "d" -> 86400000L)
  private val text  = """(-?\d+) *([a-z]+)""".r

  def millis(value: Any): Long = value match {
    case n: java.lang.Number => n.longValue
    case other               => ofText(other.toString)
  }

  private def ofText(value: String): Long = value match {
    case text(n, unit) if units.contains(unit) => Math.multiplyExact(n.toLong, units(unit))
    case _ => throw new IllegalArgumentException(s"not a time: $value; write 10 s, or milliseconds as a number")
  }
}
