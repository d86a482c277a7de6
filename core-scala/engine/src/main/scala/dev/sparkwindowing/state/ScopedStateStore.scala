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
import dev.sparkwindowing.pieces.KeyPieces

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

  def getListState[T](d: ListStateDescriptor[T]): ListState[T] = new ListState[T] {
    private val make = (pieces: KeyPieces) => new StoredList[T](d.codec, pieces)

    def get: Seq[T]                  = Option(store.stateOf(scope, d.name)(make)).fold(Seq.empty[T])(_.get)
    def add(value: T): Unit          = store.change(scope, d.name)(make)(_.add(value))
    def addAll(values: Seq[T]): Unit = {
      val all = values.toVector // which can fail
      store.change(scope, d.name)(make)(_.addAll(all))
    }
    def update(values: Seq[T]): Unit = {
      val all = values.toVector
      if (all.isEmpty) clear() else store.change(scope, d.name)(make)(_.replace(all))
    }
    def clear(): Unit = store.remove(scope, d.name)
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

  def getMapState[K, V](d: MapStateDescriptor[K, V]): MapState[K, V] = new MapState[K, V] {
    private val make = (pieces: KeyPieces) => new StoredMap[K, V](d.keys, d.values, pieces)

    private def map: Option[StoredMap[K, V]] = Option(store.stateOf(scope, d.name)(make))
    def get(key: K): Option[V]               = map.flatMap(_.get(key))
    def put(key: K, value: V): Unit          = store.change(scope, d.name)(make)(_.put(key, value))
    def remove(key: K): Unit                 = if (!isEmpty) {
      store.change(scope, d.name)(make)(_.remove(key))
      if (map.forall(_.isEmpty)) clear()
    }
    def contains(key: K): Boolean = get(key).isDefined
    def entries: Seq[(K, V)]      = map.fold(List.empty[(K, V)])(_.entries)
    def isEmpty: Boolean          = map.isEmpty
    def clear(): Unit             = store.remove(scope, d.name)
  }
}
