package dev.sparkwindowing.spark.exec

import dev.sparkwindowing.codec.{BlockTooLargeException, CorruptBlockException}
import dev.sparkwindowing.spark.functions.{PartFailure, WindowFunctionException}
import dev.sparkwindowing.spark.plan.OutputLayout
import dev.sparkwindowing.state.StateShare
import dev.sparkwindowing.windows.Window
import org.apache.spark.sql.Row
import org.apache.spark.sql.catalyst.{CatalystTypeConverters, InternalRow}
import org.apache.spark.sql.types.StructType

/** Says of what fails at a key where it did. */
private[exec] object Failures {

  /** The longest text of a key in an error. */
  private val KeyText = 200

  /** The key as users know it. */
  def keyText(key: InternalRow, layout: OutputLayout): String = {
    val schema = StructType(layout.keys)
    val text   = CatalystTypeConverters.createToScalaConverter(schema)(key).asInstanceOf[Row].toString
    if (text.length <= KeyText) text else s"${text.take(KeyText)}.. (${text.length} characters)"
  }

  /** The same failure, with what is known of the place.
    *
    * @param largest
    *   what has the most of the state of the key
    */
  def placed(
      failure: Throwable,
      key: => String,
      window: Option[Window],
      largest: => StateShare
  ): Throwable = {
    val at = window.fold("")(w => s" and the window $w")
    failure match {
      case e: WindowFunctionException => e
      case e: NoEventTime             => e
      case e: CorruptBlockException   => e
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
}
