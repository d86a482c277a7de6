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
  State,
  ValueState,
  ValueStateDescriptor
}

import scala.collection.mutable

/** State of one scope of the current key, as functions access it. */
final class ScopedStateStore(store: FunctionState, scope: FunctionState.Scope) extends KeyedStateStore {

  private abstract class Slot[T](name: String, codec: ValueCodec[T]) extends State {
    protected def read: Option[T]       = store.get(scope, name, codec)
    protected def write(value: T): Unit = store.put(scope, name, value, codec)
    def clear(): Unit                   = store.remove(scope, name)
  }

  def getState[T](d: ValueStateDescriptor[T]): ValueState[T] = new Slot(d.name, d.codec) with ValueState[T] {
    def value: Option[T]       = read
    def update(value: T): Unit = write(value)
  }

  def getListState[T](d: ListStateDescriptor[T]): ListState[T] =
    new Slot(d.name, ValueCodec.list(d.codec)) with ListState[T] {
      def get: Seq[T]                  = read.getOrElse(Vector.empty)
      def add(value: T): Unit          = write(get :+ value)
      def addAll(values: Seq[T]): Unit = write(get ++ values)
      def update(values: Seq[T]): Unit = if (values.isEmpty) clear() else write(values)
    }

  def getReducingState[T](d: ReducingStateDescriptor[T]): ReducingState[T] =
    new Slot(d.name, d.codec) with ReducingState[T] {
      def get: Option[T]      = read
      def add(value: T): Unit = write(read.fold(value)(d.reduce(_, value)))
    }

  def getAggregatingState[IN, ACC, OUT](d: AggregatingStateDescriptor[IN, ACC, OUT]): AggregatingState[IN, OUT] =
    new Slot(d.name, d.codec) with AggregatingState[IN, OUT] {
      def get: Option[OUT]     = read.map(d.result)
      def add(value: IN): Unit = write(d.add(read.getOrElse(d.create()), value))
    }

  def getMapState[K, V](d: MapStateDescriptor[K, V]): MapState[K, V] =
    new Slot(d.name, ValueCodec.map(d.keys, d.values)) with MapState[K, V] {
      private def all: mutable.LinkedHashMap[K, V] = read.getOrElse(mutable.LinkedHashMap.empty)
      def get(key: K): Option[V]                   = all.get(key)
      def put(key: K, value: V): Unit              = write(all += (key -> value))
      def remove(key: K): Unit                     = {
        val left = all -= key
        if (left.isEmpty) clear() else write(left)
      }
      def contains(key: K): Boolean = all.contains(key)
      def entries: Seq[(K, V)]      = all.toList
      def isEmpty: Boolean          = all.isEmpty
    }
}
