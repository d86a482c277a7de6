package dev.sparkwindowing.testing

import dev.sparkwindowing.operator.WindowOutput
import dev.sparkwindowing.windows.Window

/** What came out of an operator, as the scenario files write it: `key window elements`. */
final class Outputs[C <: AnyRef](kept: Kept[C]) extends WindowOutput[String, C] {

  /** The key that is worked on. */
  var key: String = ""

  private[this] var firings  = Vector.empty[String]
  private[this] var tooLate  = Vector.empty[String]
  private[this] var cleanups = Vector.empty[String]

  def fire(window: Window, contents: C): Unit = firings :+= s"$key $window ${kept.show(contents)}".trim

  def late(element: String, timestamp: Long, missed: Option[Window]): Unit = tooLate :+= s"$key $element"

  def cleared(window: Window): Unit = cleanups :+= s"$key $window"

  /** Everything since the last call. */
  def take(): Happened = {
    val all = Happened(firings, tooLate, cleanups)
    firings = Vector.empty
    tooLate = Vector.empty
    cleanups = Vector.empty
    all
  }
}

final case class Happened(fires: Seq[String], late: Seq[String], cleared: Seq[String])
