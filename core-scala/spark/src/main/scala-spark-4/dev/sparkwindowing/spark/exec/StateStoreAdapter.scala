package dev.sparkwindowing.spark.exec

import dev.sparkwindowing.spark.task.KeyStore
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.execution.streaming.state.StateStore

/** Spark's state store as a [[KeyStore]]. Both providers copy the rows that they are given. */
private[exec] final class StateStoreAdapter(store: StateStore) extends KeyStore {
  def get(key: UnsafeRow): UnsafeRow            = store.get(key, StateStore.DEFAULT_COL_FAMILY_NAME)
  def put(key: UnsafeRow, row: UnsafeRow): Unit = store.put(key, row)
  def remove(key: UnsafeRow): Unit              = store.remove(key)

  def scan(visit: (UnsafeRow, UnsafeRow) => Iterator[InternalRow]): Iterator[InternalRow] =
    store.iterator().flatMap(pair => visit(pair.key, pair.value))
}
