package dev.sparkwindowing.functions

import dev.sparkwindowing.codec.{BlockReader, BlockWriter, ValueCodec}
import dev.sparkwindowing.contents.ListContents
import dev.sparkwindowing.pieces.KeyPieces
import dev.sparkwindowing.testing.MemoryPieces
import org.scalatest.funsuite.AnyFunSuite

import java.lang.{Long => JLong}

/** The pairs of joins. Left elements are even, right ones odd; 0 stands for no partner. */
class JoinKindSpec extends AnyFunSuite {
  private val contents = new ListContents[JLong](ValueCodec.long, identity)

  private def joined(kind: JoinKind, matches: Boolean = true)(elements: Long*): Seq[(Long, Long)] = {
    val list  = elements.foldLeft(contents.empty())((l, e) => contents.add(l, e, 0L))
    val pairs = kind.pairs[JLong](list, _ % 2 == 0, matches)
    val found = Seq.newBuilder[(Long, Long)]
    list.removeFirst(list.size) // the pairs are those of the firing

    def shown(side: JLong): Long = if (side == null) 0L else side.longValue
    while (pairs.hasNext) {
      pairs.advance()
      found += shown(pairs.left) -> shown(pairs.right)
    }
    found.result()
  }

  private val kinds = Seq[JoinKind](JoinKind.Inner, JoinKind.Left, JoinKind.Right, JoinKind.Full)

  test("all pairs, in order of the left elements, then of the right ones") {
    val pairs = Seq(2L -> 1L, 2L -> 5L, 4L -> 1L, 4L -> 5L)
    kinds.foreach(kind => assert(joined(kind)(1, 2, 4, 5) == pairs, kind))
  }

  test("a window without elements of the other input: an outer join keeps those of its side") {
    assert(kinds.map(joined(_)(2, 4)) == Seq(Nil, Seq(2L -> 0L, 4L -> 0L), Nil, Seq(2L -> 0L, 4L -> 0L)))
    assert(kinds.map(joined(_)(1, 3)) == Seq(Nil, Nil, Seq(0L -> 1L, 0L -> 3L), Seq(0L -> 1L, 0L -> 3L)))
    assert(kinds.map(joined(_)()) == Seq.fill(4)(Nil))
  }

  test("elements that have no partners, whatever the window holds") {
    assert(
      kinds.map(joined(_, matches = false)(2, 1, 4)) ==
        Seq(Nil, Seq(2L -> 0L, 4L -> 0L), Seq(0L -> 1L), Seq(2L -> 0L, 4L -> 0L, 0L -> 1L))
    )
  }

  test("more elements than are in memory at a time: all pairs, in order of the left elements by parts") {
    val stored = new MemoryPieces
    val pieces = new KeyPieces
    pieces.open(stored)
    val inPieces = new ListContents[JLong](LongsOfTenBytes, identity)
    inPieces.attach(pieces)
    def listOf(elements: Seq[Long]) = elements.foldLeft(inPieces.empty())((l, e) => inPieces.add(l, e, 0L))
    def joined(kind: JoinKind, elements: Seq[Long]): Seq[(Long, Long)] = {
      val pairs = kind.pairs[JLong](listOf(elements), _ % 2 == 0, matches = true)
      Iterator
        .continually(pairs)
        .takeWhile(_.hasNext)
        .map { pairs =>
          pairs.advance()
          (if (pairs.left == null) 0L else pairs.left.longValue) -> (if (pairs.right == null) 0L
                                                                     else pairs.right.longValue)
        }
        .toSeq
    }
    val elements      = 1L to 500L
    val (left, right) = elements.partition(_ % 2 == 0)
    kinds.foreach { kind =>
      val pairs = joined(kind, elements)
      assert(pairs.toSet == left.flatMap(l => right.map(l -> _)).toSet && pairs.size == left.size * right.size, kind)
    }
    def readsOf(join: => Unit): Int = {
      val before = stored.reads.size
      join
      stored.reads.size - before
    }
    val reads  = readsOf(joined(JoinKind.Inner, elements))
    val blocks = pieces.count / 5
    assert(blocks > 128 && blocks <= 192)
    // All are counted, each group of left elements is read once, and all right ones for each of two groups.
    assert(reads > 3 * blocks && reads <= 4 * blocks)
    // Blocks are counted and left elements read once, however many they are, if the right ones are few.
    val few = (1L to 1500L).map(i => if (i % 500 == 0) i + 1 else i * 2)
    assert(readsOf(assert(joined(JoinKind.Inner, few).size == 3 * 1497)) <= 2 * (blocks * 3 + 2) + 3)
    assert(joined(JoinKind.Full, left) == left.map(_ -> 0L))
    assert(joined(JoinKind.Full, right) == right.map(0L -> _))
    assert(joined(JoinKind.Right, left) == Nil && joined(JoinKind.Inner, right) == Nil)
    // The only left element is the last one.
    assert(joined(JoinKind.Left, right :+ 1000L).toSet == right.map(1000L -> _).toSet)
  }

  private object LongsOfTenBytes extends ValueCodec[JLong] {
    def write(value: JLong, out: BlockWriter): Unit = ValueCodec.long.write(value, out)
    def read(in: BlockReader): JLong                = ValueCodec.long.read(in)
    override def sizeOf(value: JLong): Int          = 10
  }

  test("each kind has a specification of its own") {
    assert(kinds.map(_.spec.toString) == Seq("inner join", "left join", "right join", "full join"))
  }
}
