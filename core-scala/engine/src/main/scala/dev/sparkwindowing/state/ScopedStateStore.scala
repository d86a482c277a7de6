package dev.sparkwindowing.state

import dev.sparkwindowing.codec.ValueCodec
import dev.sparkwindowing.functions.{
  AggregatingState,
  AggregatingStateDescriptor,
  KeyedStateStore,
  ListState,
  ListStateDescriptor,
  MapState,
  MapStateDescriptor,
  ReducingState,
  ReducingStateDescriptor,
  ValueState,
  ValueStateDescriptor
}

import scala.collection.mutable

/** State of one scope of the current key, as functions access it. */
final class ScopedStateStore(state: FunctionState, scope: FunctionState.Scope) extends KeyedStateStore {

  private final class Slot[T](name: String, codec: ValueCodec[T]) {
    def read: Option[T]       = state.get(scope, name, codec)
    def write(value: T): Unit = state.put(scope, name, value, codec)
    def drop(): Unit          = state.remove(scope, name)
  }

  def getState[T](d: ValueStateDescriptor[T]): ValueState[T] = {
    val slot = new Slot(d.name, d.codec)
    new ValueState[T] {
      def value: Option[T]       = slot.read
      def update(value: T): Unit = slot.write(value)
      def clear(): Unit          = slot.drop()
    }
  }

  def getListState[T](d: ListStateDescriptor[T]): ListState[T] = {
    val slot = new Slot(d.name, ValueCodec.list(d.codec))
    new ListState[T] {
      def get: Seq[T]                  = slot.read.getOrElse(Vector.empty)
      def add(value: T): Unit          = slot.write(get :+ value)
      def addAll(values: Seq[T]): Unit = slot.write(get ++ values)
      def update(values: Seq[T]): Unit = if (values.isEmpty) slot.drop() else slot.write(values)
      def clear(): Unit                = slot.drop()
    }
  }

  def getReducingState[T](d: ReducingStateDescriptor[T]): ReducingState[T] = {
    val slot = new Slot(d.name, d.codec)
    new ReducingState[T] {
      def get: Option[T]      = slot.read
      def add(value: T): Unit = slot.write(slot.read.fold(value)(d.reduce(_, value)))
      def clear(): Unit       = slot.drop()
    }
  }

  def getAggregatingState[IN, ACC, OUT](d: AggregatingStateDescriptor[IN, ACC, OUT]): AggregatingState[IN, OUT] = {
    val slot = new Slot(d.name, d.codec)
    new AggregatingState[IN, OUT] {
      def get: Option[OUT]     = slot.read.map(d.result)
      def add(value: IN): Unit = slot.write(d.add(slot.read.getOrElse(d.create()), value))
      def clear(): Unit        = slot.drop()
    }
  }

  def getMapState[K, V](d: MapStateDescriptor[K, V]): MapState[K, V] = {
    val slot = new Slot(d.name, ValueCodec.map(d.keys, d.values))
    new MapState[K, V] {
      private def all: mutable.LinkedHashMap[K, V] = slot.read.getOrElse(mutable.LinkedHashMap.empty)
      def get(key: K): Option[V]                   = all.get(key)
      def put(key: K, value: V): Unit              = slot.write(all += (key -> value))
      def remove(key: K): Unit                     = {
        val left = all -= key
        if (left.isEmpty) slot.drop() else slot.write(left)
      }
      def contains(key: K): Boolean = all.contains(key)
      def entries: Seq[(K, V)]      = all.toList
      def isEmpty: Boolean          = all.isEmpty
      def clear(): Unit             = slot.drop()
    }
  }
}
