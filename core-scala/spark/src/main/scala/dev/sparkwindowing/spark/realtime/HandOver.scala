package dev.sparkwindowing.spark.realtime

import org.apache.spark.TaskContext
import org.apache.spark.sql.SparkWindowingBridge
import org.apache.spark.sql.catalyst.InternalRow

import java.util.concurrent.{ArrayBlockingQueue, TimeUnit}

/** Rows of an iterator that a thread of its own reads, so that whoever takes them waits no longer than it wants: the
  * source of a stream in real-time mode blocks until its next row. To be made in a task, which ends the thread.
  *
  * @param rows
  *   they may be in a buffer that is used again
  */
private[spark] final class HandOver(rows: Iterator[InternalRow], name: String) extends PolledRows {
  import HandOver._

  private[this] val queue         = new ArrayBlockingQueue[AnyRef](Capacity)
  private[this] val context       = TaskContext.get()
  private[this] var hasEnded      = false
  @volatile private var isStopped = false

  private[this] val reader = new Thread(() => read(), name)
  reader.setDaemon(true)
  // Called before those of the source below: its reader must not be closed while the thread is in it.
  context.addTaskCompletionListener[Unit](_ => stop())
  reader.start()

  def poll(millis: Long): InternalRow = if (hasEnded) null
  else
    queue.poll(millis, TimeUnit.MILLISECONDS) match {
      case row: InternalRow => row
      case ended: Ended     =>
        hasEnded = true
        ended.failure.foreach(throw _)
        null
      case _ => null
    }

  def isEnded: Boolean = hasEnded

  private[this] def read(): Unit = {
    val ended =
      try {
        SparkWindowingBridge.inTask(context)(rows.foreach(row => queue.put(row.copy())))
        new Ended(None)
      } catch { case e: Throwable => new Ended(Some(e)) }
    try if (!isStopped) queue.put(ended)
    catch { case _: InterruptedException => () }
  }

  private[this] def stop(): Unit = {
    isStopped = true
    reader.interrupt()
    // With the flag of a task that is killed, join would not wait.
    val isKilled = Thread.interrupted()
    try reader.join(TimeUnit.SECONDS.toMillis(10))
    finally if (isKilled) Thread.currentThread.interrupt()
  }
}

/** Rows that can be waited for. */
private[spark] trait PolledRows {

  /** The next row; null if none has come within so many milliseconds, or none is left. */
  def poll(millis: Long): InternalRow

  /** True if the last row was taken. */
  def isEnded: Boolean
}

private object HandOver {
  private val Capacity = 4096

  private final class Ended(val failure: Option[Throwable])
}
