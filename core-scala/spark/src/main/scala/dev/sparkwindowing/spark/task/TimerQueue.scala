package dev.sparkwindowing.spark.task

import dev.sparkwindowing.operator.StateCell
import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.unsafe.Platform

import java.util

/** Keys in the order of a time, in compact memory: an entry takes the bytes of its key and 16 more.
  *
  * Entries of one stretch of time share an array of bytes. Only the earliest stretch is ordered, as a heap, since most
  * keys get a later entry before theirs is reached.
  *
  * @param keyFields
  *   number of columns of a key
  */
private[spark] final class TimerQueue(keyFields: Int) {
  import TimerQueue._

  private[this] val stretches = new util.TreeMap[Long, Stretch]
  private[this] var polled    = new UnsafeRow(keyFields)
  private[this] var entries   = 0L
  private[this] var used      = 0L

  /** No key that has no entry here has a timer before this time, `NoTimer` if none has a timer. */
  var leastOthers: Long = StateCell.NoTimer

  /** Number of entries. */
  def size: Long = entries

  /** Bytes of memory. */
  def bytes: Long = used

  /** @param key may be a reused buffer */
  def add(key: UnsafeRow, time: Long): Unit = {
    val number = Math.floorDiv(time, Millis)
    var at     = stretches.get(number)
    val isNew  = at == null
    if (isNew) at = new Stretch
    val before = if (isNew) 0L else at.bytes
    at.add(key, time)
    if (isNew) stretches.put(number, at)
    entries += 1
    used += at.bytes - before
  }

  /** The earliest time, [[dev.sparkwindowing.operator.StateCell.NoTimer]] if there is no entry. */
  def headTime: Long = {
    val first = stretches.firstEntry()
    if (first == null) StateCell.NoTimer
    else {
      val stretch = first.getValue
      val before  = stretch.bytes
      val time    = stretch.headTime
      used += stretch.bytes - before
      time
    }
  }

  /** No key has a timer before this time. */
  def least: Long = math.min(headTime, leastOthers)

  /** Removes the earliest entry; returns its key, in a buffer that the next call reuses. */
  def poll(): UnsafeRow = {
    val first   = stretches.firstEntry()
    val stretch = first.getValue
    val before  = stretch.bytes
    stretch.poll(polled)
    entries -= 1
    used += stretch.bytes - before
    if (stretch.isEmpty) {
      stretches.remove(first.getKey)
      used -= stretch.bytes
    }
    polled
  }

  /** Removes all entries. A key that was polled stays readable. */
  def clear(): Unit = {
    stretches.clear()
    leastOthers = StateCell.NoTimer
    polled = new UnsafeRow(keyFields) // the other one would keep the bytes of its stretch
    entries = 0
    used = 0
  }

  /** At most this many entries have a time up to `limit`. */
  def countUntil(limit: Long): Long = {
    var count = 0L
    stretches.headMap(Math.floorDiv(limit, Millis), true).values.forEach(s => count += s.size)
    count
  }
}

private object TimerQueue {

  /** Length of a stretch in milliseconds. */
  private val Millis = 4096L

  // An entry is its time, the size of its key, and the key: words of eight bytes.
  private val KeyAt = 16

  /** Entries of one stretch of time, in the order of arrival until the first is asked for. */
  private final class Stretch {
    private[this] var words: Array[Byte] = new Array[Byte](64)
    private[this] var end                = 0
    private[this] var count              = 0
    // Places of the entries by time, from the first call of `headTime` on.
    private[this] var heap: Array[Int] = _

    def size: Int        = count
    def isEmpty: Boolean = count == 0
    def bytes: Long      = words.length + (if (heap == null) 0L else 4L * heap.length) + Overhead

    def add(key: UnsafeRow, time: Long): Unit = {
      val size = KeyAt + key.getSizeInBytes
      if (end + size > words.length) words = util.Arrays.copyOf(words, math.max(end + size, words.length * 3 / 2))
      Platform.putLong(words, at(end), time)
      Platform.putLong(words, at(end) + 8, key.getSizeInBytes.toLong)
      key.writeToMemory(words, at(end) + KeyAt)
      if (heap != null) {
        if (count == heap.length) heap = util.Arrays.copyOf(heap, math.max(8, count * 2))
        up(count, end)
      }
      end += size
      count += 1
    }

    def headTime: Long = {
      if (heap == null) order()
      timeOf(heap(0))
    }

    def poll(into: UnsafeRow): Unit = {
      if (heap == null) order()
      val place = heap(0)
      into.pointTo(words, at(place) + KeyAt, Platform.getLong(words, at(place) + 8).toInt)
      count -= 1
      if (count > 0) down(0, heap(count))
    }

    private[this] def order(): Unit = {
      heap = new Array[Int](count)
      var place = 0
      var i     = 0
      while (i < count) {
        heap(i) = place
        place += KeyAt + Platform.getLong(words, at(place) + 8).toInt
        i += 1
      }
      i = count / 2 - 1
      while (i >= 0) {
        down(i, heap(i))
        i -= 1
      }
    }

    private[this] def timeOf(place: Int): Long = Platform.getLong(words, at(place))

    private[this] def at(place: Int): Long = Platform.BYTE_ARRAY_OFFSET.toLong + place

    private[this] def up(from: Int, place: Int): Unit = {
      val time = timeOf(place)
      var i    = from
      while (i > 0 && timeOf(heap((i - 1) / 2)) > time) {
        heap(i) = heap((i - 1) / 2)
        i = (i - 1) / 2
      }
      heap(i) = place
    }

    private[this] def down(from: Int, place: Int): Unit = {
      val time  = timeOf(place)
      var i     = from
      var child = earlier(i)
      while (child >= 0 && timeOf(heap(child)) < time) {
        heap(i) = heap(child)
        i = child
        child = earlier(i)
      }
      heap(i) = place
    }

    // The child with the earlier time, -1 if there is none.
    private[this] def earlier(i: Int): Int = {
      val left = 2 * i + 1
      if (left >= count) -1
      else if (left + 1 < count && timeOf(heap(left + 1)) < timeOf(heap(left))) left + 1
      else left
    }
  }

  // Objects and map entry of a stretch, about.
  private val Overhead = 160L
}
