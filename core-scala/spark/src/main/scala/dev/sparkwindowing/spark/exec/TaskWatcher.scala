package dev.sparkwindowing.spark.exec

import dev.sparkwindowing.windows.Window
import org.apache.spark.unsafe.types.UTF8String

/** Told what a [[WindowTask]] does while it does it, for runs that are looked at. */
private[sparkwindowing] trait TaskWatcher {

  /** A window fires, at that watermark; what comes of it may be nothing. */
  def fired(window: Window, watermark: Long): Unit = ()

  /** A firing is not put out after all, since a later one repeats it.
    *
    * @param firing
    *   its number among those since the last call of `run`, from 0
    */
  def dropped(firing: Int): Unit = ()

  /** A row was taken by no window: it was late, or had no event time.
    *
    * @param missed
    *   the newest window that it was assigned
    */
  def late(reason: UTF8String, missed: Option[Window]): Unit = ()

  /** A window was cleaned up. */
  def cleared(window: Window): Unit = ()
}

private[sparkwindowing] object TaskWatcher {
  object Nobody extends TaskWatcher
}
