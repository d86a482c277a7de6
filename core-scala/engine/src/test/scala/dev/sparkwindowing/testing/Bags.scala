package dev.sparkwindowing.testing

import dev.sparkwindowing.codec.{BlockReader, BlockWriter, ValueCodec}
import dev.sparkwindowing.contents.CopyableContents
import dev.sparkwindowing.operator.{PaneInfo, WindowOutput}
import dev.sparkwindowing.windows.Window

/** Texts in no order, changed in place. */
final class Bag(var elements: List[String]) {
  override def toString: String = elements.sorted.mkString(" ")
}

/** Keeps a bag a window, and counts what is done to bags. */
final class BagContents extends CopyableContents[String, Bag] {
  private[this] val codec = ValueCodec.list(ValueCodec.string)

  var merges = 0
  var copies = 0
  var reads  = 0
  var writes = 0

  def empty(): Bag = new Bag(Nil)

  def add(bag: Bag, element: String, timestamp: Long): Bag = {
    bag.elements ::= element
    bag
  }

  def merge(kept: Bag, merged: Bag): Bag = {
    if (kept eq merged) throw new IllegalStateException(s"the same bag twice: $kept")
    merges += 1
    kept.elements = merged.elements ::: kept.elements
    kept
  }

  def copy(bag: Bag): Bag = {
    copies += 1
    new Bag(bag.elements)
  }

  def write(bag: Bag, out: BlockWriter): Unit = {
    writes += 1
    codec.write(bag.elements, out)
  }

  def read(in: BlockReader): Bag = {
    reads += 1
    new Bag(codec.read(in).toList)
  }
}

/** All that comes out of an operator, in order: `[0, 10) a b`, `late c [0, 10)`, `cleared [0, 10)`. */
final class BagLines extends WindowOutput[String, Bag] {
  private[this] var lines = Vector.empty[String]

  def fire(window: Window, contents: Bag, pane: PaneInfo): Unit =
    lines :+= s"$window $contents${if (pane.isLast && !pane.isRepeat && pane.number == 0) "" else " odd pane"}"
  def late(element: String, timestamp: Long, missed: Option[Window]): Unit =
    lines :+= s"late $element ${missed.mkString}"
  def cleared(window: Window): Unit = lines :+= s"cleared $window"

  /** Everything since the last call. */
  def take(): Vector[String] = {
    val all = lines
    lines = Vector.empty
    all
  }

  /** The same without clean-ups. */
  def takeResults(): Vector[String] = take().filterNot(_.startsWith("cleared"))
}
