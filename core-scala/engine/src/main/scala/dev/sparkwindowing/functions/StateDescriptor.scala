package dev.sparkwindowing.functions

import dev.sparkwindowing.codec.ValueCodec

/** Names a piece of state of a function and says how it is written. A name belongs to one piece of a key or window. */
sealed trait StateDescriptor {
  def name: String
}

/** One value. */
final case class ValueStateDescriptor[T](name: String, codec: ValueCodec[T]) extends StateDescriptor

/** A list of values. */
final case class ListStateDescriptor[T](name: String, codec: ValueCodec[T]) extends StateDescriptor

/** One value, into which others are reduced. */
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

/** A map, read and written as a whole. */
final case class MapStateDescriptor[K, V](name: String, keys: ValueCodec[K], values: ValueCodec[V])
    extends StateDescriptor
