package dev.sparkwindowing.spark.exec

import org.apache.spark.TaskContext

import java.util
import java.util.UUID
import java.util.concurrent.TimeUnit

/** Keeps what is dear to build, compiled projections above all, from the tasks of a micro-batch to those of the next:
  * as many as run at once on this executor.
  *
  * Nobody tells an executor that a query has ended or failed. So a thread drops what no task has asked for in a while;
  * it runs only as long as something is kept.
  *
  * @param kept
  *   nanoseconds that something is kept behind its last use
  * @param every
  *   milliseconds between two looks
  */
private[exec] final class TaskPool(kept: Long, every: Long) {
  import TaskPool.{Idle, Key, Keys}

  private[this] var isWatched = false
  private[this] val idle      = new util.LinkedHashMap[Key, Idle](16, 0.75f, true) {
    override def removeEldestEntry(eldest: util.Map.Entry[Key, Idle]): Boolean = size > Keys
  }

  /** One that no other task uses, made if there is none. It goes back when the running task has ended well. */
  def borrow[T <: AnyRef](key: Key)(make: => T): T = {
    val known = synchronized(Option(idle.get(key)).flatMap(all => Option(all.poll())))
    val one   = known.fold(make)(_.asInstanceOf[T])
    Option(TaskContext.get()).foreach(_.addTaskCompletionListener[Unit] { task =>
      if (!task.isFailed() && !task.isInterrupted()) giveBack(key, one)
    })
    one
  }

  private[this] def giveBack(key: Key, one: AnyRef): Unit = synchronized {
    idle.computeIfAbsent(key, _ => new Idle).push(one)
    if (!isWatched) {
      isWatched = true
      val watch = new Thread(() => while (isKept()) Thread.sleep(every), "spark-windowing task pool")
      watch.setDaemon(true)
      watch.start()
    }
  }

  // True while something is left to watch.
  private[this] def isKept(): Boolean = synchronized {
    dropUnused(System.nanoTime())
    isWatched = !idle.isEmpty
    isWatched
  }

  /** Drops what was not used for as long as it is kept, at a time of `System.nanoTime`. */
  def dropUnused(now: Long): Unit = synchronized(idle.values.removeIf(now - _.usedAt >= kept))

  /** True if something of a run of a query is kept. */
  def holds(run: UUID): Boolean = synchronized(idle.keySet.stream.anyMatch(_.operator.run == run))
}

private[exec] object TaskPool {

  /** An operator of a run of a streaming query. */
  final case class Operator(run: UUID, number: Long) {
    def of(part: String): Key = Key(this, part)
  }

  /** A part of what an operator needs. */
  final case class Key(operator: Operator, part: String)

  /** How many keys are remembered: those that were asked for last. */
  private val Keys = 64

  /** Nanoseconds that something is kept behind its last use. */
  val Kept: Long = TimeUnit.MINUTES.toNanos(5)

  /** That of this executor. */
  val OfExecutor: TaskPool = new TaskPool(Kept, TimeUnit.MINUTES.toMillis(1))

  /** Idle parts of one key, and the time of their last use. */
  private final class Idle {
    private[this] val all = new util.ArrayDeque[AnyRef]
    var usedAt: Long      = System.nanoTime()

    def poll(): AnyRef = {
      usedAt = System.nanoTime()
      all.poll()
    }

    def push(one: AnyRef): Unit = {
      usedAt = System.nanoTime()
      all.push(one)
    }
  }
}
