package dev.sparkwindowing.spark.portable

import dev.sparkwindowing.operator.{StateCell, Step}
import dev.sparkwindowing.testing._
import org.apache.spark.api.java.Optional
import org.apache.spark.sql.streaming.TestGroupState

import scala.collection.mutable

/** Plays a time line through the state of the portable operator, on Spark's own `TestGroupState`: keys with rows first,
  * then those whose timeout has passed, as Spark calls them.
  *
  * A scenario's timer of processing time is due at its time, and not a millisecond later as in Spark.
  */
final class PortablePlayer[C <: AnyRef](over: Replay.Over[C], kept: Kept[C], shown: Shown, timersOf: PortableTimers)
    extends Player {
  import PortablePlayer._

  private[this] val out       = new Outputs(kept, shown)
  private[this] val keys      = mutable.LinkedHashMap.empty[String, Stored]
  private[this] val times     = mutable.Map.empty[String, Long]
  private[this] var operator  = over(out)
  private[this] var now       = 0L
  private[this] var clock     = 0L
  private[this] var hasClock  = false
  private[this] val cell      = new GroupCell(timersOf, hasWatermark = true, Query, _ => ())
  private[this] val scenarios = new StateCell {
    def block: Array[Byte]      = cell.block
    def watermark: Long         = cell.watermark
    def previousWatermark: Long = cell.previousWatermark
    def processingTime: Long    = if (hasClock) cell.processingTime else Long.MinValue
    def dueProcessingTime: Long = processingTime
    def remove(): Unit          = cell.remove()
    def save(block: Array[Byte], event: Long, processing: Long, windows: Int, events: Int, processings: Int): Unit =
      cell.save(block, event, processing, windows, events, processings)
  }

  def watermark: Long = cell.watermark

  def play(steps: Seq[ScenarioStep]): Happened = {
    steps.map(_.event).foreach {
      case ScenarioEvent.Watermark(time) => now = math.max(now, time + 1)
      case ScenarioEvent.Clock(time)     =>
        clock = time
        hasClock = true
      case ScenarioEvent.Restore => operator = over(out)
      case _: ScenarioEvent.Row  => ()
      case other                 => Player.refuse(other)
    }
    val rows = steps.map(_.event).collect { case r: ScenarioEvent.Row => r }
    rows.map(_.key).distinct.foreach(key => call(key, rows.filter(_.key == key), hasTimedOut = false))
    keys.toSeq
      .collect { case (key, stored) if stored.timeout.exists(isPast) => key }
      .foreach(call(_, Nil, hasTimedOut = true))
    out.take()
  }

  private def isPast(timeout: Long): Boolean =
    if (timersOf == PortableTimers.EventTime) timeout < now else timeout <= clock

  private def call(key: String, rows: Seq[ScenarioEvent.Row], hasTimedOut: Boolean): Unit = {
    out.key = key
    val before = keys.get(key)
    val group  = TestGroupState.create[Array[Byte]](
      before.fold(Optional.empty[Array[Byte]]())(s => Optional.of(s.bytes)),
      timersOf.timeout,
      clock,
      Optional.of(now),
      hasTimedOut
    )
    val input = rows.iterator.map { r =>
      times(r.value) = r.at
      r.value
    }
    cell.open(group)
    new Step[String](operator, times.apply, rowsFirst = false).run(input, scenarios)
    cell.close()
    // Spark forgets a timeout that is not set again.
    val timeout = if (group.getTimeoutTimestampMs.isPresent) Some(group.getTimeoutTimestampMs.get) else None
    if (group.exists) keys(key) = Stored(group.get, timeout) else keys -= key
  }

  def timers: TimerCounts = keys.values.foldLeft(TimerCounts(0, 0)) { (sum, stored) =>
    operator.open(PortableState.read(stored.bytes, Query).block)
    TimerCounts(sum.event + operator.eventTimerCount, sum.clock + operator.processingTimerCount)
  }
}

object PortablePlayer {
  private val Query = 20L

  private final case class Stored(bytes: Array[Byte], timeout: Option[Long])
}
