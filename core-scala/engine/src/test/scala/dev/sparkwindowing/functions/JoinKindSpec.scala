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

  /** Lists of which all but the newest elements are in pieces. */
  private final class InPieces(codec: ValueCodec[JLong]) {
    private val stored   = new MemoryPieces
    private val pieces   = new KeyPieces
    private val contents = new ListContents[JLong](codec, identity)
    pieces.open(stored)
    contents.attach(pieces)

    def pairsOf(kind: JoinKind, elements: Seq[Long], matches: Boolean = true): Seq[(Long, Long)] = {
      def shown(side: JLong): Long = if (side == null) 0L else side.longValue
      val list                     = elements.foldLeft(contents.empty())((l, e) => contents.add(l, e, 0L))
      val pairs                    = kind.pairs[JLong](list, _ % 2 == 0, matches)
      val found                    = Vector.newBuilder[(Long, Long)]
      while (pairs.hasNext) {
        pairs.advance()
        found += shown(pairs.left) -> shown(pairs.right)
      }
      found.result()
    }

    /** Number of pieces of the elements, and how often an inner join of them reads one. */
    def cost(elements: Seq[Long]): (Int, Int) = {
      val (before, reads) = (pieces.count, stored.reads.size)
      pairsOf(JoinKind.Inner, elements)
      (pieces.count - before, stored.reads.size - reads)
    }
  }

  test("more elements than are in memory at a time: all pairs, in order of the left elements by parts") {
    val lists = new InPieces(LongsOfTenBytes)
    import lists.{cost, pairsOf}
    val elements      = 1L to 500L
    val (left, right) = elements.partition(_ % 2 == 0)
    kinds.foreach { kind =>
      val pairs = pairsOf(kind, elements)
      assert(pairs.toSet == left.flatMap(l => right.map(l -> _)).toSet && pairs.size == left.size * right.size, kind)
    }
    val (blocks, reads) = cost(elements)
    assert(blocks > 128 && blocks <= 192)
    // All are measured, each group of left elements is read once, and all right ones for each of two groups.
    assert(reads > 3 * blocks && reads <= 4 * blocks)
    // Blocks are measured and left elements read once, however many they are, if the right ones are few.
    val few                 = (1L to 1500L).map(i => if (i % 500 == 0) i + 1 else i * 2)
    val (ofFew, readsOfFew) = cost(few)
    assert(readsOfFew <= 2 * ofFew + 3 && pairsOf(JoinKind.Inner, few).size == 3 * 1497)
    assert(pairsOf(JoinKind.Full, left) == left.map(_ -> 0L))
    assert(pairsOf(JoinKind.Full, right) == right.map(0L -> _))
    assert(pairsOf(JoinKind.Right, left) == Nil && pairsOf(JoinKind.Inner, right) == Nil)
    assert(
      kinds.map(pairsOf(_, elements, matches = false)) ==
        Seq(Nil, left.map(_ -> 0L), right.map(0L -> _), left.map(_ -> 0L) ++ right.map(0L -> _))
    )
    // The only left element is the last one.
    assert(pairsOf(JoinKind.Left, right :+ 1000L).toSet == right.map(1000L -> _).toSet)
  }

  test("groups are as large in bytes whatever side has the large elements") {
    val lists           = new InPieces(LargeEven)
    val (blocks, reads) = lists.cost((1L to 3000L).map(i => if (i % 10 == 0) i * 2 else i * 2 + 1))
    // A tenth of the elements, left ones, has half of the bytes: they are in more than one group.
    assert(blocks > 128 && reads > 3 * blocks)
  }

  private object LargeEven extends ValueCodec[JLong] {
    private def copies(value: Long)                 = if (value % 2 == 0) 18 else 2
    def write(value: JLong, out: BlockWriter): Unit =
      (1 to copies(value)).foreach(_ => ValueCodec.long.write(value, out))
    def read(in: BlockReader): JLong = {
      val value = ValueCodec.long.read(in)
      (2 to copies(value)).foreach(_ => ValueCodec.long.read(in))
      value
    }
    override def sizeOf(value: JLong): Int = 2 * copies(value)
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
