package dev.sparkwindowing.conformance

import dev.sparkwindowing.functions.JoinKind
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
    val origin = oneOf(0L, 0L, -40L, -1000L, 1700000000000L)
    RandomCase(seed, setup, origin, new Timeline(setup, origin).events())
  }

  private def makeSetup(): Setup = {
    val size     = between(1, 20)
    val assigner = makeAssigner(size)
    Setup(
      assigner,
      trigger = if (chance(20)) None else Some(makeTrigger(assigner)),
      evictor = if (chance(50)) None else Some(makeEvictor()),
      lateness = random.nextInt(20) match {
        case n if n < 10 => 0L
        case n if n < 17 => between(1, 2 * size)
        case n           => Seq(Long.MaxValue, Long.MaxValue - between(0, 30), 1000000000000000L)(n - 17)
      },
      contents =
        oneOf(ContentsSetup.Apply, ContentsSetup.Process, ContentsSetup.Aggregate, ContentsSetup.Join(makeJoin())),
      lateOutput = chance(70)
    )
  }

  private def makeAssigner(size: Long): AssignerSetup = {
    val slide = between(1, 25)
    random.nextInt(11) match {
      case 0 => AssignerSetup.TumblingEventTime(size, offsetBelow(size))
      case 1 => AssignerSetup.SlidingEventTime(size, slide, offsetBelow(slide))
      case 2 => AssignerSetup.Session(size)
      case 3 => AssignerSetup.DynamicSession(makeGaps(size))
      case 4 => AssignerSetup.TumblingProcessingTime(size, offsetBelow(size))
      case 5 => AssignerSetup.SlidingProcessingTime(size, slide, offsetBelow(slide))
      case 6 => AssignerSetup.ProcessingTimeSession(size)
      case 7 => AssignerSetup.DynamicProcessingTimeSession(makeGaps(size))
      case 8 =>
        val (step, steps) = (between(1, 6), between(1, 5))
        AssignerSetup.CumulativeEventTime(step, steps, offsetBelow(step * steps))
      case n => AssignerSetup.Global(firesAtEnd = n == 9)
    }
  }

  // Now and then one that is not positive, which is an error at its element.
  private def makeGaps(size: Long): Gaps = {
    val least = if (chance(10)) -upTo(2) else between(1, size)
    Gaps(least, between(least, size + 3))
  }

  private def makeEvictor(): EvictorSetup = {
    val after = random.nextBoolean()
    random.nextInt(3) match {
      case 0 => EvictorSetup.Count(upTo(4), after)
      case 1 => EvictorSetup.Time(upTo(15), after)
      case _ => EvictorSetup.Delta(makeThreshold(), makeDistance(), after)
    }
  }

  private def makeJoin(): JoinKind = oneOf(JoinKind.Inner, JoinKind.Left, JoinKind.Right, JoinKind.Full)

  private def makeDistance(): Distance = Distance(signed = random.nextBoolean())
  // A multiple of the steps between values, so that distances often are exactly this.
  private def makeThreshold(): Double = between(-1, 7) / 2.0

  // For sessions mostly one that can merge; the others are refused.
  private def makeTrigger(assigner: AssignerSetup): TriggerSetup = {
    val anyLeaf = !assigner.isMerging || chance(10)
    val leaf    = random.nextInt(if (anyLeaf) 9 else 6) match {
      case 0 => TriggerSetup.EventTime
      case 1 => TriggerSetup.ProcessingTime
      case 2 => TriggerSetup.Count(upTo(4))
      case 3 => TriggerSetup.ContinuousEventTime(between(1, 12))
      case 4 => TriggerSetup.ContinuousProcessingTime(between(1, 12))
      case 5 => if (random.nextBoolean()) TriggerSetup.EventTime else TriggerSetup.Count(between(2, 5))
      case 6 => if (chance(70)) TriggerSetup.Delta(makeThreshold(), makeDistance()) else TriggerSetup.Never
      case 7 => TriggerSetup.Delta(makeThreshold(), makeDistance())
      case _ => TriggerSetup.EndOfStream
    }
    Iterator.iterate(leaf)(nest(_, anyLeaf)).drop(upTo(2).toInt + upTo(1).toInt).next()
  }

  private def nest(trigger: TriggerSetup, canTimeOut: Boolean): TriggerSetup = {
    val timeout = TriggerSetup.Timeout(trigger, between(1, 20), random.nextBoolean(), random.nextBoolean())
    random.nextInt(4) match {
      case 0                                                         => TriggerSetup.Purging(trigger)
      case 1 if canTimeOut && !LeftOut.timeoutWithinTimeout(timeout) => timeout
      case _                                                         => trigger
    }
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
        case AssignerSetup.CumulativeEventTime(step, steps, _) =>
          setup.copy(assigner =
            oneOf(
              AssignerSetup.CumulativeEventTime(0, steps, 0),
              AssignerSetup.CumulativeEventTime(step, steps, step * steps)
            )
          )
        case AssignerSetup.Session(_)                   => setup.copy(assigner = AssignerSetup.Session(-upTo(1)))
        case AssignerSetup.TumblingProcessingTime(_, _) =>
          setup.copy(assigner = AssignerSetup.TumblingProcessingTime(0, 0))
        case AssignerSetup.SlidingProcessingTime(size, slide, _) =>
          setup.copy(assigner =
            oneOf(
              AssignerSetup.SlidingProcessingTime(-1, slide, 0),
              AssignerSetup.SlidingProcessingTime(size, slide, slide)
            )
          )
        case AssignerSetup.ProcessingTimeSession(_) =>
          setup.copy(assigner = AssignerSetup.ProcessingTimeSession(-upTo(1)))
        case _: AssignerSetup.DynamicSession | _: AssignerSetup.DynamicProcessingTimeSession |
            _: AssignerSetup.Global =>
          setup.copy(lateness = -1)
      }

  /** The events: time moves on in small irregular steps, elements scatter around it, watermarks follow. */
  private final class Timeline(setup: Setup, origin: Long) {
    private[this] val keys      = Vector("a", "b", "c", "d").take(between(1, 4).toInt)
    private[this] val ends      = mutable.ArrayBuffer(origin) // of event time, where it gets interesting
    private[this] val alarms    = mutable.ArrayBuffer(origin) // of the clock
    private[this] var time      = origin
    private[this] var clock     = origin
    private[this] var watermark = Long.MinValue
    private[this] var last      = origin
    private[this] var values    = 0L

    // Of a setup that will be refused too, where these may be senseless.
    private val (sizeAsSet, gridAsSet, offset) = setup.assigner match {
      case AssignerSetup.TumblingEventTime(s, o)            => (s, s, o)
      case AssignerSetup.SlidingEventTime(s, d, o)          => (s, d, o)
      case AssignerSetup.CumulativeEventTime(s, n, o)       => (s * n, s, o)
      case AssignerSetup.Session(g)                         => (g, g, 0L)
      case AssignerSetup.DynamicSession(gaps)               => (gaps.most, gaps.most, 0L)
      case AssignerSetup.TumblingProcessingTime(s, o)       => (s, s, o)
      case AssignerSetup.SlidingProcessingTime(s, d, o)     => (s, d, o)
      case AssignerSetup.ProcessingTimeSession(g)           => (g, g, 0L)
      case AssignerSetup.DynamicProcessingTimeSession(gaps) => (gaps.most, gaps.most, 0L)
      case AssignerSetup.Global(_)                          => (10L, 10L, 0L)
    }
    private val size = math.max(1, sizeAsSet)
    private val grid = math.max(1, gridAsSet)

    def events(): Vector[Event] = {
      val body = Vector.fill(between(20, 60).toInt)(next())
      if (chance(20) && !LeftOut.endlessAtLastWatermark(setup)) body :+ Event.Watermark(Long.MaxValue) else body
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
      val timestamp = random.nextInt(800) match {
        case n if n < 4 && !LeftOut.endlessWithoutTimestamp(setup) => Long.MinValue
        case n if n < 120                                          => last
        case n if n < 240                                          => onGrid(scatter)
        case n if n < 320                                          => onGrid(scatter) - 1
        case n if n < 380 => last + oneOf(-1L, 1L) * size // sessions that just touch
        case _            => scatter
      }
      values += 1
      if (timestamp != Long.MinValue) {
        last = timestamp
        noteEnds(timestamp)
        setup.trigger.foreach(noteFirings(timestamp, _))
      }
      Event.Element(keys(random.nextInt(keys.size)), values, timestamp)
    }

    private def onGrid(timestamp: Long): Long = TimeWindow.startOf(timestamp, offset, grid)

    private def noteEnds(timestamp: Long): Unit = setup.assigner match {
      case AssignerSetup.Session(gap)                       => ends += timestamp + gap - 1
      case AssignerSetup.DynamicSession(gaps)               => ends += timestamp + gaps.of(values) - 1
      case AssignerSetup.ProcessingTimeSession(gap)         => alarms += clock + gap - 1
      case AssignerSetup.DynamicProcessingTimeSession(gaps) => alarms += clock + gaps.of(values) - 1
      case AssignerSetup.CumulativeEventTime(step, _, _)    =>
        ends += onGrid(timestamp) + step - 1
        ends += TimeWindow.startOf(timestamp, offset, size) + size - 1
      case _ =>
        ends += onGrid(timestamp) + size - 1
        alarms += onGrid(clock) + size - 1
    }

    // The times at which an element that comes now lets a trigger fire.
    private def noteFirings(timestamp: Long, trigger: TriggerSetup): Unit = trigger match {
      case TriggerSetup.ContinuousEventTime(i)         => ends += timestamp - timestamp % i + i * between(0, 2)
      case TriggerSetup.ContinuousProcessingTime(i)    => alarms += clock - clock       % i + i * between(0, 2)
      case TriggerSetup.Timeout(nested, timeout, _, _) =>
        alarms += clock + timeout
        noteFirings(timestamp, nested)
      case TriggerSetup.Purging(nested) => noteFirings(timestamp, nested)
      case _                            => ()
    }

    private def interesting(times: mutable.ArrayBuffer[Long] = ends): Long =
      times(math.max(0, times.size - 1 - random.nextInt(8)))

    private def moveWatermark(): Event = {
      val cleanup = interesting() + setup.lateness
      watermark = random.nextInt(20) match {
        case 0 | 1      => watermark
        case 2          => if (watermark == Long.MinValue) time else watermark - between(1, size + 1)
        case n if n < 8 => math.max(watermark, interesting() + oneOf(-1L, 0L, 0L, 1L))
        case n if n < 12 && isNear(cleanup) && !LeftOut.endlessAtLastWatermark(setup) =>
          math.max(watermark, cleanup + oneOf(-1L, 0L, 0L, 1L))
        case 12 if chance(10) && mayEnd => Long.MaxValue
        case _                          => math.max(watermark, time - upTo(2 * size + 2))
      }
      Event.Watermark(watermark)
    }

    private def mayEnd: Boolean = !LeftOut.lastWatermarkAmidSessions(setup) && !LeftOut.endlessAtLastWatermark(setup)

    private def isNear(t: Long): Boolean = math.abs(t - time) < 1000

    private def moveClock(): Event = {
      clock = random.nextInt(5) match {
        case 0 => math.max(clock, interesting() + oneOf(-1L, 0L, 1L))
        case 1 => math.max(clock, interesting(alarms) + oneOf(-1L, 0L, 0L, 1L))
        case 2 => math.max(clock, TimeWindow.startOf(clock, offset, grid) + size - 1)
        case 3 => clock + upTo(size)
        case _ => math.max(clock, time)
      }
      Event.Clock(clock)
    }
  }
}
