package dev.sparkwindowing.windows

import java.util.Arrays

/** Where an assigner puts the windows of an element: a reused pair of arrays, so that assigning allocates nothing. */
final class WindowCollector {
  private[this] var starts = new Array[Long](8)
  private[this] var ends   = new Array[Long](8)
  private[this] var n      = 0

  def size: Int           = n
  def start(i: Int): Long = starts(i)
  def end(i: Int): Long   = ends(i)
  def clear(): Unit       = n = 0

  /** Adds the time window `[start, end)`, milliseconds since the epoch. */
  def add(start: Long, end: Long): Unit = {
    if (n == starts.length) {
      starts = Arrays.copyOf(starts, n * 2)
      ends = Arrays.copyOf(ends, n * 2)
    }
    starts(n) = start
    ends(n) = end
    n += 1
  }

  /** Moves the end of the last window, so that it is at most `length` milliseconds long. */
  private[sparkwindowing] def shortenLast(length: Long): Unit =
    if (ends(n - 1) - starts(n - 1) > length) ends(n - 1) = starts(n - 1) + length

  def addGlobal(): Unit = add(WindowCollector.Global, WindowCollector.Global)

  def foreach(f: (Long, Long) => Unit): Unit = {
    var i = 0
    while (i < n) {
      f(starts(i), ends(i))
      i += 1
    }
  }

  def window(i: Int): Window = WindowCollector.window(starts(i), ends(i))
}

object WindowCollector {

  /** Start and end of the global window inside the engine: bounds that no time window with an element has. */
  val Global: Long = Long.MinValue

  def isGlobal(start: Long, end: Long): Boolean = start == Global && end == Global

  def window(start: Long, end: Long): Window = if (isGlobal(start, end)) GlobalWindow else TimeWindow(start, end)

  def maxTimestamp(start: Long, end: Long): Long = if (isGlobal(start, end)) Long.MaxValue else end - 1
}
