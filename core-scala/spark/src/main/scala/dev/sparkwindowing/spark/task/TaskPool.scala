package dev.sparkwindowing.spark.task

import org.apache.spark.TaskContext

import java.util
import java.util.UUID
import java.util.concurrent.TimeUnit

/** Pool of expensive objects, such as compiled projections, that the tasks of successive micro-batches share. It holds
  * as many of each as run at once on this executor.
  *
  * Executors are not told that a query ended or failed. So a thread drops objects that were not used for a while; it
  * runs only while the pool is not empty.
  *
  * @param kept
  *   nanoseconds that an object is kept after its last use
  * @param every
  *   milliseconds between two checks
  * @param most
  *   maximum number of keys; the least recently used is dropped
  */
private[sparkwindowing] final class TaskPool(kept: Long, every: Long, most: Int) {
  import TaskPool.{Idle, Key}

  private[this] var isWatched = false
  private[this] val idle      = new util.LinkedHashMap[Key, Idle](16, 0.75f, true) {
    override def removeEldestEntry(eldest: util.Map.Entry[Key, Idle]): Boolean = size > most
  }

  /** An object that no other task uses, made if there is none. It returns to the pool when the running task succeeds.
    */
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

  // True while the pool has objects, so that the watching thread goes on.
  private[this] def isKept(): Boolean = synchronized {
    dropUnused(System.nanoTime())
    isWatched = !idle.isEmpty
    isWatched
  }

  /** Drops objects whose time has passed, at a time of `System.nanoTime`. */
  def dropUnused(now: Long): Unit = synchronized(idle.values.removeIf(now - _.usedAt >= kept))

  /** True if the pool holds an object of this run of a query. */
  def holds(run: UUID): Boolean = synchronized(idle.keySet.stream.anyMatch(_.operator.run == run))
}

private[sparkwindowing] object TaskPool {

  /** An operator of a run of a streaming query. */
  final case class Operator(run: UUID, number: Long) {
    def of(part: String): Key = Key(this, part)
  }

  /** A part of an operator's objects. */
  final case class Key(operator: Operator, part: String)

  /** Nanoseconds that an object is kept after its last use. */
  val KeptFor: Long = TimeUnit.MINUTES.toNanos(5)

  /** The pool of this executor. */
  val OfExecutor: TaskPool = new TaskPool(KeptFor, TimeUnit.MINUTES.toMillis(1), most = 64)

  /** The indexes of timers of this executor, one for each partition of an operator. */
  val Indexes: TaskPool = new TaskPool(KeptFor, TimeUnit.MINUTES.toMillis(1), most = 10000)

  /** Idle objects of one key, and the time of their last use. */
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
