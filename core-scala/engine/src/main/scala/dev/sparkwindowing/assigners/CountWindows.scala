package dev.sparkwindowing.assigners

import dev.sparkwindowing.declaration.{PartSpec, Spec}
import dev.sparkwindowing.functions.TimeDomain
import dev.sparkwindowing.triggers.{CountTrigger, PurgingTrigger, Trigger}
import dev.sparkwindowing.windows.WindowCollector

/** Consecutive windows of a number of elements of a key, for use beside other windows in [[NamedWindows]]. Build it
  * with [[CountWindows.of]].
  *
  * It is the global window with a trigger that fires at each `size`-th element and purges, as Flink's
  * `countWindow(size)`; alone it takes no other trigger. No element is late.
  *
  * @param size
  *   number of elements
  */
final case class CountWindows private (size: Long) extends WindowAssigner[Any] {

  def assignWindows(element: Any, timestamp: Long, processingTime: Long, windows: WindowCollector): Unit =
    windows.addGlobal()

  def defaultTrigger: Trigger[Any] = PurgingTrigger.of(CountTrigger.of(size))
  def isEventTime: Boolean         = false

  private[sparkwindowing] override def clock: Option[TimeDomain] = None

  override def spec: Spec = PartSpec("CountWindows", Seq("size" -> Spec.Count(size)))
}

object CountWindows {

  /** @param size
    *   number of elements
    * @throws java.lang.IllegalArgumentException
    *   if it is not positive
    */
  def of(size: Long): CountWindows = {
    if (size <= 0) throw new IllegalArgumentException(s"CountWindows: size must be positive, got $size")
    new CountWindows(size)
  }
}
