package dev.sparkwindowing.spark

import dev.sparkwindowing.assigners.TumblingEventTimeWindows
import dev.sparkwindowing.columns.{ColumnAggregateFunction, ColumnGap, ColumnTrigger, RowParts, TriggerAnswer}
import dev.sparkwindowing.contents.ElementList
import dev.sparkwindowing.evictors.{CountEvictor, Evictor, EvictorContext}
import dev.sparkwindowing.functions.{AggregateFunction, Collector, ProcessWindowFunction, ReduceFunction}
import dev.sparkwindowing.triggers.{Trigger, TriggerContext, TriggerResult}
import dev.sparkwindowing.windows.Window
import dev.sparkwindowing.{SparkWindowing, WindowedStream}
import org.apache.spark.sql.functions._
import org.apache.spark.sql.streaming.StreamingQueryException
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.{DataFrame, Row}
import org.scalatest.funsuite.AnyFunSuite

import java.time.Duration

/** A user's part that fails at 13 until it is fixed. */
object Unlucky {
  @volatile var isMended = false

  def of(row: Row): Int   = of(row.getAs[Int]("value"))
  def of(value: Int): Int =
    if (value == 13 && !isMended) throw new IllegalStateException("unlucky") else value
}

final class UnluckySum extends ProcessWindowFunction[Row, Row, Row] {
  def process(key: Row, ctx: ProcessWindowFunction.Context, rows: Iterable[Row], out: Collector[Row]): Unit =
    out.collect(Row(rows.map(Unlucky.of(_)).sum))
}

final class UnluckyFold extends AggregateFunction {
  def accumulatorSchema: StructType = StructType.fromDDL("sum INT")
  def resultSchema: StructType      = accumulatorSchema
  def createAccumulator(): Row      = Row(0)
  def add(sum: Row, row: Row): Row  = Row(sum.getInt(0) + Unlucky.of(row))
  def merge(a: Row, b: Row): Row    = Row(a.getInt(0) + b.getInt(0))
  def getResult(sum: Row): Row      = sum
}

final class UnluckyReduce extends ReduceFunction {
  def reduce(kept: Row, row: Row): Row = Row(kept(0), kept.getInt(1) + Unlucky.of(row), row(2))
}

final class UnluckyTrigger extends Trigger[Row] {
  def onElement(row: Row, timestamp: Long, window: Window, ctx: TriggerContext): TriggerResult = {
    Unlucky.of(row)
    TriggerResult.Fire
  }
  def onEventTime(time: Long, window: Window, ctx: TriggerContext): TriggerResult      = TriggerResult.Continue
  def onProcessingTime(time: Long, window: Window, ctx: TriggerContext): TriggerResult = TriggerResult.Continue
  def clear(window: Window, ctx: TriggerContext): Unit                                 = ()
  override def toString: String                                                        = "UnluckyTrigger"
}

final class UnluckyEvictor extends Evictor[Row] {
  def evictBefore(rows: ElementList[Row], window: Window, ctx: EvictorContext): Unit =
    rows.removeIf(i => Unlucky.of(rows(i)) < 0)
  def evictAfter(rows: ElementList[Row], window: Window, ctx: EvictorContext): Unit = ()
  override def toString: String                                                     = "UnluckyEvictor"
}

/** A failure of user code stops the query with an error that names key, window and part. After the fix the query
  * resumes from its checkpoint without loss.
  */
class FailuresSpec extends AnyFunSuite with SharedSpark {
  import Event.at

  private val tens  = TumblingEventTimeWindows.of(Duration.ofSeconds(10))
  private val total = StructType.fromDDL("total int")

  private def windows(events: DataFrame): WindowedStream =
    SparkWindowing.keyBy(events, Seq(col("key")), Some(col("ts"))).window(tens)

  private def messageOf(thrown: Throwable): String =
    Iterator.iterate(thrown)(_.getCause).takeWhile(_ != null).map(_.getMessage).mkString("\n")

  private def byZero = ColumnAggregateFunction.of(
    expr("named_struct('n', 0)"),
    expr("named_struct('n', acc.n + 100 div (row.value - 13))"),
    expr("named_struct('n', a.n + b.n)"),
    expr("acc")
  )

  private val ofA = "for the key [a] and the window [1970-01-01T00:00:00Z, 1970-01-01T00:00:10Z)"

