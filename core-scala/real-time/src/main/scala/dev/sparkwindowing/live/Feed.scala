package dev.sparkwindowing.live

import java.util.concurrent.locks.LockSupport

/** Adds rows to a log at a rate, until it is stopped. Row `n` is of key `n % keys`, its time is that at which it is
  * due, and it goes to the partitions in turn.
  *
  * @param rate
  *   rows a second
  * @param silentFrom
  *   number of the row from which the last partition gets none, negative for never
  */
final class Feed(log: RowLog, rate: Int, keys: Int, silentFrom: Long = -1) extends AutoCloseable {
  @volatile private var isOver = false
  @volatile private var number = 0L

  private[this] val thread = new Thread(() => run(), "feed")
  thread.setDaemon(true)
  thread.start()

  /** Rows so far. */
  def rows: Long = number

  private[this] def run(): Unit = {
    val start  = System.currentTimeMillis
    val origin = System.nanoTime
    while (!isOver) {
      val due = (System.nanoTime - origin) / 1000L * rate / 1000000L
      var n   = number
      while (n < due) {
        val isSilent   = silentFrom >= 0 && n >= silentFrom
        val partitions = if (isSilent) log.partitions - 1 else log.partitions
        log.add((n % partitions).toInt, n % keys, start + n * 1000L / rate, n)
        n += 1
      }
      number = n
      LockSupport.parkNanos(200000L)
    }
  }

  def close(): Unit = {
    isOver = true
    thread.join()
  }
}
