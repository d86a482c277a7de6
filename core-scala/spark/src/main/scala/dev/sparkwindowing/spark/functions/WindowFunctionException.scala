package dev.sparkwindowing.spark.functions

import scala.util.control.NonFatal

/** A user's function failed; the message says which, and for which key and window. The query stops, and goes on from
  * its checkpoint when the function is mended.
  */
final class WindowFunctionException private[spark] (message: String, cause: Throwable)
    extends RuntimeException(message, cause)

/** A part of a query that a user wrote failed; the operator adds key and window.
  *
  * @param what
  *   names the part
  */
private[sparkwindowing] final class PartFailure(val what: String, cause: Throwable)
    extends RuntimeException(s"$what failed: $cause", cause)

private[sparkwindowing] object PartFailure {

  /** Runs what a user wrote. */
  def named[T](what: => String)(work: => T): T =
    try work
    catch { case NonFatal(e) => throw of(what, e) }

  /** What to throw for a failure of this part; one that is named already stays as it is. */
  def of(what: String, e: Throwable): RuntimeException = e match {
    case known: PartFailure => known
    case other              => new PartFailure(what, other)
  }
}
