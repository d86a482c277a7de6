package dev.sparkwindowing.triggers

import dev.sparkwindowing.codec.ValueCodec

/** The memory of a trigger for one window: numbers and values, which the trigger reaches by position through its
  * context. Their names are for those who look into a checkpoint.
  *
  * Positions, not names as in the state of functions: a trigger is called for every element, and a name would cost a
  * lookup there and its bytes in every window of the state.
  */
final case class TriggerMemory(
    numbers: IndexedSeq[TriggerMemory.Number],
    values: IndexedSeq[TriggerMemory.Value]
) {

  /** With the numbers and values of another trigger, or further ones, behind these. */
  def ++(more: TriggerMemory): TriggerMemory = TriggerMemory(numbers ++ more.numbers, values ++ more.values)

  /** The same with a prefix to each name, for one of several nested triggers. */
  def under(prefix: String): TriggerMemory = TriggerMemory(
    numbers.map(n => n.copy(name = prefix + n.name)),
    values.map(v => v.copy(name = prefix + v.name))
  )
}

object TriggerMemory {

  /** @param isTime
    *   whether it is a time in milliseconds since the epoch
    */
  final case class Number(name: String, isTime: Boolean)

  final case class Value(name: String, codec: ValueCodec[_ <: AnyRef])

  val None: TriggerMemory = TriggerMemory(IndexedSeq.empty, IndexedSeq.empty)

  /** A number that is set and counted. */
  def number(name: String): TriggerMemory = TriggerMemory(IndexedSeq(Number(name, isTime = false)), IndexedSeq.empty)

  /** A number that is a time in milliseconds. */
  def time(name: String): TriggerMemory = TriggerMemory(IndexedSeq(Number(name, isTime = true)), IndexedSeq.empty)

  /** A value of any other type, written by `codec`. */
  def value(name: String, codec: ValueCodec[_ <: AnyRef]): TriggerMemory =
    TriggerMemory(IndexedSeq.empty, IndexedSeq(Value(name, codec)))
}
