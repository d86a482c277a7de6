package dev.sparkwindowing.spark.realtime

import dev.sparkwindowing.spark.plan.RealTimeMode
import dev.sparkwindowing.spark.task.TaskPool
import org.apache.spark.TaskContext

import java.util.UUID

/** Time for which a source task has waited for rows in a long micro-batch. Before its first row it has to connect,
  * which may take longer than a source that is there is ever silent: whether it has had one on this executor is kept
  * from one micro-batch to the next. The operator adds up the times, as the task may run elsewhere in each.
  *
  * Time in which it did not wait does not count: its process stood still, or those behind it took no row.
  */
private[spark] final class SourceSilence {
  private[this] var hadRow = false
  private[this] var waited = 0L // since its last row
  private[this] var untold = 0L

  /** Begins a micro-batch. */
  def begin(): this.type = {
    waited = 0L
    untold = 0L
    this
  }

  /** Called for each row. */
  def end(): Unit = {
    hadRow = true
    waited = 0L
    untold = 0L
  }

  /** Called when no row has come.
    *
    * @param passed
    *   milliseconds of the clock since the task looked before
    */
  def add(passed: Long): Unit = {
    val millis = math.max(0L, math.min(passed, SourceSilence.LongestStep))
    waited += millis
    untold += millis
  }

  /** True if the task has waited for too long to hold back a watermark. */
  def isOver(mode: RealTimeMode): Boolean = mode.isIdle(waited, hadRow)

  /** The time since the last row, or since this was told before, as the operator gets it. */
  def tell(): Long = {
    val millis = untold
    untold = 0L
    InBandColumns.silent(millis, hadRow)
  }
}

private[spark] object SourceSilence {

  /** Milliseconds that a task waits before it looks again, and the most that count then. A thread that is ready gets a
    * core sooner.
    */
  val LongestStep = 100L

  /** That of a source task of the run on this executor, in the task. */
  def ofTask(number: Int, tasks: Int): SourceSilence =
    TaskPool.Indexes
      .borrow(TaskPool.Operator(run, 0).of(s"silence of source task $number of $tasks"))(new SourceSilence)
      .begin()

  // A query runs its jobs in a group with the id of the run.
  private def run = UUID.fromString(TaskContext.get().getLocalProperty("spark.jobGroup.id"))
}
