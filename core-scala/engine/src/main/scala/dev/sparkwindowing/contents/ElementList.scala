package dev.sparkwindowing.contents

import dev.sparkwindowing.codec.{BlockReader, BlockWriter, ValueCodec}

import java.util.Arrays

/** All elements of a window with their timestamps, in order of arrival.
  *
  * Elements read from the state stay bytes until they are accessed: a list that only grows in a batch is copied, not
  * decoded. An element without a timestamp has `Long.MinValue`.
  */
final class ElementList[E](codec: ValueCodec[E]) {
  // The serialized form of the first elements, not decoded yet.
  private[this] var source  = Array.emptyByteArray
  private[this] var from    = 0
  private[this] var length  = 0
  private[this] var pending = 0
  // The decoded elements, which follow the pending ones.
  private[this] var elements = new Array[Any](8)
  private[this] var times    = new Array[Long](8)
  private[this] var n        = 0

  def size: Int = pending + n

  def isEmpty: Boolean = size == 0

  /** The i-th element in order of arrival, from 0. */
  def apply(i: Int): E = {
    decode()
    elements(i).asInstanceOf[E]
  }

  def timestamp(i: Int): Long = {
    decode()
    times(i)
  }

  /** Appends `element`, which must not be a reused buffer. */
  def add(element: E, timestamp: Long): Unit = {
    if (n == elements.length) grow(n + 1)
    elements(n) = element
    times(n) = timestamp
    n += 1
  }

  def foreach(f: E => Unit): Unit = {
    decode()
    var i = 0
    while (i < n) {
      f(elements(i).asInstanceOf[E])
      i += 1
    }
  }

  /** Removes the `count` oldest elements. */
  def removeFirst(count: Int): Unit =
    if (count > 0) {
      decode()
      val gone = math.min(count, n)
      System.arraycopy(elements, gone, elements, 0, n - gone)
      System.arraycopy(times, gone, times, 0, n - gone)
      truncate(n - gone)
    }

  /** Removes every element for whose position `p` is true; positions are those before the call. */
  def removeIf(p: Int => Boolean): Unit = {
    decode()
    var kept = 0
    var i    = 0
    while (i < n) {
      val gone = p(i)
      if (!gone) {
        elements(kept) = elements(i)
        times(kept) = times(i)
        kept += 1
      }
      i += 1
    }
    truncate(kept)
  }

  /** Appends all elements of `other`, which is not used again. */
  def addAll(other: ElementList[E]): Unit = {
    var i = 0
    while (i < other.size) {
      add(other(i), other.timestamp(i))
      i += 1
    }
  }

  def write(out: BlockWriter): Unit = {
    out.unsigned(size.toLong)
    out.raw(source, from, length)
    var i = 0
    while (i < n) {
      out.signed(times(i))
      codec.write(elements(i).asInstanceOf[E], out)
      i += 1
    }
  }

  /** Opens a serialized list, which is decoded at the first access. */
  def open(in: BlockReader): this.type = {
    pending = in.count(1)
    source = in.source
    from = in.position
    length = in.remaining
    this
  }

  private[this] def truncate(size: Int): Unit = {
    Arrays.fill(elements.asInstanceOf[Array[AnyRef]], size, n, null)
    n = size
  }

  private[this] def grow(capacity: Int): Unit = {
    val wanted = math.max(capacity, elements.length * 2)
    elements = Arrays.copyOf(elements.asInstanceOf[Array[AnyRef]], wanted).asInstanceOf[Array[Any]]
    times = Arrays.copyOf(times, wanted)
  }

  private[this] def decode(): Unit =
    if (pending > 0) {
      val added = n
      if (n + pending > elements.length) grow(n + pending)
      System.arraycopy(elements, 0, elements, pending, added)
      System.arraycopy(times, 0, times, pending, added)
      val in = new BlockReader().open(source, from, length)
      var i  = 0
      while (i < pending) {
        times(i) = in.signed()
        elements(i) = codec.read(in)
        i += 1
      }
      n = added + pending
      pending = 0
      length = 0
    }
}
