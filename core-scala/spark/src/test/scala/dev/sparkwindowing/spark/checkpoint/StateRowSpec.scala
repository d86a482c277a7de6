package dev.sparkwindowing.spark.checkpoint

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection
import org.scalatest.funsuite.AnyFunSuite

import scala.util.Random

/** The row of the state store, beside what Spark's own projection makes of the same values. */
final class StateRowSpec extends AnyFunSuite {

  test("a written row is byte for byte that of a projection, whatever the sizes of the blocks before it") {
    val random     = new Random(5)
    val writer     = new StateRow.Writer
    val projection = UnsafeProjection.create(StateRow.Schema)
    for (size <- Seq(0, 1, 7, 8, 9, 300, 3, 16, 2000, 5) ++ Seq.fill(200)(random.nextInt(600))) {
      val block             = random.nextBytes(size)
      val (next, other)     = (random.nextLong(), random.nextLong())
      val (windows, ev, pr) = (random.nextInt(), random.nextInt(), random.nextInt())
      val expected          = projection(InternalRow(InternalRow(block, other, windows, ev, pr), next))
      val row               = writer(block, next, other, windows, ev, pr)
      assert(row === expected, s"a block of $size bytes")
      assert(StateRow.block(row) === block)
      assert(StateRow.eventTimer(row) == next)
      assert(StateRow.processingTimer(row) == other)
    }
  }
}
