package dev.sparkwindowing.windows

import java.time.Duration

/** Durations as whole milliseconds. */
object Millis {

  /** The time `lateness` after the last millisecond of a window; `Long.MaxValue`, which is never, beyond the range. */
  def cleanupOf(maxTimestamp: Long, lateness: Long): Long = {
    val time = maxTimestamp + lateness
    if (time >= maxTimestamp) time else Long.MaxValue
  }

  /** The milliseconds of `value`; `name` is the argument that an error names.
    *
    * @throws java.lang.IllegalArgumentException
    *   if the duration does not fit into a Long of milliseconds or has a part below a millisecond
    */
  def of(name: String, value: Duration): Long = {
    if (value == null) throw new NullPointerException(s"$name must not be null")
    if (value.getNano % 1000000 != 0)
      throw new IllegalArgumentException(s"$name must be a whole number of milliseconds, got $value")
    try value.toMillis
    catch {
      case _: ArithmeticException => throw new IllegalArgumentException(s"$name is too long: $value")
    }
  }

  /** The milliseconds of a duration that must be positive.
    *
    * @throws java.lang.IllegalArgumentException
    *   if it is not
    */
  def positive(name: String, value: Duration): Long = {
    val millis = of(name, value)
    if (millis <= 0) throw new IllegalArgumentException(s"$name must be positive, got ${show(millis)}")
    millis
  }

  /** Refuses durations that do not fit together: the error names each. */
  private[sparkwindowing] def refuse(rule: String, durations: (String, Long)*): Nothing =
    throw new IllegalArgumentException(
      durations.map { case (name, value) => s"$name = ${show(value)}" }.mkString(s"$rule, got ", ", ", "")
    )

  /** Text of `value` in the largest unit that divides it. */
  def show(value: Long): String = {
    val units = Seq(86400000L -> "d", 3600000L -> "h", 60000L -> "min", 1000L -> "s", 1L -> "ms")
    if (value == 0) "0 ms"
    else units.collectFirst { case (unit, name) if value % unit == 0 => s"${value / unit} $name" }.getOrElse("0 ms")
  }
}
