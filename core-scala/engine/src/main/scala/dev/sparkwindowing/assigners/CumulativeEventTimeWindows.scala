package dev.sparkwindowing.assigners

import dev.sparkwindowing.declaration.{PartSpec, Spec}
import dev.sparkwindowing.windows.{CumulativeSlices, Millis, SliceGrid, TimeWindow, WindowCollector}

import java.time.Duration

/** Event-time windows that start together and end a step apart: `[start, start + step)`, `[start, start + 2 step)` and
  * so on up to `maxSize`, then again from the end of the longest. CUMULATE of Flink SQL.
  *
  * An element belongs to every window from the first that ends after it: at most maxSize / step windows. Build it with
  * [[CumulativeEventTimeWindows.of]].
  */
final case class CumulativeEventTimeWindows private (maxSize: Long, step: Long, offset: Long)
    extends EventTimeAssigner[Any] {

  def assignWindows(element: Any, timestamp: Long, processingTime: Long, windows: WindowCollector): Unit = {
    EventTime.require(timestamp)
    val start = TimeWindow.startOf(timestamp, offset, maxSize)
    var end   = start + maxSize
    while (end > timestamp) {
      windows.add(start, end)
      end -= step
    }
  }

  override private[sparkwindowing] def slices: Option[SliceGrid] = Some(CumulativeSlices(maxSize, step, offset))

  override def spec: Spec =
    PartSpec("CumulativeEventTimeWindows", Seq("maxSize" -> Spec.millis(maxSize), "step" -> Spec.millis(step)))
      .option("offset", Spec.millis(offset), Spec.millis(0))
}

object CumulativeEventTimeWindows {

  /** @param maxSize
    *   length of the longest window, positive
    * @param step
    *   length of the shortest window and distance from one end to the next; `maxSize` must be a multiple of it
    * @param offset
    *   shift of the grid, shorter than `maxSize`; may be negative
    * @throws java.lang.IllegalArgumentException
    *   if `maxSize` is no multiple of `step`, or abs(offset) >= maxSize
    */
  def of(maxSize: Duration, step: Duration, offset: Duration = Duration.ZERO): CumulativeEventTimeWindows = {
    val (m, s, o)            = (Millis.of("max_size", maxSize), Millis.of("step", step), Millis.of("offset", offset))
    def refuse(rule: String) =
      Millis.refuse(s"CumulativeEventTimeWindows: $rule", "max_size" -> m, "step" -> s, "offset" -> o)
    if (m <= 0 || s <= 0 || o <= -m || o >= m)
      refuse("max_size and step must be positive and abs(offset) < max_size")
    if (m % s != 0) refuse("max_size must be a multiple of step")
    new CumulativeEventTimeWindows(m, s, o)
  }
}
