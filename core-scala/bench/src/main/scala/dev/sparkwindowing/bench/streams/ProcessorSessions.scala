package dev.sparkwindowing.bench.streams

import org.apache.spark.sql.functions.{col, unix_millis}
import org.apache.spark.sql.streaming._
import org.apache.spark.sql.{DataFrame, Encoders}

import java.sql.Timestamp

/** Session windows written by hand with `transformWithState` in Scala, count and sum of each. It needs RocksDB. */
object ProcessorSessions {

  /** A row of the input, with its event time in milliseconds. */
  final case class Click(key: Long, time: Long, value: Double)

  /** A session that is open, with its bounds in milliseconds. */
  final case class Open(start: Long, end: Long, n: Long, total: Double)

  final case class Bounds(start: Timestamp, end: Timestamp)
  final case class Session(key: Long, window: Bounds, n: Long, total: Double)

  /** The sessions of each `key` of a stream with `ts` and `value`, with a gap in milliseconds. */
  def apply(events: DataFrame, gap: Long): DataFrame = {
    val clicks = events.select(col("key"), unix_millis(col("ts")).as("time"), col("value"))
    clicks
      .as(Encoders.product[Click])
      .groupByKey(_.key)(Encoders.scalaLong)
      .transformWithState(new Processor(gap), TimeMode.EventTime(), OutputMode.Append())(Encoders.product[Session])
      .toDF()
  }

  /** The open sessions of a key are one list, with a timer at the end of each. */
  private final class Processor(gap: Long) extends StatefulProcessor[Long, Click, Session] {
    @transient private var state: ListState[Open] = _

    override def init(outputMode: OutputMode, timeMode: TimeMode): Unit =
      state = getHandle.getListState("open", Encoders.product[Open], TTLConfig.NONE)

    override def handleInputRows(key: Long, rows: Iterator[Click], times: TimerValues): Iterator[Session] = {
      val before = state.get().toList
      val after  = merged(before ++ rows.map(row => Open(row.time, row.time + gap, 1, row.value)))
      val known  = before.map(_.end).toSet
      after.foreach(open => if (!known(open.end)) getHandle.registerTimer(open.end))
      state.put(after.toArray)
      Iterator.empty
    }

    override def handleExpiredTimer(key: Long, times: TimerValues, timer: ExpiredTimerInfo): Iterator[Session] = {
      val (done, kept) = state.get().toList.partition(_.end <= times.getCurrentWatermarkInMs())
      if (kept.isEmpty) state.clear() else state.put(kept.toArray)
      done.iterator.map(s => Session(key, Bounds(new Timestamp(s.start), new Timestamp(s.end)), s.n, s.total))
    }

    private def merged(all: List[Open]): List[Open] =
      all
        .sortBy(_.start)
        .foldLeft(List.empty[Open]) {
          case (last :: rest, next) if next.start <= last.end =>
            Open(last.start, math.max(last.end, next.end), last.n + next.n, last.total + next.total) :: rest
          case (sessions, next) => next :: sessions
        }
        .reverse
  }
}
