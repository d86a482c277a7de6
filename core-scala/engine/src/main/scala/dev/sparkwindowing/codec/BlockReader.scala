package dev.sparkwindowing.codec

import java.util.Arrays

/** Reads the output of a [[BlockWriter]] from front to back, with bounds checks.
  *
  * Every method throws [[CorruptBlockException]] instead of reading past the end.
  */
final class BlockReader {
  private[this] var bytes = Array.emptyByteArray
  private[this] var pos   = 0
  private[this] var limit = 0

  // Few instances need it.
  private[this] lazy val checksum = Crc32c()

  /** Starts to read `length` bytes of `source` at `offset`. */
  def open(source: Array[Byte], offset: Int, length: Int): this.type = {
    if (bytes ne source) bytes = source // a store into an old object costs more than the question
    pos = offset
    limit = offset + length
    this
  }

  def position: Int = pos

  def remaining: Int = limit - pos

  def source: Array[Byte] = bytes

  def byte(): Int = {
    need(1)
    val b = bytes(pos) & 0xff
    pos += 1
    b
  }

  def unsigned(): Long = {
    var value = 0L
    var shift = 0
    var more  = true
    while (more) {
      if (shift > 63) throw new CorruptBlockException("a number of more than 10 bytes")
      val b = byte()
      value |= (b & 0x7fL) << shift
      more = (b & 0x80) != 0
      shift += 7
    }
    value
  }

  def signed(): Long = {
    val u = unsigned()
    (u >>> 1) ^ -(u & 1)
  }

  /** A count of items of at least `bytesEach` bytes each, checked so that a wrong one cannot allocate much memory. */
  def count(bytesEach: Int): Int = {
    val n = unsigned()
    if (n < 0 || n > Int.MaxValue || n * math.max(bytesEach, 0) > remaining)
      throw new CorruptBlockException(s"a count of $n with $remaining bytes left")
    n.toInt
  }

  /** Checks the seal at the end of the bytes, over all from `offset` on, and excludes it from the bytes to read. */
  def unseal(offset: Int): Unit = {
    need(BlockReader.SealSize)
    val end = limit - BlockReader.SealSize
    checksum.reset()
    checksum.update(bytes, offset, end - offset)
    val sum =
      (bytes(end) << 24) | (bytes(end + 1) & 0xff) << 16 | (bytes(end + 2) & 0xff) << 8 | (bytes(end + 3) & 0xff)
    if (sum != checksum.getValue.toInt)
      throw new CorruptBlockException("its checksum does not fit, so it was damaged or cut short")
    limit = end
  }

  def skip(length: Int): Unit = {
    need(length)
    pos += length
  }

  /** The next `length` bytes, read by `reader`; this one skips them. */
  def part(length: Int, reader: BlockReader = new BlockReader): BlockReader = {
    skip(length)
    reader.open(bytes, pos - length, length)
  }

  /** The next `length` bytes. */
  def raw(length: Int): Array[Byte] = {
    skip(length)
    Arrays.copyOfRange(bytes, pos - length, pos)
  }

  /** Bytes with a length prefix. */
  def block(): Array[Byte] = raw(count(1))

  private[this] def need(n: Int): Unit =
    if (n < 0 || limit - pos < n) throw new CorruptBlockException(s"$n bytes wanted, ${limit - pos} left")
}

object BlockReader {
  private val SealSize = 4

  /** The CRC-32C of `bytes`. */
  def checksum(bytes: Array[Byte]): Int = {
    val crc = Crc32c()
    crc.update(bytes, 0, bytes.length)
    crc.getValue.toInt
  }
}

/** A block of state that cannot be read: written by another version, cut short, or damaged. */
final class CorruptBlockException private (what: String, whose: String)
    extends IllegalStateException(s"the state of $whose cannot be read: $what. It was left as it is.") {

  def this(what: String) = this(what, "a key")

  /** The same error, naming the key. */
  def of(key: String): CorruptBlockException = {
    val named = new CorruptBlockException(what, s"the key $key")
    named.setStackTrace(getStackTrace)
    named
  }
}
