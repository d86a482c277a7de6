package dev.sparkwindowing.spark.task

import dev.sparkwindowing.codec.{BlockTooLargeException, CorruptBlockException}
import dev.sparkwindowing.spark.computations.{WindowFunctionException, WindowInErrors}
import dev.sparkwindowing.spark.expressions.PartFailure
import dev.sparkwindowing.spark.plan.OutputLayout
import dev.sparkwindowing.state.StateShare
import dev.sparkwindowing.windows.Window
import org.apache.spark.TaskContext
import org.apache.spark.sql.Row
import org.apache.spark.sql.catalyst.{CatalystTypeConverters, InternalRow}
import org.apache.spark.sql.types.StructType

/** Adds key and window to an error. */
private[sparkwindowing] object Failures {

  /** Maximum length of a key's text in an error. */
  private val KeyText = 200

  /** Text of a key for users. */
  def keyText(key: InternalRow, layout: OutputLayout): String = {
    val schema = StructType(layout.keys)
    val text   = CatalystTypeConverters.createToScalaConverter(schema)(key).asInstanceOf[Row].toString
    if (text.length <= KeyText) text else s"${text.take(KeyText)}.. (${text.length} characters)"
  }

  /** The same failure with its place added.
    *
    * @param largest
    *   the largest part of the key's state
    */
  def withLocation(
      failure: Throwable,
      key: => String,
      window: Option[Window],
      largest: => StateShare
  ): Throwable = {
    val at = window.fold("")(w => s" and the window ${WindowInErrors.text(w)}")
    failure match {
      case e: WindowFunctionException => e
      case e: NoEventTime             => e
      case e: CorruptBlockException   => e.of(key)
      case e: BlockTooLargeException  => StateSizes.error(key, e, largest)
      case e: PartFailure             =>
        new WindowFunctionException(s"${e.what} failed for the key $key$at: ${e.getCause}", e.getCause)
      case e: IllegalArgumentException      => new IllegalArgumentException(s"for the key $key$at: ${e.getMessage}", e)
      case e: UnsupportedOperationException =>
        new UnsupportedOperationException(s"for the key $key$at: ${e.getMessage}", e)
      case e: IllegalStateException => new IllegalStateException(s"for the key $key$at: ${e.getMessage}", e)
      case e                        => new WindowFunctionException(s"for the key $key$at: $e", e)
    }
  }

  /** The same failure in a form that the driver can read. If the jar was added to a running session, the reader of task
    * results does not find its classes and would report an unknown reason. So each of its exceptions is replaced by a
    * standard one with its message and stack trace.
    */
  def forDriver(failure: Throwable): Throwable =
    if (Iterator.iterate(failure)(_.getCause).takeWhile(_ != null).forall(isKnownToSpark)) failure
    else {
      val text  = if (failure.getClass.getName.startsWith(Ours)) failure.getMessage else failure.toString
      val cause = Option(failure.getCause).map(forDriver).orNull
      val known = new RuntimeException(text, cause)
      known.setStackTrace(failure.getStackTrace)
      known
    }

  private val Ours = "dev.sparkwindowing."

  private def isKnownToSpark(e: Throwable): Boolean =
    try Class.forName(e.getClass.getName, false, classOf[TaskContext].getClassLoader) eq e.getClass
    catch { case _: ClassNotFoundException => false }
}
