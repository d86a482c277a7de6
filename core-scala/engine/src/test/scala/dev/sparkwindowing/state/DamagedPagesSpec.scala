package dev.sparkwindowing.state

import dev.sparkwindowing.codec.{BlockReader, CorruptBlockException}
import dev.sparkwindowing.testing.MemoryPieces
import org.scalatest.funsuite.AnyFunSuite

import scala.util.Random

/** Pages of a key, or their table in its block, that are not as they were written. */
class DamagedPagesSpec extends AnyFunSuite {
  import PagedKeys._

  test("a page that is missing or another one is refused by its number") {
    for (
      (change, text) <- Seq[(MemoryPieces => Unit, String)](
        (_.stored.remove(3), "its piece 3 is missing"),
        (p => p.stored(3) = p.stored(4), "its piece 3, of "),
        (p => p.stored(3)(5) = (p.stored(3)(5) + 1).toByte, "its piece 3, of ")
      )
    ) {
      val key = largeKey()
      change(key.stored)
      val e = intercept[CorruptBlockException](key.all)
      assert(e.getMessage.contains(text))
    }
  }

  test("a page that is damaged, with a checksum that fits, is read or refused") {
    val random = new Random(17)
    val block  = largeKey(100)
    for (_ <- 1 to 20000) {
      val pieces = new MemoryPieces(sizes1000)
      val page   = block.stored.stored.values.head.clone()
      (0 to random.nextInt(3)).foreach(_ => page(random.nextInt(page.length)) = random.nextInt().toByte)
      val bytes = if (random.nextInt(3) == 0) page.take(1 + random.nextInt(page.length)) else page
      pieces.stored(0) = bytes
      val first = pageOf(block.block, 0)
      val entry =
        first.copy(number = 0, bytes = bytes.length.toLong, checksum = BlockReader.checksum(bytes) & 0xffffffffL)
      try new Key(sizes1000, pieces).open(blockOf(Seq(entry))).all
      catch { case e: CorruptBlockException => assert(e.getMessage.contains("cannot be read")) }
    }
  }

  test("a table that does not fit is refused") {
    val key    = largeKey(100)
    val pieces = key.stored
    def first  = pageOf(key.block, 0)
    def second = pageOf(key.block, 1)
    val most   = Long.MaxValue
    for (
      (pages, text) <- Seq(
        Seq.empty                                 -> "it has pages of windows, and none is there",
        Seq(second, first)                        -> "is not behind page",
        Seq(first.copy(count = 0))                -> "with 0 windows",
        Seq(first.copy(count = most))             -> s"with $most windows",
        Seq(first.copy(bytes = 1L << 31))         -> "bytes with",
        Seq(first.copy(bytes = 1001))             -> "pages of 1001 bytes, and all its pieces have 1000",
        Seq(first.copy(timers = first.count + 1)) -> "timers of",
        Seq(first.copy(start = -100))             -> "has other windows than its block says",
        Seq(first.copy(last = first.last - 10))   -> "has other windows than its block says",
        Seq(first.copy(count = first.count - 1))  -> "has other windows than its block says"
      )
    ) {
      val e = intercept[CorruptBlockException](new Key(sizes1000, pieces).open(blockOf(pages)).all)
      assert(e.getMessage.contains(text))
    }
    val whole = new Key(sizes1000, pieces).open(blockOf(Seq(first, second)))
    assert(whole.all == key.all.take((first.count + second.count).toInt))
  }
}
