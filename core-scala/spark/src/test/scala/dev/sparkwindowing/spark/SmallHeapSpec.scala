package dev.sparkwindowing.spark

import org.scalatest.funsuite.AnyFunSuite
import org.scalatest.tags.Slow

/** Results that are much larger than what they are made of leave as they are made. */
@Slow
class SmallHeapSpec extends AnyFunSuite {

  test("joins that put out a thousand times more pairs than they hold rows, and a call that does, in a small heap") {
    val rows    = SmallHeap.Rows.toLong
    val pairs   = rows * rows
    val sliding = (1 to 19).map(n => 2L * n * n).sum + (rows - 19) * 400
    assert(
      OwnJvm.run(SmallHeap, heap = "512m") == Seq(
        s"one firing $pairs",
        s"many firings $sliding",
        s"one call ${Talking.Texts}",
        s"native $pairs",
        s"portable $pairs"
      )
    )
  }
}
