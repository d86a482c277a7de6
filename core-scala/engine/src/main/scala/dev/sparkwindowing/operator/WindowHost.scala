package dev.sparkwindowing.operator

import dev.sparkwindowing.contents.{ElementList, ListContents, WindowContents}
import dev.sparkwindowing.windows.Window

/** Contents and outputs that a host gives to the operator of a plan with windows. */
trait WindowHost[E, C <: AnyRef] {

  /** The contents of the computation. */
  def contents: WindowContents[E, C]

  /** The contents that are all elements. */
  def elements: ListContents[E]

  /** Output of an operator whose windows have the contents of the computation. */
  def output: WindowOutput[E, C]

  /** Such an output for the windows of one name. */
  def outputOf(name: String): WindowOutput[E, C]

  /** Output of an operator whose windows are the lists of elements that an evictor leaves. */
  def outputOfElements: WindowOutput[E, ElementList[E]]

  /** Such an output for the windows of one name. */
  def outputOfElementsOf(name: String): WindowOutput[E, ElementList[E]]
}

/** A host whose output is that of one name. */
private final class NamedHost[E, C <: AnyRef](host: WindowHost[E, C], name: String) extends WindowHost[E, C] {
  def contents: WindowContents[E, C]                                     = host.contents
  def elements: ListContents[E]                                          = host.elements
  def output: WindowOutput[E, C]                                         = host.outputOf(name)
  def outputOf(other: String): WindowOutput[E, C]                        = host.outputOf(other)
  def outputOfElements: WindowOutput[E, ElementList[E]]                  = host.outputOfElementsOf(name)
  def outputOfElementsOf(other: String): WindowOutput[E, ElementList[E]] = host.outputOfElementsOf(other)
}

/** Output of an operator whose windows are lists of elements, of which each firing computes the contents. */
private final class FoldedOutput[E, C <: AnyRef](contents: WindowContents[E, C], out: WindowOutput[E, C])
    extends WindowOutput[E, ElementList[E]] {

  private[this] val of: ElementList[E] => C = contents match {
    case _: ListContents[_] => _.asInstanceOf[C]
    case _                  => folded
  }

  private[this] def folded(elements: ElementList[E]): C = {
    var all = contents.empty()
    var i   = 0
    while (i < elements.size) {
      all = contents.add(all, elements(i), elements.timestamp(i))
      i += 1
    }
    all
  }

  def fire(window: Window, elements: ElementList[E], pane: PaneInfo): Unit = out.fire(window, of(elements), pane)
  def late(element: E, timestamp: Long, missed: Option[Window]): Unit      = out.late(element, timestamp, missed)
  def cleared(window: Window): Unit                                        = out.cleared(window)
  override def forgotten(replaced: Window): Unit                           = out.forgotten(replaced)
  override def skippedFirings(firings: Long): Unit                         = out.skippedFirings(firings)
}
