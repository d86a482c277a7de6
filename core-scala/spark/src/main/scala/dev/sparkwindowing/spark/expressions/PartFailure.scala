package dev.sparkwindowing.spark.expressions

import dev.sparkwindowing.codec.CorruptBlockException

import scala.util.control.NonFatal

/** Failure of a user-defined part of a query. The operator adds key and window.
  *
  * @param what
  *   name of the part
  */
private[sparkwindowing] final class PartFailure(val what: String, cause: Throwable)
    extends RuntimeException(s"$what failed: $cause", cause)

private[sparkwindowing] object PartFailure {

  /** Runs user code, with the part's name added to failures. */
  def named[T](what: => String)(work: => T): T =
    try work
    catch { case NonFatal(e) => throw of(what, e) }

  /** The exception to throw for a failure of this part. An exception that names a part already, and one of the state,
    * is returned unchanged.
    */
  def of(what: String, e: Throwable): RuntimeException = e match {
    case known: PartFailure             => known
    case ofState: CorruptBlockException => ofState
    case other                          => new PartFailure(what, other)
  }
}
