package dev.sparkwindowing.spark

import dev.sparkwindowing.SparkWindowing
import dev.sparkwindowing.assigners.{
  EventTimeSessionWindows,
  OverEventTimeWindows,
  ProcessingTimeSessionWindows,
  TumblingEventTimeWindows,
  WindowAssigner
}
import dev.sparkwindowing.columns.{ColumnProcess, Do}
import dev.sparkwindowing.spark.links.OperatorSetting
import dev.sparkwindowing.spark.plan.StateLimits
import dev.sparkwindowing.triggers.{AfterWatermark, Trigger}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.functions._
import org.apache.spark.sql.{DataFrame, Row, SparkSession}
import org.scalatest.funsuite.AnyFunSuite

import java.time.Duration.ofSeconds
import scala.collection.mutable.ArrayBuffer
import scala.util.{Random, Try}

/** A sink gets the same rows in the same micro-batch as one that reads them once, whatever it does with a part of them
  * before or after it reads all.
  */
class ConsumersSpec extends AnyFunSuite with SharedSpark {
  import ConsumersSpec._

  private def session(settings: Map[String, String], own: (String, String)*): SparkSession = {
    val made = StateStores.session(spark, settings)
    own.foreach { case (name, value) => made.conf.set(name, value) }
    made
  }

  /** The rows of each micro-batch, and the figures of the state at the end, where the sink reads all rows once. */
  private def run(
      on: SparkSession,
      query: DataFrame => DataFrame,
      uses: Seq[DataFrame => Seq[Row]]
  ): (Seq[Seq[String]], Seq[Long]) = {
    val batches = ArrayBuffer.empty[Seq[String]]
    var isLast  = false
    val q       = new DrivenQuery(
      on,
      partitions = Some(2),
      read = df => {
        val rows = if (isLast) all(df) else uses(batches.size % uses.size)(df)
        batches += rows.map(_.toString).sorted
        rows
      }
    )(query)
    try {
      q.start()
      steps.foreach(_(q))
      isLast = true
      q.batch(Event.at("k1", 1, 900000))
      val operator = q.running.lastProgress.stateOperators(0)
      val figures  = Sums.flatMap(name => Option(operator.customMetrics.get(name)).map(_.longValue))
      (batches.toSeq, operator.numRowsTotal +: figures)
    } finally q.stop()
  }

  private val native   = OperatorSetting.Name          -> "native"
  private val portable = OperatorSetting.Name          -> "portable"
  private val noIndex  = StateLimits.TimerIndexSetting -> "0"
  private val saved    = StateLimits.SavedSetting      -> "1"

  private val Seq((hdfs, inHdfs), (rocksDb, inRocksDb)) = StateStores.all.take(2)

  private val cases: Seq[(String, DataFrame => DataFrame, SparkSession)] =
    queries.map { case (name, query) => (s"$name, on $hdfs", query, session(inHdfs, native)) } ++
      queries.take(2).map { case (name, query) =>
        (s"$name, on $rocksDb", query, session(inRocksDb, native, saved))
      } ++ Seq(
        ("no index of timers", sessions, session(inRocksDb, native, noIndex)),
        ("the portable operator", sessions, session(inHdfs, portable))
      )

  for (((name, query, on), i) <- cases.zipWithIndex)
    test(s"a part, then all; all, then a part; twice; a write that fails: $name") {
      val (rows, figures) = run(on, query, Seq(all))
      assert(rows.map(_.size).sum > 600 && rows.count(_.size > 100) > 1, "the time line must show something")
      // Every micro-batch meets several uses.
      for (round <- 0 to 1) assert(run(on, query, new Random(2 * i + round).shuffle(Uses)) == ((rows, figures)))
    }

  test("a part, then all; all, then a part; twice; a write that fails: a static DataFrame") {
    import spark.implicits._
    val events                = (0 until 1000).map(i => Event.at(key(i % Keys), i % 9, i * 100L))
    val result                = joined(events.toDF().drop("tick").repartition(3))
    def texts(rows: Seq[Row]) = rows.map(_.toString).sorted
    val expected              = texts(all(result))
    assert(expected.size > 100)
    Uses.foreach(use => assert(texts(use(result)) == expected))
  }

