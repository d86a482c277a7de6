package dev.sparkwindowing.spark.realtime

import dev.sparkwindowing.spark.relocated.Relocated.{EventTimeStats, EventTimeStatsAccum}
import org.apache.spark.SparkContext
import org.apache.spark.util.CollectionAccumulator

/** Event times of a long micro-batch in real-time mode, of which the highest is such that Spark's next watermark is
  * that which the operator has reached: Spark itself would take the fastest source task, and rows of a slower one would
  * be late from the next micro-batch on. It stays on the driver.
  *
  * @param delay
  *   of the watermark, in milliseconds
  */
private[spark] final class ReachedWatermark(delay: Long) extends EventTimeStatsAccum {

  /** The watermark of each partition at its end. One of Spark's own classes, since a jar added to a running session is
    * not visible where task results are read.
    */
  private[this] val reached = new CollectionAccumulator[java.lang.Long]

  /** Called on the driver before the tasks of a micro-batch.
    *
    * @return
    *   where they put the watermark that they have reached
    */
  def begin(context: SparkContext): CollectionAccumulator[java.lang.Long] = {
    if (!reached.isRegistered) context.register(reached)
    reached
  }

  override def value: EventTimeStats = {
    val all = reached.value
    var min = Long.MaxValue
    all.forEach(watermark => min = math.min(min, watermark))
    // The engine's watermark is the last time that may not come any more, Spark's the first that may.
    if (all.isEmpty || min == Long.MinValue) EventTimeStats.zero
    else {
      val highest = min + 1 + delay
      EventTimeStats(highest, highest, highest.toDouble, 1L)
    }
  }
}
