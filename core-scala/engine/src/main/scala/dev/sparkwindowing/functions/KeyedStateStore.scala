package dev.sparkwindowing.functions

/** Named state of a function for one key, or for one window of it. It is checkpointed with the key, and stays until the
  * function clears it.
  */
trait KeyedStateStore {
  def getState[T](descriptor: ValueStateDescriptor[T]): ValueState[T]
  def getListState[T](descriptor: ListStateDescriptor[T]): ListState[T]
  def getReducingState[T](descriptor: ReducingStateDescriptor[T]): ReducingState[T]
  def getAggregatingState[IN, ACC, OUT](
      descriptor: AggregatingStateDescriptor[IN, ACC, OUT]
  ): AggregatingState[IN, OUT]
  def getMapState[K, V](descriptor: MapStateDescriptor[K, V]): MapState[K, V]
}

/** State that can be cleared. */
trait State {
  def clear(): Unit
}

/** A single value. */
trait ValueState[T] extends State {

  /** None before the first update and after a clear. */
  def value: Option[T]
  def update(value: T): Unit
}

/** A list of values in insertion order. The oldest of many are stored in parts, which adding a value does not read. */
trait ListState[T] extends State {

  /** The values as they are now. Of many one part after the other is in memory as they are read in order. They can be
    * read until the call of the function returns; `toVector` copies them. A value that is changed in place is not
    * stored: use `update`.
    */
  def get: Seq[T]
  def add(value: T): Unit
  def addAll(values: Seq[T]): Unit
  def update(values: Seq[T]): Unit
}

/** A single value, into which added values are reduced. */
trait ReducingState[T] extends State {
  def get: Option[T]
  def add(value: T): Unit
}

/** An accumulator, to which values are added. */
trait AggregatingState[IN, OUT] extends State {
  def get: Option[OUT]
  def add(value: IN): Unit
}

/** A map in insertion order of its keys. One entry of many is read with those of the same part; `entries` reads all. */
trait MapState[K, V] extends State {
  def get(key: K): Option[V]
  def put(key: K, value: V): Unit
  def remove(key: K): Unit
  def contains(key: K): Boolean
  def entries: Seq[(K, V)]
  def isEmpty: Boolean
}
