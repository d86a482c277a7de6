package dev.sparkwindowing.spark.task

import dev.sparkwindowing.functions.TimeDomain
import dev.sparkwindowing.operator.PaneTiming
import dev.sparkwindowing.windows.Window
import org.apache.spark.unsafe.types.UTF8String

/** Listener to the work of a [[WindowTask]], for simulations. */
private[sparkwindowing] trait TaskWatcher {

  /** A window fires. The firing may have no output. */
  def fired(window: Window, timing: PaneTiming): Unit = ()

  /** A firing is not emitted, since a later one repeats it.
    *
    * @param firing
    *   its number among those since the last call of `run`, from 0
    */
  def dropped(firing: Int): Unit = ()

  /** A row was assigned to no window: it was late, or had no event time.
    *
    * @param missed
    *   the newest window that it was late for
    */
  def late(reason: UTF8String, missed: Option[Window]): Unit = ()

  /** A window was cleaned up. */
  def cleared(window: Window): Unit = ()

  /** A function without windows sets or deletes a timer, or one fires. */
  def timerSet(time: Long, clock: TimeDomain): Unit     = ()
  def timerDeleted(time: Long, clock: TimeDomain): Unit = ()
  def timerFired(time: Long, clock: TimeDomain): Unit   = ()
}

private[sparkwindowing] object TaskWatcher {
  object Nobody extends TaskWatcher
}
