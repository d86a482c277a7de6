package dev.sparkwindowing.bench.streams

import org.apache.spark.sql.functions.{col, unix_millis}
import org.apache.spark.sql.streaming._
import org.apache.spark.sql.{DataFrame, Encoders}

import java.sql.Timestamp

/** Windows of a day that keep their rows, written by hand with the ListState of `transformWithState`. It needs RocksDB.
  */
object ProcessorLists {
  private val Day = 24 * 60 * 60 * 1000L

  /** A row of the input, with its event time in milliseconds. */
  final case class Kept(key: String, time: Long, value: Long, note: String)

  final case class Bounds(start: Timestamp, end: Timestamp)
  final case class Totals(key: String, window: Bounds, n: Long, total: Long, note: String)

  /** Count, total of `value` and greatest `note` of the days of each `key`. The rows of a key must come in the order of
    * their days.
    */
  def apply(rows: DataFrame): DataFrame = {
    val kept = rows.select(col("key"), unix_millis(col("ts")).as("time"), col("value"), col("note"))
    kept
      .as(Encoders.product[Kept])
      .groupByKey(_.key)(Encoders.STRING)
      .transformWithState(new Processor, TimeMode.EventTime(), OutputMode.Append())(Encoders.product[Totals])
      .toDF()
  }

  private final class Processor extends StatefulProcessor[String, Kept, Totals] {
    @transient private var state: ListState[Kept] = _

    override def init(outputMode: OutputMode, timeMode: TimeMode): Unit =
      state = getHandle.getListState("kept", Encoders.product[Kept], TTLConfig.NONE)

    override def handleInputRows(key: String, rows: Iterator[Kept], times: TimerValues): Iterator[Totals] = {
      val all = rows.toArray
      getHandle.registerTimer(Math.floorDiv(all.head.time, Day) * Day + Day)
      state.appendList(all)
      Iterator.empty
    }

    override def handleExpiredTimer(key: String, times: TimerValues, timer: ExpiredTimerInfo): Iterator[Totals] = {
      val end  = timer.getExpiryTimeInMs()
      val zero = Totals(key, Bounds(new Timestamp(end - Day), new Timestamp(end)), 0, 0, "")
      val sum  = state.get().foldLeft(zero) { (sum, row) =>
        sum.copy(n = sum.n + 1, total = sum.total + row.value, note = if (row.note > sum.note) row.note else sum.note)
      }
      state.clear()
      Iterator(sum)
    }
  }
}
