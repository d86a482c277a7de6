package dev.sparkwindowing.bench.streams

import org.apache.flink.api.common.accumulators.{Accumulator, DoubleCounter, LongCounter}
import org.apache.flink.api.common.functions.{OpenContext, RichMapFunction}
import org.apache.spark.sql.catalyst.expressions.XXH64

import java.lang.{Long => JLong}

/** Order-independent digest of the rows of a result: their number, the sums of both figures, and the XOR of Spark's
  * `xxhash64(key, start, end, a, b)`.
  *
  * Only windows that end at or before `cutoff` count: Flink fires all windows at the end of the input, Spark those that
  * the last watermark has passed.
  *
  * @param cutoff
  *   milliseconds since the epoch
  * @param ordered
  *   whether `b` depends on the order of the elements, which contestants may choose: then it is left out
  */
final class Digest(cutoff: Long, ordered: Boolean) extends RichMapFunction[FlinkJobs.Out, FlinkJobs.Out] {
  private[this] val rows = new LongCounter
  private[this] val a    = new DoubleCounter
  private[this] val b    = new DoubleCounter
  private[this] val hash = new Digest.Xor

  override def open(context: OpenContext): Unit = {
    getRuntimeContext.addAccumulator("rows", rows)
    getRuntimeContext.addAccumulator("a", a)
    getRuntimeContext.addAccumulator("b", b)
    getRuntimeContext.addAccumulator("hash", hash)
  }

  def map(row: FlinkJobs.Out): FlinkJobs.Out = {
    if (row.f2 <= cutoff) {
      val figure = if (ordered) 0.0 else row.f4.doubleValue
      rows.add(1L)
      a.add(row.f3.doubleValue)
      b.add(figure)
      hash.add(Digest.of(row.f0, row.f1 * 1000, row.f2 * 1000, bits(row.f3.doubleValue), bits(figure)))
    }
    row
  }

  private def bits(figure: Double): Long = java.lang.Double.doubleToLongBits(figure)
}

object Digest {

  /** Spark's `xxhash64` of some numbers. */
  def of(numbers: Long*): Long = numbers.foldLeft(42L)((hash, n) => XXH64.hashLong(n, hash))

  final class Xor extends Accumulator[JLong, JLong] {
    private[this] var value = 0L

    def add(hash: JLong): Unit                        = value ^= hash
    def getLocalValue: JLong                          = value
    def resetLocal(): Unit                            = value = 0L
    def merge(other: Accumulator[JLong, JLong]): Unit = value ^= other.getLocalValue
    override def clone(): Accumulator[JLong, JLong]   = {
      val copy = new Xor
      copy.add(value)
      copy
    }
  }
}
