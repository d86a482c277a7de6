package dev.sparkwindowing.testing

import dev.sparkwindowing.operator.{PaneInfo, RepeatedFirings, WindowOutput}
import dev.sparkwindowing.windows.Window

/** Output of an operator in the notation of the scenario files: `key window elements`, with panes `@ timing index`; of
  * windows of several names `key name window elements`.
  */
final class Outputs[C <: AnyRef](kept: Kept[C], shown: Shown = Shown.Plain) extends WindowOutput[String, C] {

  private[this] var current = ""

  /** The key that is worked on. */
  def key: String = current

  /** A step of a key begins. */
  def key_=(key: String): Unit = {
    current = key
    repeats.clear()
  }

  /** The output of the windows of a name. */
  def named(name: String): WindowOutput[String, C] = new WindowOutput[String, C] {
    private[this] def behind(write: => Unit): Unit = {
      val before = current
      current = s"$before $name"
      try write
      finally current = before
    }
    def fire(window: Window, contents: C, pane: PaneInfo): Unit = behind(Outputs.this.fire(window, contents, pane))
    def late(element: String, timestamp: Long, missed: Option[Window]): Unit = behind(
      Outputs.this.late(element, timestamp, missed)
    )
    def cleared(window: Window): Unit = behind(Outputs.this.cleared(window))
  }

  private[this] val repeats  = new RepeatedFirings
  private[this] var firings  = Vector.empty[Option[String]]
  private[this] var tooLate  = Vector.empty[String]
  private[this] var cleanups = Vector.empty[String]

  def fire(window: Window, contents: C, pane: PaneInfo): Unit = {
    val repeated = if (shown.collapsed) repeats.repeated(window, pane, firings.size) else -1
    if (repeated >= 0) firings = firings.updated(repeated, None)
    val values = kept.show(contents)
    val parts  = Seq(key, window.toString) ++ (if (values.isEmpty) Nil else Seq(values)) ++
      (if (shown.panes) of(pane) else Nil)
    firings :+= Some(parts.mkString(" "))
  }

  private def of(pane: PaneInfo): Seq[String] = {
    val replaced = Option(pane.replaced).fold(Seq.empty[Window])(all => (0 until all.size).map(all.window))
    Seq(s"@ ${pane.timing.name} ${pane.number}") ++ (if (pane.isEmpty) Seq("empty") else Nil) ++
      (if (pane.isLast) Seq("last") else Nil) ++
      (if (replaced.isEmpty) Nil else "replaces" +: replaced.map(_.toString))
  }

  def late(element: String, timestamp: Long, missed: Option[Window]): Unit = tooLate :+= s"$key $element"

  def cleared(window: Window): Unit = cleanups :+= s"$key $window"

  /** Everything since the last call. */
  def take(): Happened = {
    val all = Happened(firings.flatten, tooLate, cleanups)
    firings = Vector.empty
    tooLate = Vector.empty
    cleanups = Vector.empty
    all
  }
}

final case class Happened(fires: Seq[String], late: Seq[String], cleared: Seq[String])

/** Display of firings in a scenario: with panes or not, with repeated ones or not. */
final case class Shown(panes: Boolean, collapsed: Boolean)

object Shown {
  val Plain: Shown = Shown(panes = false, collapsed = false)

  def of(s: Scenario): Shown = Shown(s.withPane, s.collapseFirings)
}
