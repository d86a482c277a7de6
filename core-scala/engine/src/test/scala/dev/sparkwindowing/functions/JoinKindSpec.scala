package dev.sparkwindowing.functions

import dev.sparkwindowing.codec.ValueCodec
import dev.sparkwindowing.contents.ListContents
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

  test("each kind has a specification of its own") {
    assert(kinds.map(_.spec.toString) == Seq("inner join", "left join", "right join", "full join"))
  }
}
