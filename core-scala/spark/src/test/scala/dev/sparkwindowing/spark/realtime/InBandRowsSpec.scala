package dev.sparkwindowing.spark.realtime

import dev.sparkwindowing.spark.SharedSpark
import dev.sparkwindowing.spark.plan.RealTimeMode
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{BoundReference, Murmur3Hash, UnsafeProjection}
import org.apache.spark.sql.types.{DataType, LongType, StringType}
import org.apache.spark.unsafe.types.UTF8String
import org.scalatest.funsuite.AnyFunSuite

import scala.collection.mutable

/** Rows of a source task with its watermarks between them, as time lines: the clock is that of the test. */
class InBandRowsSpec extends AnyFunSuite with SharedSpark {
  private val types   = Array[DataType](StringType, LongType)
  private val columns = new InBandColumns(types)
  private val mode    = RealTimeMode(interval = 20, idleTimeout = 500, firstRowTimeout = 500, keyBytes = 1)

  private def row(key: String, time: Long): InternalRow =
    UnsafeProjection
      .create(types)(InternalRow(UTF8String.fromString(key), if (time < 0) null else time))
      .copy()

  /** Rows and watermarks that come out, with the time of the clock; `arrivals` are the rows of the source. The process
    * stands still for the time of `pause`.
    */
  private def told(
      mode: RealTimeMode,
      heartbeat: Long,
      until: Long,
      delay: Option[Long] = Some(5),
      silence: SourceSilence = new SourceSilence,
      pause: (Long, Long) = (Long.MaxValue, 0)
  )(arrivals: (Long, InternalRow)*): Seq[String] = {
    var now     = 0L
    var paused  = false
    val left    = mutable.Queue(arrivals: _*)
    val withOut = columns.withoutWatermark()
    val source  = new PolledRows {
      def poll(millis: Long): InternalRow = left.headOption match {
        case Some((at, row)) if at <= now + millis =>
          now = math.max(now, at)
          left.dequeue()
          withOut(row)
        case _ =>
          now += millis
          if (!paused && now >= pause._1) {
            paused = true
            now += pause._2
          }
          null
      }
      def isEnded: Boolean = left.isEmpty && now >= until
    }
    new InBandRows(source, new columns.Watermarks(1, 3, 2), 1, delay, mode, heartbeat, silence, () => now).map { r =>
      if (!columns.isWatermark(r)) s"$now: row ${r.getUTF8String(0)}"
      else {
        assert((columns.task(r), columns.tasks(r)) == ((1, 3)))
        s"$now: ${columns.watermark(r) match {
            case Long.MinValue                  => "none"
            case w if InBandColumns.isSilent(w) =>
              s"silent for ${InBandColumns.silenceOf(w)}${if (InBandColumns.hadRowOf(w)) "" else " so far"}"
            case w => w.toString
          }}"
      }
    }.toList
  }

  private def twice(line: String) = Seq(line, line) // one for each partition

  test("a watermark for each partition when the greatest event time has risen, at most once an interval") {
    assert(
      told(mode, heartbeat = 1000, until = 100)(
        0L  -> row("a", 100),
        30L -> row("b", 90),
        31L -> row("c", 120),
        32L -> row("d", 130),
        52L -> row("e", 130)
      ) == Seq("0: row a") ++ twice("20: 94") ++ Seq("30: row b", "31: row c", "32: row d") ++ twice("40: 124") ++ Seq(
        "52: row e"
      )
    )
  }

  test("a task without rows tells its silence as a heartbeat and at the timeout, and with its next row at once") {
    assert(
      told(mode.copy(idleTimeout = 100), heartbeat = 60, until = 300)(0L -> row("a", 100), 250L -> row("b", 50)) ==
        Seq("0: row a") ++ twice("20: 94") ++ twice("80: silent for 80") ++ twice("120: silent for 40") ++
        twice("180: silent for 60") ++ twice("240: silent for 60") ++ Seq("250: row b") ++ twice("250: 94") ++
        twice("310: silent for 40")
    )
  }

  private val connecting = mode.copy(idleTimeout = 100, firstRowTimeout = 300)

  test("before its first row a task may take longer, as it has to connect") {
    assert(
      told(connecting, heartbeat = 1000, until = 600)(280L -> row("a", 100)) ==
        Seq("280: row a") ++ twice("280: 94") ++ twice("400: silent for 120") ++ twice("600: silent for 180")
    )
    assert(
      told(connecting, heartbeat = 1000, until = 600)() ==
        twice("320: silent for 320 so far") ++ twice("600: silent for 260 so far")
    )
  }

  test("whether it has had a row is known in the next micro-batch; the silence is that of each") {
    val silence                                            = new SourceSilence
    def batch(until: Long)(arrivals: (Long, InternalRow)*) =
      told(connecting, heartbeat = 1000, until, silence = silence.begin())(arrivals: _*).filterNot(_.contains("row"))
    assert(batch(until = 200)() == twice("200: silent for 180 so far"))
    assert(batch(until = 200)() == twice("200: silent for 180 so far"))
    assert(batch(until = 60)(0L -> row("a", 100)) == twice("20: 94") ++ twice("60: silent for 40"))
    assert(batch(until = 200)() == twice("120: silent for 120") ++ twice("200: silent for 60"))
  }

  test("time in which the process stood still is no silence") {
    def paused(from: Long, millis: Long) =
      told(mode, heartbeat = 100000, until = 6000, pause = (from, millis))(0L -> row("a", 100))
        .find(_.contains("silent"))
    assert(paused(0, 0) == Some("520: silent for 520"))
    assert(paused(200, 60) == Some("520: silent for 520"), "so long can it take until a thread runs")
    assert(paused(200, 5000) == Some("5440: silent for 520"))
    val seldom = mode.copy(interval = 10000)
    assert(
      told(seldom, heartbeat = 100000, until = 30000, pause = (200, 20000))(0L -> row("a", 100))
        .find(_.contains("silent"))
        .contains("20600: silent for 600")
    )
  }

  test("rows without event time, and without a watermark: that the task is there") {
    assert(
      told(mode, heartbeat = 40, until = 90)(0L -> row("a", -1)) ==
        Seq("0: row a") ++ twice("40: none") ++ twice("80: silent for 80") ++
        twice("100: silent for 0")
    )
    assert(
      told(mode, heartbeat = 40, until = 50, delay = None)(0L -> row("a", 7)) ==
        Seq("0: row a") ++ twice("40: none") ++ twice("60: silent for 40")
    )
  }

  test("the heartbeat also comes while there are rows, of which none raises the watermark") {
    val dense = (0L to 90L by 10L).map(at => at -> row("a", if (at == 0) 100 else 50))
    assert(
      told(mode, heartbeat = 40, until = 90)(dense: _*).filterNot(_.contains("row")) ==
        twice("20: 94") ++ twice("60: 94")
    )
    assert(
      told(mode, heartbeat = 20, until = 90, delay = None)(dense: _*).filterNot(_.contains("row")) ==
        Seq(20, 40, 60, 80).flatMap(at => twice(s"$at: none"))
    )
  }

  test("the last watermark is told at the end of the micro-batch") {
    assert(told(mode, heartbeat = 1000, until = 3)(0L -> row("a", 1), 2L -> row("b", 100)).last.endsWith(": 94"))
  }

  test("a row with a watermark goes to its partition, and one without where its key lies in a micro-batch") {
    def partition(row: InternalRow, ordinals: Seq[Int], types: Int => DataType, of: Int) =
      Math.floorMod(
        new Murmur3Hash(ordinals.map(i => BoundReference(i, types(i), nullable = true))).eval(row).asInstanceOf[Int],
        of
      )
    val all = types ++ InBandColumns.attributes().map(_.dataType)
    for (of <- Seq(1, 2, 7, 200)) {
      val rows = new columns.Watermarks(0, 1, of)(5)
      assert(rows.map(partition(_, Seq(0, 2), all, of)).toSeq == (0 until of))
    }
    for (key <- 0 until 50) {
      val plain = row(s"key $key", 1)
      val more  = columns.withoutWatermark()(plain)
      assert(partition(more, Seq(0, 2), all, 7) == partition(plain, Seq(0), types, 7))
      assert(columns.input(isNumbered = false)(more) == plain)
    }
  }
}
