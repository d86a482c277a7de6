package dev.sparkwindowing.spark.task

import dev.sparkwindowing.operator.StateCell
import dev.sparkwindowing.pieces.{PieceSizes, PieceStore}
import dev.sparkwindowing.spark.checkpoint.StateRow
import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.execution.streaming.state.StateStore
import org.apache.spark.unsafe.Platform

/** The pieces of one key after the other, as further rows of the state store: the key is the row of the key with the
  * number of the piece behind it, the value a row as that of a key with [[StateRow.OfPiece]] windows.
  *
  * Up to seven columns the highest bit of a key's first byte is that of no column, and the bit of a piece: a store that
  * is sorted by bytes has all keys before all pieces.
  *
  * @param beforeRead
  *   called before the store is read, since it may use the row again that it gave before
  */
private[spark] final class StorePieces(
    store: StateStore,
    keyFields: Int,
    override val sizes: PieceSizes,
    beforeRead: () => Unit
) extends PieceStore {
  private[this] val name               = new UnsafeRow(keyFields)
  private[this] val writer             = new StateRow.Writer
  private[this] var bytes: Array[Byte] = Array.emptyByteArray
  private[this] var key: UnsafeRow     = _
  private[this] var isNamed            = false

  /** The pieces of a key, which is a buffer that does not change meanwhile. */
  def of(key: UnsafeRow): this.type = {
    this.key = key
    isNamed = false
    this
  }

  def read(number: Long): Array[Byte] = {
    beforeRead()
    val row = store.get(rowOf(number))
    if (row == null || !StateRow.isPiece(row) || StateRow.processingTimer(row) != number) null else StateRow.block(row)
  }

  def write(number: Long, piece: Array[Byte]): Unit =
    store.put(rowOf(number), writer(piece, StateCell.NoTimer, number, StateRow.OfPiece, 0, 0))

  def remove(number: Long): Unit = store.remove(rowOf(number))

  private[this] def rowOf(number: Long): UnsafeRow = {
    val keyBytes = key.getSizeInBytes
    if (!isNamed) {
      val size = keyBytes + StorePieces.NumberBytes
      if (bytes.length < size) bytes = new Array[Byte](size)
      Platform.copyMemory(
        key.getBaseObject,
        key.getBaseOffset,
        bytes,
        Platform.BYTE_ARRAY_OFFSET.toLong,
        keyBytes.toLong
      )
      if (StorePieces.areSorted(keyFields)) bytes(0) = (bytes(0) | StorePieces.Mark).toByte
      name.pointTo(bytes, size)
      isNamed = true
    }
    Platform.putLong(bytes, Platform.BYTE_ARRAY_OFFSET.toLong + keyBytes, number)
    name
  }
}

private[spark] object StorePieces {
  private val NumberBytes = 8
  private val Mark        = 0x80

  /** Whether a store that is sorted by bytes has the pieces of keys with so many columns behind all keys. */
  def areSorted(keyFields: Int): Boolean = keyFields < 8
}
