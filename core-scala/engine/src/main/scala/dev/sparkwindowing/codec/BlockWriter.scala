package dev.sparkwindowing.codec

import java.util.Arrays

/** A growing byte buffer, written from front to back and reused for the next key after `reset`.
  *
  * @param maxSize
  *   maximum number of bytes
  */
final class BlockWriter(initialCapacity: Int = 256, maxSize: Int = BlockWriter.MaxSize) {
  private[this] var bytes = new Array[Byte](initialCapacity)
  private[this] var n     = 0

  // Few instances need it.
  private[this] lazy val crc = Crc32c()

  def size: Int = n

  def reset(): Unit = n = 0

  def toBytes: Array[Byte] = Arrays.copyOf(bytes, n)

  private[this] def room(more: Int): Unit =
    if (bytes.length - n < more) {
      val wanted = math.max(n.toLong + more, math.min(bytes.length.toLong * 2, maxSize.toLong))
      if (wanted > maxSize) throw new BlockTooLargeException(n.toLong + more, maxSize.toLong)
      bytes = Arrays.copyOf(bytes, wanted.toInt)
    }

  def byte(value: Int): Unit = {
    room(1)
    bytes(n) = value.toByte
    n += 1
  }

  /** An integer in 1 to 10 bytes; small non-negative values take the fewest. */
  def unsigned(value: Long): Unit = {
    room(10)
    var v = value
    while ((v & ~0x7fL) != 0) {
      bytes(n) = ((v & 0x7f) | 0x80).toByte
      n += 1
      v >>>= 7
    }
    bytes(n) = v.toByte
    n += 1
  }

  /** An integer in 1 to 10 bytes; values near zero of either sign take the fewest. */
  def signed(value: Long): Unit = unsigned((value << 1) ^ (value >> 63))

  /** `length` bytes without a length prefix. */
  def raw(from: Array[Byte], offset: Int, length: Int): Unit = {
    room(length)
    System.arraycopy(from, offset, bytes, n, length)
    n += length
  }

  /** Bytes with a length prefix. */
  def block(value: Array[Byte]): Unit = {
    unsigned(value.length.toLong)
    raw(value, 0, value.length)
  }

  /** The CRC-32C of all bytes. */
  def checksum: Int = {
    crc.reset()
    crc.update(bytes, 0, n)
    crc.getValue.toInt
  }

  /** Appends the CRC-32C of all bytes before, in four bytes, so that a reader detects damage to them. */
  def seal(): Unit = {
    val sum = checksum
    byte(sum >>> 24)
    byte(sum >>> 16)
    byte(sum >>> 8)
    byte(sum)
  }

  /** Appends the bytes of `other`. */
  def append(other: BlockWriter): Unit = other.copyInto(this)

  private def copyInto(target: BlockWriter): Unit = target.raw(bytes, 0, n)
}

object BlockWriter {

  /** Maximum number of bytes of a block: 1 GiB. */
  val MaxSize: Int = 1 << 30
}

/** Error for a key whose state has more bytes than allowed.
  *
  * @param bytes
  *   number of bytes, as far as they were written
  * @param isOfBlock
  *   whether the limit is that of the block alone
  */
final class BlockTooLargeException(val bytes: Long, val limit: Long, val isOfBlock: Boolean = true)
    extends IllegalStateException(s"the state of one key has $bytes bytes, more than $limit")
