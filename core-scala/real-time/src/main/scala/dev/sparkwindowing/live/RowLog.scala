package dev.sparkwindowing.live

import java.util
import java.util.UUID
import java.util.concurrent.ConcurrentHashMap

/** Rows in memory, in partitions, each with a key, a time and a value. The tasks of this JVM find it by its name. */
final class RowLog private (val name: String, val partitions: Int) {
  private[this] val parts = Array.fill(partitions)(new RowLog.Part)

  /** @param millis
    *   time of the row
    */
  def add(partition: Int, key: Long, millis: Long, value: Long): Unit = parts(partition).add(key, millis, value)

  def sizes: Seq[Int] = parts.toSeq.map(_.rows)

  def part(partition: Int): RowLog.Part = parts(partition)

  /** Forgets the rows. */
  def close(): Unit = {
    RowLog.open.remove(name)
    ()
  }
}

object RowLog {
  private val open = new ConcurrentHashMap[String, RowLog]

  def create(partitions: Int): RowLog = {
    val log = new RowLog(UUID.randomUUID.toString, partitions)
    open.put(log.name, log)
    log
  }

  def named(name: String): RowLog = open.get(name)

  /** Fields of a row. */
  final val Fields = 3

  /** One partition. */
  final class Part private[RowLog] {
    private[this] var fields = new Array[Long](Fields * 1024)
    private[this] var count  = 0

    def rows: Int = synchronized(count)

    private[RowLog] def add(key: Long, millis: Long, value: Long): Unit = synchronized {
      val at = Fields * count
      if (at + Fields > fields.length) fields = util.Arrays.copyOf(fields, 2 * fields.length)
      fields(at) = key
      fields(at + 1) = millis
      fields(at + 2) = value
      count += 1
      notifyAll()
    }

    /** Copies the row at a position into `row`, and waits for it at most so many milliseconds.
      *
      * @return
      *   false if there is none yet
      */
    def read(position: Int, row: Array[Long], millis: Long): Boolean = synchronized {
      val end  = System.nanoTime + millis * 1000000L
      var left = millis
      while (count <= position && left > 0) {
        wait(left)
        left = (end - System.nanoTime + 999999L) / 1000000L
      }
      val isThere = count > position
      if (isThere) System.arraycopy(fields, Fields * position, row, 0, Fields)
      isThere
    }
  }
}
