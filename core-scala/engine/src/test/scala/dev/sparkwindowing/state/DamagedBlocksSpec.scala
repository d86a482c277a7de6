package dev.sparkwindowing.state

import dev.sparkwindowing.codec.CorruptBlockException
import org.scalatest.funsuite.AnyFunSuite

import java.util.Arrays
import java.util.zip.CRC32C
import scala.util.Random

/** A block that is not as it was written gives one clear error: never another result, a hang, or memory without end. */
class DamagedBlocksSpec extends AnyFunSuite {
  private val cases = 100000

  private val blocks: IndexedSeq[(SampleKey, Array[Byte])] = {
    val random = new Random(11)
    (SampleKey.all ++ SampleKey.withPages ++ SampleKey.withSections).toIndexedSeq.flatMap { key =>
      Seq.fill(20) {
        val elements =
          Seq.fill(1 + random.nextInt(30))(s"${random.alphanumeric.take(3).mkString}@${13 + random.nextInt(80)}")
        key -> key.after(elements: _*)
      }
    }
  }

  private def damaged(block: Array[Byte], random: Random): Array[Byte] = {
    def flipped(bits: Int) = {
      val copy = block.clone()
      Seq
        .fill(bits)(random.nextInt(block.length * 8))
        .distinct
        .foreach(b => copy(b / 8) = (copy(b / 8) ^ (1 << b % 8)).toByte)
      copy
    }
    random.nextInt(6) match {
      case 0 => flipped(1)
      case 1 => flipped(2 + random.nextInt(16))
      case 2 => block.take(random.nextInt(block.length))
      case 3 => block ++ Array.fill(1 + random.nextInt(8))(random.nextInt().toByte)
      case 4 => block.updated(random.nextInt(block.length), random.nextInt().toByte)
      case _ => block.take(random.nextInt(block.length)) ++ Array.fill(1 + random.nextInt(40))(random.nextInt().toByte)
    }
  }

  test(s"$cases damaged blocks are all refused") {
    val random = new Random(12)
    for (i <- 0 until cases) {
      val (key, block) = blocks(i % blocks.size)
      val wrong        = damaged(block, random)
      if (!Arrays.equals(wrong, block)) {
        val e = intercept[CorruptBlockException](key.open(wrong))
        assert(e.getMessage.startsWith("the state of a key cannot be read: "))
      }
    }
  }

  // As if a block of another query, or a forged one, came with a checksum that fits.
  test(s"$cases damaged blocks with a checksum that fits are read or refused, in little memory") {
    val random = new Random(13)
    for (i <- 0 until cases) {
      val (key, block) = blocks(i % blocks.size)
      val wrong        = damaged(block.dropRight(4), random)
      wrong.headOption.foreach(_ => wrong(0) = (1 + i % 4).toByte)
      try key.open(withSeal(wrong))
      catch { case e: CorruptBlockException => assert(e.getMessage.contains("cannot be read")) }
    }
  }

  test("a block of another version is refused by its number") {
    val (key, block) = blocks.head
    val e            = intercept[CorruptBlockException](key.open(withSeal(5.toByte +: block.drop(1).dropRight(4))))
    assert(e.getMessage.contains("it has version 5, this release reads and writes versions 1 to 4"))
  }

  private def withSeal(bytes: Array[Byte]): Array[Byte] = {
    val sum = new CRC32C
    sum.update(bytes)
    bytes ++ BigInt(sum.getValue).toByteArray.reverse.padTo(4, 0.toByte).take(4).reverse
  }
}