  for ((store, of) <- StateStores.all.take(2))
    test(s"a sink that reads a part alone stops its query, on $store") {
      val q = new DrivenQuery(
        session(of, native),
        partitions = Some(2),
        read = df => if (df.isEmpty) Nil else df.take(1).toSeq
      )(queries.head._2).start()
      val e = Try(steps.foreach(_(q)))
      q.stop()
      assert(e.isFailure, "no row may be lost silently")
    }
}

private object ConsumersSpec {
  private val Keys = 500

  /** Figures that are sums over the whole state. */
  private val Sums = Seq("openWindows", "eventTimers", "processingTimers", "stateBytes")

  private val all: DataFrame => Seq[Row] = _.collect().toSeq

  private def first(part: DataFrame => Any): DataFrame => Seq[Row] = df => {
    part(df)
    all(df)
  }

  private val Uses: Seq[DataFrame => Seq[Row]] = Seq(
    first(_.isEmpty),
    first(_.head(1)),
    first(_.take(100)),
    first(_.limit(7).collect()),
    first { df =>
      df.take(3)
      df.take(150)
    },
    first(df => Try(df.foreachPartition((rows: Iterator[Row]) => fail(rows)))),
    df => {
      val kept = df.persist()
      kept.take(5)
      try all(kept)
      finally kept.unpersist()
    },
    first(_.count()),
    df => {
      val rows = all(df)
      df.isEmpty
      df.take(100)
      rows
    },
    first { df =>
      df.take(100)
      all(df)
      df.head(1)
    }
  )

  private def fail(rows: Iterator[Row]): Unit =
    if (rows.hasNext) {
      rows.next()
      throw new IllegalStateException("a write that fails")
    }

  private def key(i: Int) = s"k$i"

  /** Many keys at once, of which some get more rows; windows end for few keys and for many. */
  private val steps: Seq[DrivenQuery => Seq[Row]] = {
    val random = new Random(1)
    (1 to 5).flatMap { round =>
      val at   = 60000L + round * 10000
      val rows = random.shuffle((0 until Keys).toVector).take(if (round % 2 == 0) 40 else 400).map { i =>
        Event.at(key(i), random.nextInt(9), at + random.nextInt(9000))
      }
      Seq[DrivenQuery => Seq[Row]](
        _.batch(rows: _*),
        q => {
          q.clock.advance(7000)
          q.watermark(at + 6000)
        }
      )
    } :+ { q =>
      q.clock.advance(800000)
      q.watermark(800000)
    }
  }

  private def windows(assigner: WindowAssigner[InternalRow], trigger: Option[Trigger[InternalRow]] = None)(
      events: DataFrame
  ): DataFrame = {
    val made = SparkWindowing.keyBy(events, Seq(col("key"))).window(assigner)
    trigger.fold(made)(made.trigger(_)).aggregate(sum("value").as("total"), count(lit(1)).as("n"))
  }

  private val sessions: DataFrame => DataFrame = windows(EventTimeSessionWindows.withGap(ofSeconds(6)))

  // Of each key the even values and the odd ones.
  private def joined(events: DataFrame): DataFrame = {
    def side(odd: Int) = SparkWindowing.keyBy(events.where(col("value") % 2 === odd), Seq(col("key")), Some(col("ts")))
    SparkWindowing.join(side(0), side(1)).window(TumblingEventTimeWindows.of(ofSeconds(30))).full()
  }

  private def process(events: DataFrame): DataFrame = SparkWindowing
    .keyBy(events, Seq(col("key")))
    .process(
      ColumnProcess.of(
        state = struct(lit(0).as("n")),
        onElement = Do.of(
          state = expr("named_struct('n', state.n + 1)"),
          eventTimer = expr("ctx.timestamp + INTERVAL 4 SECONDS")
        ),
        onEventTimer = Do.of(emit = expr("named_struct('n', state.n)"))
      )
    )

  private val queries: Seq[(String, DataFrame => DataFrame)] = Seq(
    "event-time sessions"      -> sessions,
    "joins"                    -> joined,
    "processing-time sessions" -> windows(ProcessingTimeSessionWindows.withGap(ofSeconds(6))),
    "both kinds of timers"     -> windows(
      TumblingEventTimeWindows.of(ofSeconds(8)),
      Some(AfterWatermark.of(ofSeconds(3), ofSeconds(5)))
    ),
    "over windows"         -> windows(OverEventTimeWindows.preceding(ofSeconds(20))),
    "timers of a function" -> process
  )
}
