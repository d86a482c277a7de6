package dev.sparkwindowing.codec

import java.util.zip.Checksum
import scala.util.Try

/** The checksum CRC-32C (Castagnoli). Java has it since version 9; Spark 3.5 runs on Java 8 too. */
private[codec] object Crc32c {

  private val builtIn = Try(Class.forName("java.util.zip.CRC32C").getConstructor()).toOption

  def apply(): Checksum = builtIn.fold[Checksum](new Table)(_.newInstance().asInstanceOf[Checksum])

  // The polynomial 0x1EDC6F41 with its bits reversed
  private val Polynomial = 0x82f63b78

  private val Remainders = Array.tabulate(256) { byte =>
    (0 until 8).foldLeft(byte)((rest, _) => if ((rest & 1) != 0) (rest >>> 1) ^ Polynomial else rest >>> 1)
  }

  /** The same numbers by a table of 256 remainders, on any Java. */
  final class Table extends Checksum {
    private[this] var state = -1

    def reset(): Unit = state = -1

    def update(byte: Int): Unit = state = (state >>> 8) ^ Remainders((state ^ byte) & 0xff)

    def update(bytes: Array[Byte], offset: Int, length: Int): Unit = {
      var i = offset
      while (i < offset + length) {
        update(bytes(i).toInt)
        i += 1
      }
    }

    def getValue: Long = ~state & 0xffffffffL
  }
}
