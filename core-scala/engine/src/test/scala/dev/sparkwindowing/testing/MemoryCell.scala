package dev.sparkwindowing.testing

import dev.sparkwindowing.operator.StateCell

/** The state of one key in memory, as a host of the operator keeps it. Its pieces are small, so that there are many. */
final class MemoryCell extends StateCell {
  override val pieces: MemoryPieces = new MemoryPieces(MemoryPieces.SmallPages)
  var block: Array[Byte]            = _
  var watermark: Long               = Long.MinValue
  var previousWatermark: Long       = Long.MinValue
  var knownNext: Option[Long]       = None
  var processingTime: Long          = Long.MinValue
  var dueUntil: Long                = Long.MaxValue
  def dueProcessingTime: Long       = processingTime
  var nextEventTimer: Long          = StateCell.NoTimer
  var nextProcessingTimer: Long     = StateCell.NoTimer
  var windows: Int                  = 0
  var timers: Int                   = 0
  var saves: Int                    = 0

  override def nextWatermark: Long = knownNext.getOrElse(watermark)
  override def dueEventTime: Long  = math.min(watermark, dueUntil)

  def isDue: Boolean = nextEventTimer <= watermark || nextProcessingTimer <= dueProcessingTime

  def save(
      block: Array[Byte],
      nextEventTimer: Long,
      nextProcessingTimer: Long,
      windows: Int,
      eventTimers: Int,
      processingTimers: Int
  ): Unit = {
    this.block = block
    this.nextEventTimer = nextEventTimer
    this.nextProcessingTimer = nextProcessingTimer
    this.windows = windows
    timers = eventTimers + processingTimers
    saves += 1
  }

  def remove(): Unit =
    save(null, StateCell.NoTimer, StateCell.NoTimer, 0, 0, 0)
}
