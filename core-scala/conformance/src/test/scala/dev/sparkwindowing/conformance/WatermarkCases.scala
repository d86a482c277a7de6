package dev.sparkwindowing.conformance

import scala.util.Random

/** Event of a valve. */
sealed trait ValveEvent extends Product with Serializable

object ValveEvent {
  final case class Watermark(input: Int, time: Long) extends ValveEvent
  final case class Idle(input: Int)                  extends ValveEvent
  final case class Active(input: Int)                extends ValveEvent
}

/** Event of a watermark generator; processing time is `time` from a probe on. */
sealed trait InputEvent extends Product with Serializable

object InputEvent {
  final case class Element(timestamp: Long) extends InputEvent
  final case class Probe(time: Long)        extends InputEvent
}

/** A generator as a value, for both sides.
  *
  * @param idleTimeout
  *   none if 0
  */
final case class GeneratorSetup(kind: GeneratorKind, idleTimeout: Long)

sealed trait GeneratorKind extends Product with Serializable

object GeneratorKind {
  final case class Bounded(delay: Long) extends GeneratorKind
  case object Monotonous                extends GeneratorKind

  /** Elements at multiples of `every` prove their own time. */
  final case class Punctuated(every: Long) extends GeneratorKind
  case object None                         extends GeneratorKind

  /** Those that a random case chooses from. */
  val all: Seq[Random => GeneratorKind] =
    Seq(r => Bounded(r.nextInt(8).toLong), _ => Monotonous, r => Punctuated(1L + r.nextInt(5)), _ => None)
}

final case class ValveCase(seed: Long, inputs: Int, events: Vector[ValveEvent])

final case class GeneratorCase(seed: Long, setup: GeneratorSetup, events: Vector[InputEvent])

/** Random cases, the same for a seed each time. */
object WatermarkCases {

  def valve(seed: Long): ValveCase = {
    val random = seeded(seed)
    val inputs = 1 + random.nextInt(4)
    val events = Vector.tabulate(40) { i =>
      val input = random.nextInt(inputs)
      random.nextInt(10) match {
        case 0 | 1 => ValveEvent.Idle(input)
        case 2 | 3 => ValveEvent.Active(input)
        case _     => ValveEvent.Watermark(input, i + random.nextInt(20) - 15L)
      }
    }
    ValveCase(seed, inputs, events)
  }

  def generator(seed: Long): GeneratorCase = {
    val random = seeded(seed)
    val kind   = GeneratorKind.all(random.nextInt(GeneratorKind.all.size))(random)
    val setup  = GeneratorSetup(kind, if (random.nextInt(4) == 0) 0 else 1L + random.nextInt(12))
    val clocks = Iterator.iterate(1000L)(_ + random.nextInt(6)) // not from 0: Flink's count takes 0 for "not started"
    val events = Vector.tabulate(50) { i =>
      random.nextInt(10) match {
        case 0 if random.nextInt(4) == 0 => InputEvent.Element(Long.MinValue)
        case 0 | 1 | 2                   => InputEvent.Element(i + random.nextInt(20) - 15L)
        case _                           => InputEvent.Probe(clocks.next())
      }
    }
    GeneratorCase(seed, setup, events)
  }

  // Neighbouring seeds start alike.
  private def seeded(seed: Long): Random = {
    val random = new Random(seed)
    random.nextInt()
    random
  }
}
