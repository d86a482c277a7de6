package dev.sparkwindowing.triggers

import dev.sparkwindowing.codec.ValueCodec

/** State of a trigger for one window: numbers and values. The trigger accesses them by position through its context.
  * Their names only serve to read a checkpoint.
  *
  * State is accessed by position, unlike the state of functions: a trigger is called for every element, and a name
  * would cost a lookup per call and bytes in every window of the state.
  */
final case class TriggerMemory(
    numbers: IndexedSeq[TriggerMemory.Number],
    values: IndexedSeq[TriggerMemory.Value]
) {

  /** Appends further numbers and values, such as those of another trigger. */
  def ++(more: TriggerMemory): TriggerMemory = TriggerMemory(numbers ++ more.numbers, values ++ more.values)

  /** The memory of windows that have either this or another, by position: a number or value of both has both names,
    * unless they are one.
    */
  def or(other: TriggerMemory): TriggerMemory = {
    def either(name: String, another: String) = if (name == another) name else s"${name}_or_$another"
    def both[A](mine: IndexedSeq[A], its: IndexedSeq[A])(join: (A, A) => A) =
      mine.zip(its).map(join.tupled) ++ mine.drop(its.size) ++ its.drop(mine.size)
    TriggerMemory(
      both(numbers, other.numbers)((a, b) => TriggerMemory.Number(either(a.name, b.name), a.isTime && b.isTime)),
      both(values, other.values)((a, b) => a.copy(name = either(a.name, b.name)))
    )
  }

  /** A copy with a prefix added to each name, for one of several nested triggers. */
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

  /** A number that is not a time, such as a count. */
  def number(name: String): TriggerMemory = TriggerMemory(IndexedSeq(Number(name, isTime = false)), IndexedSeq.empty)

  /** A number that is a time in milliseconds since the epoch. */
  def time(name: String): TriggerMemory = TriggerMemory(IndexedSeq(Number(name, isTime = true)), IndexedSeq.empty)

  /** A value of any other type, written by `codec`. */
  def value(name: String, codec: ValueCodec[_ <: AnyRef]): TriggerMemory =
    TriggerMemory(IndexedSeq.empty, IndexedSeq(Value(name, codec)))
}
