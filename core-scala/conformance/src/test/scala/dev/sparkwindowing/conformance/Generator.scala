package dev.sparkwindowing.conformance

import dev.sparkwindowing.windows.TimeWindow

import scala.collection.mutable
import scala.util.Random

/** Makes a case of a seed, always the same. */
final class Generator(seed: Long) {
  private[this] val random = new Random(seed)
  // Neighbouring seeds start alike.
  random.nextInt()

  private def upTo(n: Long): Long        = random.nextInt(n.toInt + 1).toLong
  private def between(a: Long, b: Long)  = a + upTo(b - a)
  private def chance(percent: Int)       = random.nextInt(100) < percent
  private def oneOf[T](values: T*): T    = values(random.nextInt(values.size))
  private def offsetBelow(n: Long): Long = if (chance(50)) 0 else between(1 - n, n - 1)

  def make(): RandomCase = {
    val setup  = spoil(makeSetup())
    val origin = oneOf(0L, 0L, -40L, 1700000000000L)
    RandomCase(seed, setup, origin, new Timeline(setup, origin).events())
  }

  private def makeSetup(): Setup = {
    val size     = between(1, 20)
    val assigner = random.nextInt(5) match {
      case 0 => AssignerSetup.TumblingEventTime(size, offsetBelow(size))
      case 1 =>
        val slide = between(1, 25)
        AssignerSetup.SlidingEventTime(size, slide, offsetBelow(slide))
      case 2 => AssignerSetup.Session(size)
      case 3 => AssignerSetup.TumblingProcessingTime(size, offsetBelow(size))
      case _ => AssignerSetup.Global
    }
    Setup(
      assigner,
      trigger = if (chance(25)) None else Some(makeTrigger()),
      evictor = if (chance(60)) None else Some(EvictorSetup(upTo(4), random.nextBoolean())),
      lateness = random.nextInt(20) match {
        case n if n < 10 => 0L
        case n if n < 17 => between(1, 2 * size)
        case n           => Seq(Long.MaxValue, Long.MaxValue - between(0, 30), 1000000000000000L)(n - 17)
      },
      contents = oneOf(ContentsSetup.Apply, ContentsSetup.Process, ContentsSetup.Aggregate),
      lateOutput = chance(70)
    )
  }

  private def makeTrigger(): TriggerSetup = random.nextInt(20) match {
    case n if n < 4  => TriggerSetup.EventTime
    case n if n < 7  => TriggerSetup.ProcessingTime
    case n if n < 11 => TriggerSetup.Count(upTo(4))
    case 11          => TriggerSetup.Never
    case n if n < 15 => TriggerSetup.Purging(TriggerSetup.EventTime)
    case n if n < 17 => TriggerSetup.Purging(TriggerSetup.ProcessingTime)
    case _           => TriggerSetup.Purging(TriggerSetup.Count(upTo(4)))
  }

  // Now and then an argument that must be refused.
  private def spoil(setup: Setup): Setup =
    if (!chance(3)) setup
    else
      setup.assigner match {
        case AssignerSetup.TumblingEventTime(size, _) =>
          setup.copy(assigner = AssignerSetup.TumblingEventTime(size, oneOf(size, -size)))
        case AssignerSetup.SlidingEventTime(size, slide, _) =>
          setup.copy(assigner =
            oneOf(AssignerSetup.SlidingEventTime(0, slide, 0), AssignerSetup.SlidingEventTime(size, slide, -slide))
          )
        case AssignerSetup.Session(_)                   => setup.copy(assigner = AssignerSetup.Session(-upTo(1)))
        case AssignerSetup.TumblingProcessingTime(_, _) =>
          setup.copy(assigner = AssignerSetup.TumblingProcessingTime(0, 0))
        case AssignerSetup.Global => setup.copy(lateness = -1)
      }

