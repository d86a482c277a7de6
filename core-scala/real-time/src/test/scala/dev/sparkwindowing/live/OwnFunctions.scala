package dev.sparkwindowing.live

import dev.sparkwindowing.codec.ValueCodec
import dev.sparkwindowing.functions._
import org.apache.spark.sql.Row
import org.apache.spark.sql.types.StructType

import java.lang.{Long => JLong}

/** The highest value, and how many rows there were. */
final class Highest extends AggregateFunction {
  def accumulatorSchema: StructType = StructType.fromDDL("n bigint, most bigint")
  def resultSchema: StructType      = accumulatorSchema
  def createAccumulator(): Row      = Row(0L, Long.MinValue)

  def add(kept: Row, row: Row): Row = merge(kept, Row(1L, row.getAs[Long]("value")))
  def merge(a: Row, b: Row): Row    = Row(a.getLong(0) + b.getLong(0), math.max(a.getLong(1), b.getLong(1)))
  def getResult(kept: Row): Row     = kept
  override def toString: String     = "Highest"
}

/** The row that came last. */
final class Latest extends ReduceFunction {
  def reduce(a: Row, b: Row): Row = b
  override def toString: String   = "Latest"
}

/** The values of a window in their order. */
final class Ordered extends ProcessWindowFunction[Row, Row, Row] {
  def process(key: Row, ctx: ProcessWindowFunction.Context, rows: Iterable[Row], out: Collector[Row]): Unit =
    out.collect(Row(rows.map(_.getAs[Long]("value")).mkString(" ")))
  override def toString: String = "Ordered"
}

/** The time at which a key has been silent for 7 milliseconds, and its rows so far. */
final class Silent extends KeyedProcessFunction[Row, Row, Row] {
  import KeyedProcessFunction._

  private val count = ReducingStateDescriptor[JLong]("count", (a, b) => a + b, ValueCodec.long)
  private val due   = ValueStateDescriptor[JLong]("due", ValueCodec.long)

  def processElement(row: Row, ctx: Context[Row], out: Collector[Row]): Unit = {
    val timers = ctx.timerService
    ctx.state.getReducingState(count).add(1L)
    ctx.timestamp.foreach { t =>
      ctx.state.getState(due).value.foreach(before => timers.deleteEventTimeTimer(before))
      timers.registerEventTimeTimer(t + 7)
      ctx.state.getState(due).update(t + 7)
    }
  }

  override def onTimer(time: Long, ctx: OnTimerContext[Row], out: Collector[Row]): Unit =
    out.collect(Row(time, ctx.state.getReducingState(count).get.orNull))

  override def toString: String = "Silent"
}

/** The number of rows of each input. */
final class Sizes extends CoGroupFunction {
  def coGroup(
      key: Row,
      context: ProcessWindowFunction.Context,
      inputs: CoGroupFunction.Inputs,
      out: Collector[Row]
  ): Unit                       = out.collect(Row(Seq("a", "b").map(inputs(_).size).mkString(" ")))
  override def toString: String = "Sizes"
}
