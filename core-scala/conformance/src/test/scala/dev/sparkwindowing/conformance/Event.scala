package dev.sparkwindowing.conformance

/** Event of an operator; times are milliseconds. */
sealed trait Event extends Product with Serializable

object Event {

  /** An element; `value` is its number in the case. A timestamp of `Long.MinValue` is none. */
  final case class Element(key: String, value: Long, timestamp: Long) extends Event

  /** The watermark is now this. It may repeat or fall: neither operator checks that. */
  final case class Watermark(time: Long) extends Event

  /** The clock is now this; it never falls. */
  final case class Clock(time: Long) extends Event

  /** The operator is saved, thrown away, and built again from what was saved. */
  case object Restore extends Event
}

/** A random case: everything that one seed says.
  *
  * @param clock
  *   the clock at the start
  */
final case class RandomCase(seed: Long, setup: Setup, clock: Long, events: Vector[Event])
