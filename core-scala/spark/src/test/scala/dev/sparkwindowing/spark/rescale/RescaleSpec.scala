package dev.sparkwindowing.spark.rescale

import dev.sparkwindowing.assigners._
import dev.sparkwindowing.columns.{ColumnProcess, Do}
import dev.sparkwindowing.spark._
import dev.sparkwindowing.spark.links.OperatorSetting
import dev.sparkwindowing.spark.plan.StateLimits
import dev.sparkwindowing.triggers.ProcessingTimeTrigger
import dev.sparkwindowing.{SparkWindowing, WindowedStream}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.functions._
import org.apache.spark.sql.{DataFrame, SparkSession}
import org.scalatest.funsuite.AnyFunSuite
import org.scalatest.tags.Slow

import java.time.Duration.ofSeconds

/** A query whose checkpoint was written anew with another number of partitions goes on as if it had not been. */
@Slow
class RescaleSpec extends AnyFunSuite with SharedSpark {
  import Event.at

  private val ten = TumblingEventTimeWindows.of(ofSeconds(10))

  private def windows(events: DataFrame, assigner: WindowAssigner[InternalRow] = ten): WindowedStream =
    SparkWindowing.keyBy(events, Seq(col("key"))).window(assigner)

  private val values = Seq(count(lit(1)).as("n"), sum("value").as("total"))

  private def reminding: ColumnProcess = ColumnProcess.of(
    state = struct(lit(0).as("n")),
    onElement = Do.of(
      state = expr("named_struct('n', state.n + 1)"),
      processingTimer = expr("ctx.processing_time + interval 2 seconds")
    ),
    onProcessingTimer = Do.of(emit = struct(expr("state.n").as("n"), expr("unix_seconds(time)").as("at")))
  )

  private val queries: Seq[(String, DataFrame => DataFrame)] = Seq(
    "sums"             -> (windows(_).allowedLateness(ofSeconds(4)).aggregate(values: _*)),
    "sessions"         -> (windows(_, EventTimeSessionWindows.withGap(ofSeconds(3))).aggregate(values: _*)),
    "slices"           -> (windows(_, SlidingEventTimeWindows.of(ofSeconds(10), ofSeconds(2))).aggregate(values: _*)),
    "a staggered grid" ->
      (windows(_, TumblingEventTimeWindows.of(ofSeconds(10), ofSeconds(0), WindowStagger.Natural))
        .aggregate(values: _*)),
    "keys of many types" -> { events =>
      val keys = Seq(
        when(col("value") % 3 =!= 0, col("key")).as("who"),
        (col("value") * lit(-0.0)).as("x"),
        struct(col("key"), array(col("value") % 2)).as("nested"),
        (col("value") % 3).cast("decimal(30, 2)").as("price"),
        to_timestamp(timestamp_seconds(col("value") % 3)).as("time")
      )
      SparkWindowing.keyBy(events, keys).window(ten).aggregate(values: _*)
    },
    "window_all"                -> (SparkWindowing.windowAll(_, ten).aggregate(values: _*)),
    "timers of processing time" -> (e => SparkWindowing.keyBy(e, Seq(col("key"))).process(reminding)),
    "a chain"                   -> (events => {
      val first = windows(events).aggregate(values: _*)
      SparkWindowing
        .keyBy(first, Seq(col("key")))
        .window(TumblingEventTimeWindows.of(ofSeconds(30)))
        .aggregate(sum("n").as("n"), sum("total").as("total"))
    }),
    "over windows" -> (windows(_, OverEventTimeWindows.preceding(ofSeconds(20))).withRow().aggregate(values: _*)),
    "timers of processing time in windows" ->
      (windows(_, TumblingProcessingTimeWindows.of(ofSeconds(2)))
        .trigger(ProcessingTimeTrigger.create())
        .aggregate(values: _*))
  )

  private val portable = Set("sums", "sessions", "keys of many types")

  private def session(operator: String, store: Map[String, String]): SparkSession = {
    val own = StateStores.session(spark, store)
    own.conf.set(OperatorSetting.Name, operator)
    own.conf.set(StateLimits.SavedSetting, 1) // each partition says what its keys are
    own
  }

  // Six steps of rows of several keys, and one that closes all windows; before some of them the query is moved.
  private def results(on: SparkSession, query: DataFrame => DataFrame, moves: Map[Int, Int]): Seq[Seq[String]] = {
    val q = new DrivenQuery(on, delay = Some("4 seconds"))(query)
    try {
      q.start()
      val some = (0 until 6).map { step =>
        moves.get(step).foreach(Rescaled(on, q, _))
        q.clock.advance(1500)
        val rows = (0 until 24).map(i => at(s"k${(step * 7 + i) % 11}", step * 100 + i, step * 4000L + i * 300))
        q.batch(rows: _*).map(_.toString).sorted
      }
      q.clock.advance(100000)
      some :+ (q.watermark(1000000) ++ q.watermark(1000001)).map(_.toString).sorted
    } finally q.stop()
  }

  private val moves = Map(1 -> 7, 3 -> 1, 5 -> 4)

  private val format2 = StateStores.all
    .drop(1)
    .map { case (name, settings) => s"$name, format 2" -> (settings + ("checkpointFormatVersion" -> "2")) }
    .filterNot(_ => spark.version.startsWith("3."))

  for {
    (operator, some)   <- Seq("native" -> queries, "portable" -> queries.filter(q => portable(q._1)))
    ((name, query), i) <- Cases.each(2)(some.zipWithIndex)
    stores            = StateStores.all ++ format2
    (store, settings) = stores((i + operator.length) % stores.size)
  } test(s"3 partitions, then 7, 1 and 4: $name, $operator operator, $store") {
    val on       = session(operator, settings)
    val expected = results(on, query, Map.empty)
    assert(expected.flatten.size >= 3, "the time line must show something")
    assert(results(on, query, moves) == expected)
  }
}