  for (
    (part, query, says) <- Seq[(String, WindowedStream => DataFrame, Seq[String])](
      ("a process function", _.process(new UnluckySum, total), Seq(s"UnluckySum.process failed $ofA", "unlucky")),
      ("an AggregateFunction", _.aggregate(new UnluckyFold), Seq(s"UnluckyFold.add failed $ofA", "unlucky")),
      ("a ReduceFunction", _.reduce(new UnluckyReduce), Seq(s"UnluckyReduce.reduce failed $ofA", "unlucky")),
      (
        "a trigger",
        _.trigger(RowParts.trigger(new UnluckyTrigger)).aggregate(count(lit(1))),
        Seq(s"UnluckyTrigger.onElement failed $ofA", "unlucky")
      ),
      (
        "an evictor",
        _.evictor(RowParts.evictor(new UnluckyEvictor)).aggregate(count(lit(1))),
        Seq(s"UnluckyEvictor failed $ofA", "unlucky")
      ),
      (
        "a division by zero in an aggregate of columns",
        _.aggregate(byZero),
        Seq("AggregateFunction: add, named_struct('n', ", s"failed $ofA", "DIVIDE_BY_ZERO")
      ),
      (
        "a division by zero in reduce",
        _.reduce(expr("named_struct('key', b.key, 'value', cast(100 div (b.value - 13) as int), 'ts', b.ts)")),
        Seq("reduce, named_struct(", s"failed $ofA", "DIVIDE_BY_ZERO")
      ),
      (
        "a division by zero in a trigger of columns",
        _.trigger(ColumnTrigger.of(onElement = TriggerAnswer.of(fire = expr("1 / (element.value - 13) > 0"))))
          .aggregate(count(lit(1))),
        Seq("ColumnTrigger, Answer(fire = ", s"failed $ofA", "DIVIDE_BY_ZERO")
      ),
      (
        "a sum that does not fit",
        _.evictor(CountEvictor.of(9)).aggregate(sum(col("value") + lit(Long.MaxValue - 20)).as("s")),
        Seq("aggregate(sum(", s"failed $ofA", "ARITHMETIC_OVERFLOW")
      )
    )
  ) test(s"$part that fails is named, with key and window") {
    val rows  = spark.createDataFrame(Seq(at("a", 1, 1000), at("a", 13, 2000), at("b", 2, 1000))).drop("tick")
    val error = messageOf(intercept[Exception](query(windows(rows)).collect()))
    says.foreach(text => assert(error.contains(text), error))
  }

  test("the key of an error is shown as a row, and shortened if it is long") {
    val rows = spark.createDataFrame(Seq(at("a" * 5000, 13, 1000), at("a" * 5000, 1, 1000))).drop("tick")
    val keys = Seq(struct(lit(null).cast("int").as("x"), lit(1.5).as("y")).as("s"), col("key"))
    val all  = SparkWindowing.keyBy(rows, keys, Some(col("ts"))).window(tens).aggregate(new UnluckyFold)
    val text = messageOf(intercept[Exception](all.collect()))
    assert(
      text.contains("for the key [[null,1.5],aaaa") && text.contains("aa.. (5013 characters) and the window"),
      text.take(900)
    )
  }

  for ((kind, gap) <- Seq("zero" -> "0 seconds", "negative" -> "-1 seconds", "null" -> null, "no interval" -> "soon"))
    test(
      s"a dynamic gap that is $kind stops the query, which names column, key and what came; after the fix it goes on"
    ) {
      val gapOf                                  = if (gap == null) lit(null).cast("string") else lit(gap)
      def query(bad: Boolean)(events: DataFrame) = SparkWindowing
        .keyBy(
          events.withColumn("gap", when(lit(bad) && col("value") === 13, gapOf).otherwise(lit("5 seconds"))),
          Seq(col("key"))
        )
        .window(ColumnGap.eventTime(col("gap")))
        .aggregate(sum("value").as("total"))
      var bad = true
      val q   = new DrivenQuery(spark)(events => query(bad)(events))
      try {
        q.start()
        assert(q.batch(at("a", 1, 1000)) == Nil)
        val error = messageOf(intercept[StreamingQueryException](q.batch(at("a", 13, 2000), at("b", 2, 3000))))
        assert(error.contains("for the key [a]") && error.contains("dynamic gap gap"), error)
        assert(error.contains(if (kind == "zero") "0 ms" else if (kind == "negative") "-1000 ms" else "null"), error)
        bad = false
        q.restart()
        assert(WindowText.of(q.watermark(20000)) == Seq("a [1000, 7000) 14", "b [3000, 8000) 2"))
      } finally q.stop()
    }

  for (
    (kind, query) <- Seq[(String, WindowedStream => DataFrame)](
      "a process function"   -> (_.process(new UnluckySum, total)),
      "an AggregateFunction" -> (_.aggregate(new UnluckyFold)),
      "an evictor"           -> (_.evictor(RowParts.evictor(new UnluckyEvictor)).aggregate(sum("value").as("total")))
    );
    (store, settings) <- StateStores.all.take(2)
  ) test(s"$kind that fails stops the stream; mended it goes on from the checkpoint with nothing lost, on $store") {
    def run(breaks: Boolean): Seq[String] = {
      Unlucky.isMended = !breaks
      val q = new DrivenQuery(StateStores.session(spark, settings))(events => query(windows(events)))
      try {
        q.start()
        val before = q.batch(at("a", 1, 1000), at("b", 2, 2000), at("c", 3, 12000))
        val rows   = Seq(at("a", 13, 13000), at("b", 4, 14000), at("z", 0, 30000))
        if (!breaks) before ++ q.batch(rows: _*) ++ q.watermark(50000)
        else {
          val error = messageOf(intercept[StreamingQueryException](q.batch(rows: _*)))
          assert(
            error.contains("failed for the key [a] and the window [1970-01-01T00:00:10Z, 1970-01-01T00:00:20Z)"),
            error
          )
          // As long as it is not mended it fails at the same place.
          q.restart()
          intercept[StreamingQueryException](q.settle())
          Unlucky.isMended = true
          q.restart()
          before ++ q.settle() ++ q.watermark(50000)
        }
      } finally {
        q.stop()
        Unlucky.isMended = false
      }
    }.map(_.toString).sorted
    val expected = run(breaks = false)
    assert(expected.size == 6)
    assert(run(breaks = true) == expected)
  }
}