  /** The events: time moves on in small irregular steps, elements scatter around it, watermarks follow. */
  private final class Timeline(setup: Setup, origin: Long) {
    private[this] val keys      = Vector("a", "b", "c", "d").take(between(1, 4).toInt)
    private[this] val ends      = mutable.ArrayBuffer(origin) // last milliseconds of windows, where it gets interesting
    private[this] var time      = origin
    private[this] var clock     = origin
    private[this] var watermark = Long.MinValue
    private[this] var last      = origin
    private[this] var values    = 0L

    // Of a setup that will be refused too, where these may be senseless.
    private val (sizeAsSet, gridAsSet, offset) = setup.assigner match {
      case AssignerSetup.TumblingEventTime(s, o)      => (s, s, o)
      case AssignerSetup.SlidingEventTime(s, d, o)    => (s, d, o)
      case AssignerSetup.Session(g)                   => (g, g, 0L)
      case AssignerSetup.TumblingProcessingTime(s, o) => (s, s, o)
      case AssignerSetup.Global                       => (10L, 10L, 0L)
    }
    private val size = math.max(1, sizeAsSet)
    private val grid = math.max(1, gridAsSet)

    def events(): Vector[Event] = {
      val body = Vector.fill(between(20, 60).toInt)(next())
      if (chance(20)) body :+ Event.Watermark(Long.MaxValue) else body
    }

    private def next(): Event = {
      time += upTo(math.max(1, size / 4))
      random.nextInt(100) match {
        case n if n < 60 => element()
        case n if n < 80 => moveWatermark()
        case n if n < 96 => moveClock()
        case _           =>
          watermark = Long.MinValue
          Event.Restore
      }
    }

    private def element(): Event = {
      val scatter   = time + math.round(random.nextGaussian() * (size + 2))
      val timestamp = random.nextInt(400) match {
        case 0            => Long.MinValue
        case n if n < 60  => last
        case n if n < 120 => onGrid(scatter)
        case n if n < 160 => onGrid(scatter) - 1
        case n if n < 190 => last + oneOf(-1L, 1L) * size // sessions that just touch
        case _            => scatter
      }
      if (timestamp != Long.MinValue) {
        last = timestamp
        noteEnds(timestamp)
      }
      values += 1
      Event.Element(keys(random.nextInt(keys.size)), values, timestamp)
    }

    private def onGrid(timestamp: Long): Long = TimeWindow.startOf(timestamp, offset, grid)

    private def noteEnds(timestamp: Long): Unit = setup.assigner match {
      case AssignerSetup.Session(gap) => ends += timestamp + gap - 1
      case _                          => ends += onGrid(timestamp) + size - 1
    }

    private def interesting(): Long = ends(math.max(0, ends.size - 1 - random.nextInt(8)))

    private def moveWatermark(): Event = {
      val cleanup = interesting() + setup.lateness
      watermark = random.nextInt(20) match {
        case 0 | 1      => watermark
        case 2          => if (watermark == Long.MinValue) time else watermark - between(1, size + 1)
        case n if n < 8 => math.max(watermark, interesting() + oneOf(-1L, 0L, 0L, 1L))
        case n if n < 12 && isNear(cleanup) => math.max(watermark, cleanup + oneOf(-1L, 0L, 0L, 1L))
        case 12 if chance(10) && !isSession => Long.MaxValue
        case _                              => math.max(watermark, time - upTo(2 * size + 2))
      }
      Event.Watermark(watermark)
    }

    // The last watermark of all can find a session over that was never to be cleaned up. Flink then takes it off its live
    // set and leaves its contents and timers behind, here they go with it: for sessions it comes at the end only.
    private def isSession: Boolean = setup.assigner match {
      case AssignerSetup.Session(_) => true
      case _                        => false
    }

    private def isNear(t: Long): Boolean = math.abs(t - time) < 1000

    private def moveClock(): Event = {
      clock = random.nextInt(4) match {
        case 0 => math.max(clock, interesting() + oneOf(-1L, 0L, 1L))
        case 1 => math.max(clock, TimeWindow.startOf(clock, offset, grid) + size - 1)
        case 2 => clock + upTo(size)
        case _ => math.max(clock, time)
      }
      Event.Clock(clock)
    }
  }
}
