package dev.sparkwindowing.state

import dev.sparkwindowing.codec.{BlockReader, BlockWriter}

import java.util.Arrays

/** Timers of one time domain of one key: a set of (time, window), in that order.
  *
  * Three sorted arrays with a moving front. Taking the earliest timer is O(1), finding one is O(log n), and adding a
  * timer later than all others, the usual case, is O(1). The arrays are also the serialized form.
  */
final class TimerSet {
  private[this] var times  = new Array[Long](4)
  private[this] var starts = new Array[Long](4)
  private[this] var ends   = new Array[Long](4)
  private[this] var first  = 0
  private[this] var limit  = 0

  def size: Int        = limit - first
  def isEmpty: Boolean = limit == first
  def clear(): Unit    = {
    first = 0
    limit = 0
  }

  /** The earliest timer; there must be one. */
  def headTime: Long  = times(first)
  def headStart: Long = starts(first)
  def headEnd: Long   = ends(first)

  def removeHead(): Unit = first += 1

  /** The timer at a position, from the earliest on. */
  def time(i: Int): Long  = times(first + i)
  def start(i: Int): Long = starts(first + i)
  def end(i: Int): Long   = ends(first + i)

  /** True if the earliest timer here is before the earliest of `other`; both must have one. */
  def isBefore(other: TimerSet): Boolean = compare(first, other.headTime, other.headStart, other.headEnd) < 0

  /** Adds a timer; false if it exists. */
  def add(time: Long, start: Long, end: Long): Boolean = {
    val at = search(time, start, end)
    if (at >= 0) false
    else {
      insert(-at - 1, time, start, end)
      true
    }
  }

  /** Removes a timer; false if it does not exist. */
  def remove(time: Long, start: Long, end: Long): Boolean = {
    val at = search(time, start, end)
    if (at < 0) false
    else {
      shift(at + 1, at, limit - at - 1)
      limit -= 1
      true
    }
  }

  /** Removes all timers of a window. */
  def removeAll(start: Long, end: Long): Unit = {
    var kept = first
    var i    = first
    while (i < limit) {
      if (starts(i) != start || ends(i) != end) {
        times(kept) = times(i)
        starts(kept) = starts(i)
        ends(kept) = ends(i)
        kept += 1
      }
      i += 1
    }
    limit = kept
  }

  def write(out: BlockWriter): Unit = {
    out.unsigned(size.toLong)
    var previous = 0L
    var i        = first
    while (i < limit) {
      out.signed(times(i) - previous)
      out.signed(starts(i))
      out.signed(ends(i) - starts(i))
      previous = times(i)
      i += 1
    }
  }

  def read(in: BlockReader): Unit = {
    clear()
    val n = in.count(3)
    if (n > times.length) resize(n)
    var previous = 0L
    while (limit < n) {
      previous += in.signed()
      times(limit) = previous
      starts(limit) = in.signed()
      ends(limit) = starts(limit) + in.signed()
      limit += 1
    }
  }

  // The position of the timer, or -(insertion point) - 1.
  private[this] def search(time: Long, start: Long, end: Long): Int = {
    var low  = first
    var high = limit - 1
    if (high >= low && compare(high, time, start, end) < 0) -limit - 1
    else {
      var found = Int.MinValue
      while (low <= high && found == Int.MinValue) {
        val middle = (low + high) >>> 1
        val c      = compare(middle, time, start, end)
        if (c < 0) low = middle + 1 else if (c > 0) high = middle - 1 else found = middle
      }
      if (found != Int.MinValue) found else -low - 1
    }
  }

  private[this] def compare(i: Int, time: Long, start: Long, end: Long): Int =
    if (times(i) != time) java.lang.Long.compare(times(i), time)
    else if (starts(i) != start) java.lang.Long.compare(starts(i), start)
    else java.lang.Long.compare(ends(i), end)

  private[this] def insert(position: Int, time: Long, start: Long, end: Long): Unit = {
    var at = position
    if (limit == times.length)
      if (first > limit / 2) {
        at -= first
        shift(first, 0, limit - first)
        limit -= first
        first = 0
      } else resize(limit * 2)
    shift(at, at + 1, limit - at)
    times(at) = time
    starts(at) = start
    ends(at) = end
    limit += 1
  }

  private[this] def shift(from: Int, to: Int, n: Int): Unit = {
    System.arraycopy(times, from, times, to, n)
    System.arraycopy(starts, from, starts, to, n)
    System.arraycopy(ends, from, ends, to, n)
  }

  private[this] def resize(capacity: Int): Unit = {
    times = Arrays.copyOf(times, capacity)
    starts = Arrays.copyOf(starts, capacity)
    ends = Arrays.copyOf(ends, capacity)
  }
}
