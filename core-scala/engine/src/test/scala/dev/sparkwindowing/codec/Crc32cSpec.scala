package dev.sparkwindowing.codec

import org.scalatest.funsuite.AnyFunSuite

import java.nio.charset.StandardCharsets.US_ASCII
import java.util.zip.{CRC32C, Checksum}
import scala.util.Random

class Crc32cSpec extends AnyFunSuite {

  private def sum(checksum: Checksum, bytes: Array[Byte], offset: Int, length: Int): Long = {
    checksum.reset()
    checksum.update(bytes, offset, length)
    checksum.getValue
  }

  test("the table has the check value of CRC-32C") {
    assert(sum(new Crc32c.Table, "123456789".getBytes(US_ASCII), 0, 9) == 0xe3069283L)
  }

  test("the table gives what Java gives, one instance many blocks") {
    val random = new Random(5)
    val table  = new Crc32c.Table
    (0 until 2000).foreach { _ =>
      val bytes  = Array.fill(random.nextInt(300))(random.nextInt().toByte)
      val offset = random.nextInt(bytes.length + 1)
      val length = random.nextInt(bytes.length - offset + 1)
      assert(sum(table, bytes, offset, length) == sum(new CRC32C, bytes, offset, length))
    }
  }

  test("Java's own is used where it is") {
    assert(Crc32c().isInstanceOf[CRC32C])
  }
}
