package dev.sparkwindowing.spark.realtime

import dev.sparkwindowing.spark.plan.RealTimeMode
import dev.sparkwindowing.spark.task.TimerIndex
import dev.sparkwindowing.watermarks.{WatermarkOutput, WatermarkValve}

/** Memory of a partition between the long micro-batches of a run: the timers of its keys, and the watermarks of the
  * source tasks, of which some may be idle. In real-time mode a task that fails ends the run, so no version of the
  * state comes twice in one.
  */
private[spark] final class LiveMemory(val index: TimerIndex) {
  private[this] var valve: WatermarkValve = _
  private[this] var silence               = Array.emptyLongArray // of each source task
  private[this] var version               = LiveMemory.NoVersion
  private[this] var current               = Long.MinValue

  /** Begins a micro-batch on this version of the state.
    *
    * @param sparks
    *   its watermark
    * @param fill
    *   adds all keys of the state to the index
    */
  def begin(version: Long, sparks: Long)(fill: => Unit): Unit = {
    if (this.version != version) {
      valve = null
      current = Long.MinValue
      index.clear()
      fill
    } else if (
      index.eventTimers.size + index.processingTimers.size > LiveMemory.Entries * index.sums.rows + LiveMemory.Few
    ) {
      // A key whose next timer comes nearer and then moves away again leaves entries behind.
      index.clear()
      fill
    }
    this.version = LiveMemory.NoVersion
    current = math.max(current, sparks)
  }

  /** The watermark, `Long.MinValue` before the first. */
  def watermark: Long = current

  /** Takes the watermark of a source task, or that it has had no row. One that has had none for too long, also over the
    * ends of micro-batches, is idle.
    *
    * @return
    *   the watermark of all
    */
  def told(task: Int, of: Int, watermark: Long, mode: RealTimeMode): Long = {
    if (valve == null || silence.length != of) {
      valve = new WatermarkValve(of, LiveMemory.Nobody)
      silence = new Array(of)
    }
    if (InBandColumns.isSilent(watermark)) {
      silence(task) += InBandColumns.silenceOf(watermark)
      if (mode.isIdle(silence(task), InBandColumns.hadRowOf(watermark))) valve.inputIdle(task)
    } else {
      silence(task) = 0L
      valve.inputActive(task)
      if (watermark != Long.MinValue) valve.inputWatermark(task, watermark)
    }
    current = math.max(current, valve.watermark)
    current
  }

  /** Ends a micro-batch whose state has this version. */
  def complete(version: Long): Unit = this.version = version
}

private object LiveMemory {
  private val NoVersion = -1L

  // Entries of the index for each key, and for few keys, before it is filled anew.
  private val Entries = 4
  private val Few     = 1000

  private object Nobody extends WatermarkOutput {
    def emitWatermark(watermark: Long): Unit = ()
    def markIdle(): Unit                     = ()
    def markActive(): Unit                   = ()
  }
}
