package dev.sparkwindowing.operator

import dev.sparkwindowing.contents.{CopyableContents, ElementList, ListContents, TimestampGroup}

import java.util.Arrays

/** Contents of successive windows over parts in order of time, while they fire. Buffers are reused from key to key.
  *
  * @tparam W
  *   type of the contents of a window
  */
private[operator] abstract class MovingWindow[E, C <: AnyRef, W <: AnyRef] {
  private[this] var times   = new Array[Long](8)
  protected var parts       = new Array[AnyRef](8)
  private[this] var partsIn = 0

  /** Number of parts. */
  def size: Int = partsIn

  /** The timestamp of a part. */
  def time(part: Int): Long = times(part)

  /** Adds the parts of a group: one if it is merged and a window has all of it or nothing, else one for each element.
    */
  def add(group: TimestampGroup[E, C], timestamp: Long): Unit

  /** The contents of the window of the parts `from` until `until`, not to be changed. No bound may be lower than in the
    * call before.
    */
  def contents(from: Int, until: Int): W

  /** Removes all parts. */
  def clear(): Unit = {
    Arrays.fill(parts, 0, partsIn, null)
    partsIn = 0
  }

  protected def append(part: AnyRef, timestamp: Long): Unit = {
    if (partsIn == parts.length) {
      parts = Arrays.copyOf(parts, partsIn * 2)
      times = Arrays.copyOf(times, partsIn * 2)
    }
    parts(partsIn) = part
    times(partsIn) = timestamp
    partsIn += 1
  }
}

/** Windows merged from their parts in order, by the two-stacks algorithm: a part is merged at most twice and a window
  * once, however many parts it has.
  *
  * The parts before `middle` are merged from the right, so that each has the contents from itself up to `middle`; those
  * from `middle` on are merged into `back`. When a window begins after `middle`, its parts are merged from the right
  * anew. Parts must not change, so they are copied before others are merged into them.
  */
private[operator] final class MergedWindow[E, C <: AnyRef](contents: CopyableContents[E, C])
    extends MovingWindow[E, C, C] {
  private[this] val none      = null.asInstanceOf[C]
  private[this] var suffixes  = new Array[AnyRef](8)
  private[this] var middle    = 0
  private[this] var until     = 0
  private[this] var back      = none
  private[this] var isBackOwn = false

  def add(group: TimestampGroup[E, C], timestamp: Long): Unit =
    if (group.merged != null) append(group.merged, timestamp)
    else group.elements.foreach(e => append(contents.add(contents.empty(), e, timestamp), timestamp))

  override def clear(): Unit = {
    super.clear()
    Arrays.fill(suffixes, 0, math.min(middle, suffixes.length), null)
    middle = 0
    until = 0
    back = none
  }

  def contents(from: Int, until: Int): C = {
    while (this.until < until) {
      mergeIntoBack(part(this.until))
      this.until += 1
    }
    if (from > middle) mergeFromRight(from)
    if (from == middle && back != null) back
    else if (back == null) suffix(from)
    else contents.merge(contents.copy(suffix(from)), back)
  }

  private[this] def mergeIntoBack(part: C): Unit =
    if (back == null) {
      back = part
      isBackOwn = false
    } else {
      if (!isBackOwn) back = contents.copy(back)
      isBackOwn = true
      back = contents.merge(back, part)
    }

  private[this] def mergeFromRight(from: Int): Unit = {
    if (suffixes.length < until) suffixes = Arrays.copyOf(suffixes, math.max(until, suffixes.length * 2))
    var i = until - 1
    suffixes(i) = parts(i)
    while (i > from) {
      i -= 1
      suffixes(i) = contents.merge(contents.copy(part(i)), suffix(i + 1))
    }
    middle = until
    back = none
  }

  private[this] def part(i: Int): C = parts(i).asInstanceOf[C]

  private[this] def suffix(i: Int): C = suffixes(i).asInstanceOf[C]
}

/** Windows as the list of their elements, in order of time and then of arrival. */
private[operator] final class ListedWindow[E](contents: ListContents[E])
    extends MovingWindow[E, AnyRef, ElementList[E]] {
  private[this] var list  = contents.inMemory()
  private[this] var from  = 0
  private[this] var until = 0

  def add(group: TimestampGroup[E, AnyRef], timestamp: Long): Unit =
    group.elements.foreach(e => append(e.asInstanceOf[AnyRef], timestamp))

  override def clear(): Unit = {
    super.clear()
    list = contents.inMemory()
    from = 0
    until = 0
  }

  def contents(from: Int, until: Int): ElementList[E] = {
    list.removeFirst(math.min(from - this.from, list.size))
    this.until = math.max(this.until, from)
    while (this.until < until) {
      list.add(parts(this.until).asInstanceOf[E], time(this.until))
      this.until += 1
    }
    this.from = from
    list
  }
}
