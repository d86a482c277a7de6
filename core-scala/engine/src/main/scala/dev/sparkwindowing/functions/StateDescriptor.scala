package dev.sparkwindowing.functions

import dev.sparkwindowing.codec.ValueCodec

/** Name and codec of a function's state. Names are unique within a key or window. */
sealed trait StateDescriptor {
  def name: String
}

/** A single value. */
final case class ValueStateDescriptor[T](name: String, codec: ValueCodec[T]) extends StateDescriptor

/** A list of values. */
final case class ListStateDescriptor[T](name: String, codec: ValueCodec[T]) extends StateDescriptor

/** A single value, into which added values are reduced. */
final case class ReducingStateDescriptor[T](name: String, reduce: (T, T) => T, codec: ValueCodec[T])
    extends StateDescriptor

/** An accumulator, to which values are added. */
final case class AggregatingStateDescriptor[IN, ACC, OUT](
    name: String,
    create: () => ACC,
    add: (ACC, IN) => ACC,
    result: ACC => OUT,
    codec: ValueCodec[ACC]
) extends StateDescriptor

/** A map. A large one is read and written in parts, by a hash of its keys, if the codec reads these as texts, numbers,
  * flags, `UUID`, `LocalDate`, `Instant`, or tuples and sequences of these; with other keys it is read and written as a
  * whole.
  */
final case class MapStateDescriptor[K, V](name: String, keys: ValueCodec[K], values: ValueCodec[V])
    extends StateDescriptor
