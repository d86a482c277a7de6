package dev.sparkwindowing.codec

import java.util.Arrays
import java.util.zip.CRC32C

/** A growing buffer of bytes that is written from front to back and reused for the next key after `reset`.
  *
  * @param maxSize
  *   the most bytes that it takes
  */
final class BlockWriter(initialCapacity: Int = 256, maxSize: Int = BlockWriter.MaxSize) {
  private[this] var bytes = new Array[Byte](initialCapacity)
  private[this] var n     = 0

  // Few need it.
  private[this] lazy val checksum = new CRC32C

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

  /** A whole number in 1 to 10 bytes, small non-negative values in the fewest. */
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

  /** A whole number in 1 to 10 bytes, values near zero of either sign in the fewest. */
  def signed(value: Long): Unit = unsigned((value << 1) ^ (value >> 63))

  /** `length` bytes as they are, without their number. */
  def raw(from: Array[Byte], offset: Int, length: Int): Unit = {
    room(length)
    System.arraycopy(from, offset, bytes, n, length)
    n += length
  }

  /** Bytes with their number in front. */
  def block(value: Array[Byte]): Unit = {
    unsigned(value.length.toLong)
    raw(value, 0, value.length)
  }

  /** Appends four bytes that follow from all before, so that a reader finds any damage to those: their CRC-32C. */
  def seal(): Unit = {
    checksum.reset()
    checksum.update(bytes, 0, n)
    val sum = checksum.getValue.toInt
    byte(sum >>> 24)
    byte(sum >>> 16)
    byte(sum >>> 8)
    byte(sum)
  }

  /** Appends what `other` holds. */
  def append(other: BlockWriter): Unit = other.copyInto(this)

  private def copyInto(target: BlockWriter): Unit = target.raw(bytes, 0, n)
}

object BlockWriter {

  /** The most bytes of one block: 1 GiB. */
  val MaxSize: Int = 1 << 30
}

/** The state of a key has more bytes than it may have.
  *
  * @param bytes
  *   how many it has, as far as it was written
  */
final class BlockTooLargeException(val bytes: Long, val limit: Long)
    extends IllegalStateException(s"the state of one key has $bytes bytes, more than $limit")
