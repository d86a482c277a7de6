package dev.sparkwindowing.spark.realtime

import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.execution.streaming.state.StateStore

import java.util

/** Keys of a partition that are in memory during a long micro-batch, before the state store. The store gets a changed
  * key when many others have changed since, so that few are left to write at the end.
  *
  * @param store
  *   it copies the rows that it is given, and returns rows in buffers that it may reuse
  * @param maxBytes
  *   of the keys in memory; those that were not used for the longest time leave it
  */
private[spark] final class LiveKeys(store: StateStore, maxBytes: Long) {
  import LiveKeys._

  private[this] val keys    = new util.LinkedHashMap[UnsafeRow, Entry](1024, 0.75f, true)
  private[this] val changed = new util.ArrayDeque[Entry]
  private[this] var used    = 0L

  /** Rows that were written to the store and removed from it. */
  var written = 0L
  var removed = 0L

  /** Bytes of memory. */
  def bytes: Long = used

  /** A key, which may be a reused buffer, with its row. */
  def of(key: UnsafeRow): Entry = {
    val known = keys.get(key)
    if (known != null) known else read(key)
  }

  private[this] def read(key: UnsafeRow): Entry = {
    val row   = store.get(key)
    val entry = new Entry(key.copy(), if (row == null) null else row.copy(), isStored = row != null)
    keys.put(entry.key, entry)
    used += entry.bytes
    shrink()
    entry
  }

  /** Sets the row of a key; null removes it. The row may be a reused buffer. */
  def set(entry: Entry, row: UnsafeRow): Unit = {
    used -= entry.bytes
    entry.row = if (row == null) null else row.copy()
    used += entry.bytes
    if (!entry.isChanged) {
      entry.isChanged = true
      changed.add(entry)
    }
    while (changed.size > MostChanged) write(changed.poll())
    shrink()
  }

  /** Writes all that has changed. */
  def flush(): Unit = while (!changed.isEmpty) write(changed.poll())

  // An entry may be twice in the queue, if it has left the memory meanwhile.
  private[this] def write(entry: Entry): Unit = if (entry.isChanged) {
    entry.isChanged = false
    if (entry.row != null) {
      store.put(entry.key, entry.row)
      entry.isStored = true
      written += 1
    } else {
      if (entry.isStored) {
        store.remove(entry.key)
        removed += 1
      }
      entry.isStored = false
      forget(entry)
    }
  }

  private[this] def forget(entry: Entry): Unit = if (keys.remove(entry.key, entry)) used -= entry.bytes

  private[this] def shrink(): Unit = while (used > maxBytes && keys.size > 1) {
    val eldest = keys.values.iterator.next()
    write(eldest)
    forget(eldest)
    eldest.row = null // it may wait among the changed ones
  }
}

private[spark] object LiveKeys {

  /** Changed keys that wait for the store: what is left to write at the end of a micro-batch. */
  private val MostChanged = 5000

  // Of the objects and the map's entry, about.
  private val Overhead = 200L

  /** A key and its row in the state, null if it has none. */
  final class Entry(val key: UnsafeRow, var row: UnsafeRow, private[LiveKeys] var isStored: Boolean) {
    private[LiveKeys] var isChanged = false

    private[LiveKeys] def bytes: Long =
      Overhead + key.getSizeInBytes + (if (row == null) 0L else row.getSizeInBytes.toLong)
  }
}
