package dev.sparkwindowing.bench

import dev.sparkwindowing.codec.{BlockReader, BlockWriter}
import dev.sparkwindowing.contents.WindowContents
import dev.sparkwindowing.spark.aggregates.{AggregateAnalysis, AggregateContents}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{BoundReference, UnsafeProjection, UnsafeRow}
import org.apache.spark.sql.types.{DoubleType, LongType}
import org.apache.spark.sql.{SparkSession, functions => F}
import org.openjdk.jmh.annotations._

import java.util.concurrent.TimeUnit
import scala.util.Random

/** Cost per element of Spark SQL aggregates: count, sum of a double, its min and its max, or none of them.
  *
  * Nanoseconds per element. Elements are unsafe rows; they go to the buffers of 100 windows in turn, ten to each.
  */
@State(Scope.Thread)
@BenchmarkMode(Array(Mode.AverageTime))
@OutputTimeUnit(TimeUnit.NANOSECONDS)
class AggregateBench {
  @Param(Array("0", "4")) var aggregates: Int = _

  private var windows: AggregateBench.Windows[_ <: AnyRef] = _

  @Setup def up(): Unit = windows =
    if (aggregates == 0) new AggregateBench.Windows(AggregateBench.Nothing)
    else new AggregateBench.Windows(AggregateBench.sqlAggregates(aggregates))

  @Benchmark @OperationsPerInvocation(AggregateBench.Elements)
  def add(): AnyRef = windows.add()

  /** One read and one write of the buffer for its ten elements. */
  @Benchmark @OperationsPerInvocation(AggregateBench.Elements)
  def readAddAndWrite(): Int = windows.readAddAndWrite()
}

object AggregateBench {
  final val Elements    = 1000
  private val PerWindow = 10

  /** Keeps nothing: what the loop around the aggregates costs. */
  private object Nothing extends WindowContents[InternalRow, String] {
    def empty(): String                                                      = ""
    def add(contents: String, element: InternalRow, timestamp: Long): String = contents
    def merge(kept: String, merged: String): String                          = kept
    def write(contents: String, out: BlockWriter): Unit                      = ()
    def read(in: BlockReader): String                                        = ""
  }

  private def sqlAggregates(number: Int): AggregateContents = {
    val spark = SparkSession.builder().master("local[1]").config("spark.ui.enabled", "false").getOrCreate()
    try {
      val df      = spark.range(1).select(F.col("id").as("key"), F.lit(1.0).as("value"))
      val value   = F.col("value")
      val columns = Seq(F.count(F.lit(1)), F.sum(value), F.min(value), F.max(value)).take(number)
      val found   = AggregateAnalysis(df, columns)
      new AggregateContents(found, Array.fill(found.arguments.size)(1)) // all of them read the value
    } finally spark.stop()
  }

  private final class Windows[C <: AnyRef](contents: WindowContents[InternalRow, C]) {
    private[this] val elements = {
      val random = new Random(42)
      val toRow  = UnsafeProjection.create(
        Seq(BoundReference(0, LongType, nullable = false), BoundReference(1, DoubleType, nullable = true))
      )
      Array.tabulate[UnsafeRow](Elements)(i => toRow(InternalRow(i.toLong, random.nextDouble())).copy())
    }
    private[this] val buffers = Array.fill[AnyRef](Elements / PerWindow)(contents.empty())
    private[this] val writer  = new BlockWriter
    private[this] val reader  = new BlockReader
    private[this] val blocks  = Array.fill(Elements / PerWindow)(written(contents.empty()))

    def add(): AnyRef = {
      var i = 0
      while (i < Elements) {
        val w = i % buffers.length
        buffers(w) = contents.add(buffers(w).asInstanceOf[C], elements(i), 0L)
        i += 1
      }
      buffers(0)
    }

    def readAddAndWrite(): Int = {
      var bytes = 0
      var w     = 0
      while (w < blocks.length) {
        var buffer = contents.read(reader.open(blocks(w), 0, blocks(w).length))
        var i      = 0
        while (i < PerWindow) {
          buffer = contents.add(buffer, elements(w * PerWindow + i), 0L)
          i += 1
        }
        blocks(w) = written(buffer)
        bytes += blocks(w).length
        w += 1
      }
      bytes
    }

    private def written(buffer: C): Array[Byte] = {
      writer.reset()
      contents.write(buffer, writer)
      writer.toBytes
    }
  }
}
