package dev.sparkwindowing.spark.realtime

import dev.sparkwindowing.spark.plan.RealTimeMode
import dev.sparkwindowing.spark.task.TaskPool
import org.apache.spark.TaskContext

import java.util.UUID

/** Time for which a source task has waited for rows, over the long micro-batches of a run on one executor. It has to
  * connect there before its first row, which may take longer than a source that is there is ever silent.
  *
  * Time in which it did not wait does not count: its process stood still, or those behind it took no row.
  */
private[spark] final class SourceSilence {
  private[this] var waited = 0L
  private[this] var hadRow = false

  /** Called for each row. */
  def end(): Unit = {
    waited = 0L
    hadRow = true
  }

  /** Called when no row has come.
    *
    * @param asked
    *   milliseconds for which the task wanted to wait
    * @param passed
    *   milliseconds of the clock since it looked before
    */
  def add(asked: Long, passed: Long): Unit =
    waited += math.max(0L, math.min(passed, math.max(asked, SourceSilence.LongestStep)))

  /** True if the task is to hold back no watermark. */
  def isIdle(mode: RealTimeMode): Boolean = {
    val timeout = mode.silence(hadRow)
    timeout > 0 && waited > timeout
  }
}

private[spark] object SourceSilence {

  // Longer than a thread that is ready waits for a core.
  private val LongestStep = 100L

  /** That of a source task of the run on this executor, in the task. */
  def ofTask(number: Int): SourceSilence =
    TaskPool.Indexes.borrow(TaskPool.Operator(run, 0).of(s"silence of source task $number"))(new SourceSilence)

  // A query runs its jobs in a group with the id of the run.
  private def run = UUID.fromString(TaskContext.get().getLocalProperty("spark.jobGroup.id"))
}
