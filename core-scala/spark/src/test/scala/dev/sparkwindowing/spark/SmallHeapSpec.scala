package dev.sparkwindowing.spark

import org.scalatest.funsuite.AnyFunSuite

/** Results that are much larger than what they are made of leave as they are made. */
class SmallHeapSpec extends AnyFunSuite {

  test("joins and functions that put out a thousand times more than they hold, in a heap that holds little of it") {
    val rows    = SmallHeap.Rows.toLong
    val pairs   = rows * rows
    val sliding = (1 to 19).map(n => 2L * n * n).sum + (rows - 19) * 400
    val texts   = rows * Talking.Texts
    // The row that ends all windows is one more.
    val streams = Seq("native", "portable").flatMap { operator =>
      Seq(s"$operator $pairs", s"$operator, rows ${texts + Talking.Texts}", s"$operator, windows $texts")
    }
    assert(
      OwnJvm.run(SmallHeap, heap = "512m") ==
        Seq(s"one firing $pairs", s"many firings $sliding", s"batch, rows $texts", s"batch, one call $texts") ++ streams
    )
  }
}
