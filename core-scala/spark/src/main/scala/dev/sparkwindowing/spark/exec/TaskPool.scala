package dev.sparkwindowing.spark.exec

import org.apache.spark.TaskContext

import java.util
import java.util.UUID

/** Keeps what is dear to build, compiled projections above all, from the tasks of a micro-batch to those of the next:
  * as many as run at once on this executor.
  */
private[exec] object TaskPool {

  /** An operator of a run of a streaming query. */
  final case class Operator(run: UUID, number: Long) {
    def of(part: String): Key = Key(this, part)
  }

  /** A part of what an operator needs. */
  final case class Key(operator: Operator, part: String)

  /** How many keys are remembered: those that were asked for last. */
  private val Keys = 64

  private[this] val idle = new util.LinkedHashMap[Key, util.ArrayDeque[AnyRef]](16, 0.75f, true) {
    override def removeEldestEntry(eldest: util.Map.Entry[Key, util.ArrayDeque[AnyRef]]): Boolean = size > Keys
  }

  /** One that no other task uses, made if there is none. It goes back when the running task has ended well. */
  def borrow[T <: AnyRef](key: Key)(make: => T): T = {
    val known = idle.synchronized(Option(idle.get(key)).flatMap(all => Option(all.poll())))
    val one   = known.fold(make)(_.asInstanceOf[T])
    Option(TaskContext.get()).foreach(_.addTaskCompletionListener[Unit] { task =>
      if (!task.isFailed() && !task.isInterrupted()) giveBack(key, one)
    })
    one
  }

  private def giveBack(key: Key, one: AnyRef): Unit = idle.synchronized {
    idle.computeIfAbsent(key, _ => new util.ArrayDeque[AnyRef]).push(one)
  }
}
