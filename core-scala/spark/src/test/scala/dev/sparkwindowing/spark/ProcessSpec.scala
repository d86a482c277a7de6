package dev.sparkwindowing.spark

import dev.sparkwindowing.assigners.{EventTimeSessionWindows, TumblingEventTimeWindows}
import dev.sparkwindowing.codec.ValueCodec
import dev.sparkwindowing.columns.{ColumnAggregateFunction, ColumnEvictor}
import dev.sparkwindowing.functions.{
  Collector,
  OutputTag,
  ProcessWindowFunction,
  ReducingStateDescriptor,
  SideOutput,
  StateCodec,
  ValueStateDescriptor
}
import dev.sparkwindowing.triggers.{CountTrigger, PurgingTrigger}
import dev.sparkwindowing.windows.Window
import dev.sparkwindowing.{SparkWindowing, WindowedStream}
import org.apache.spark.sql.functions._
import org.apache.spark.sql.types._
import org.apache.spark.sql.{Column, DataFrame, Row}
import org.scalatest.funsuite.AnyFunSuite

import java.lang.{Long => JLong}
import java.sql.Timestamp
import java.time.Duration

/** Sums what came since the last firing, with the sum and the number of firings of the window so far and of the key. */
final class RunningSum(clears: Boolean) extends ProcessWindowFunction[Row, Row, Row] {
  private val sum     = ReducingStateDescriptor[JLong]("sum", (a, b) => a + b, ValueCodec.long)
  private val firings = ValueStateDescriptor[Integer]("firings", StateCodec.of[Integer](IntegerType))

  def process(key: Row, ctx: ProcessWindowFunction.Context, rows: Iterable[Row], out: Collector[Row]): Unit = {
    val now   = rows.map(_.getAs[Int]("value").toLong).sum
    val total = ctx.windowState.getReducingState(sum)
    val count = ctx.globalState.getState(firings)
    total.add(now)
    count.update(count.value.fold(1)(_ + 1))
    out.collect(Row(now, total.get.orNull, count.value.orNull, ctx.currentWatermark))
  }

  override def clear(ctx: ProcessWindowFunction.Context): Unit =
    if (clears) ctx.windowState.getReducingState(sum).clear()

  override def toString: String = "RunningSum"
}

/** Puts out each row, and those of more than 10 to `big` too; fails at 13. */
final class Sorter extends ProcessWindowFunction[Row, Row, Row] {
  def process(key: Row, ctx: ProcessWindowFunction.Context, rows: Iterable[Row], out: Collector[Row]): Unit =
    rows.foreach { row =>
      val value = row.getAs[Int]("value")
      if (value == 13) throw new IllegalStateException("unlucky")
      if (value > 10) ctx.output(OutputTag[Row]("big"), Row(key.getString(0), value))
      out.collect(Row(value))
    }
}

/** A user's functions over all elements of a window, on running streams and in batch. */
class ProcessSpec extends AnyFunSuite with SharedSpark {
  import Event.at

  private def windows(events: DataFrame): WindowedStream =
    SparkWindowing.keyBy(events, Seq(col("key"))).window(TumblingEventTimeWindows.of(Duration.ofSeconds(10)))

  private val sums = StructType.fromDDL("now bigint, total bigint, firings int, watermark bigint")
  private val big  = SideOutput("big", StructType.fromDDL("who string, value int"))

  private def running(build: DataFrame => DataFrame)(test: DrivenQuery => Unit): Unit = {
    val q = new DrivenQuery(spark)(build)
    try test(q.start())
    finally q.stop()
  }

  private def stored(q: DrivenQuery): Long =
    q.stop().running.lastProgress.stateOperators(0).numRowsTotal

  private def static(rows: (String, Int, Long)*): DataFrame = {
    import spark.implicits._
    rows.toDF("key", "value", "at").select(col("key"), col("value"), timestamp_millis(col("at")).as("ts"))
  }

  private def batch(rows: (String, Int, Long)*): WindowedStream =
    SparkWindowing
      .keyBy(static(rows: _*), Seq(col("key")), Some(col("ts")))
      .window(TumblingEventTimeWindows.of(Duration.ofSeconds(10)))

  test("state of a window survives purges and a restart, that of the key the window too") {
    running(windows(_).trigger(PurgingTrigger.of[Any](CountTrigger.of(2))).process(new RunningSum(true), sums)) { q =>
      assert(
        WindowText.of(q.batch(at("a", 1, 1000), at("a", 2, 1000))) == Seq("a [0, 10000) 3 3 1 -9223372036854775808")
      )
      q.restart()
      assert(WindowText.of(q.batch(at("a", 3, 1000), at("a", 4, 1000))) == Seq("a [0, 10000) 7 10 2 999"))
      assert(q.watermark(20000) == Nil)
      assert(WindowText.of(q.batch(at("a", 5, 21000), at("a", 6, 22000))) == Seq("a [20000, 30000) 11 11 3 19999"))
    }
  }

  test("state of a window that the function does not clear stays, and with it the key") {
    running(windows(_).trigger(PurgingTrigger.of[Any](CountTrigger.of(1))).process(new RunningSum(false), sums)) { q =>
      q.batch(at("a", 1, 1000))
      q.watermark(20000)
      assert(q.metric("openWindows") == 0)
      assert(stored(q) == 1)
    }
  }

  test("side outputs of the function and late rows come out of one operator") {
    running { events =>
      SparkWindowing.allOutputs(
        windows(events).sideOutputLateData("late").process(new Sorter, StructType.fromDDL("v int"), big)
      )
    } { q =>
      q.batch(at("a", 1, 1000), at("a", 11, 2000))
      assert(
        WindowText.of(q.watermark(10000)) ==
          Seq("big null null (a 11)", "main (a [0, 10000) 1) null null", "main (a [0, 10000) 11) null null")
      )
      assert(WindowText.of(q.batch(at("a", 7, 3000))) == Seq("late null (a 7 3000 6999 [0, 10000) late) null"))
    }
  }

  test("in batch, each output by itself") {
    val result = batch(("a", 1, 0L), ("a", 12, 1L), ("b", 3, 10L)).process(new Sorter, StructType.fromDDL("v int"), big)
    assert(WindowText.of(result.collect().toSeq) == Seq("a [0, 10000) 1", "a [0, 10000) 12", "b [0, 10000) 3"))
    assert(WindowText.of(SparkWindowing.sideOutput(result, "big").collect().toSeq) == Seq("a 12"))
    val e = intercept[IllegalArgumentException](SparkWindowing.sideOutput(result, "small"))
    assert(e.getMessage == "the result has no side output 'small': it has 'big'")
  }

  test("a window function sees key, window and rows") {
    val result = batch(("a", 1, 0L), ("a", 2, 1L)).apply(
      (key: Row, window: Window, rows: Iterable[Row], out: Collector[Row]) =>
        out.collect(Row(s"${key.getString(0)} $window ${rows.map(_.getAs[Int]("value")).mkString("+")}")),
      StructType.fromDDL("text string")
    )
    assert(WindowText.of(result.collect().toSeq) == Seq("a [0, 10000) a [0, 10000) 1+2"))
  }

  test("behind aggregates the function sees their one row") {
    val average = new ProcessWindowFunction[Row, Row, Row] {
      def process(key: Row, ctx: ProcessWindowFunction.Context, rows: Iterable[Row], out: Collector[Row]): Unit = {
        assert(rows.size == 1)
        out.collect(Row(rows.head.getAs[Long]("s").toDouble / rows.head.getAs[Long]("n")))
      }
    }
    val result = batch(("a", 1, 0L), ("a", 2, 1L))
      .aggregate(Seq(sum("value").as("s"), count(lit(1)).as("n")), average, StructType.fromDDL("mean double"))
    assert(WindowText.of(result.collect().toSeq) == Seq("a [0, 10000) 1.5"))
  }

  // Puts out the one row that it gets, as text, and to `big` how many rows it got.
  private val one = new ProcessWindowFunction[Row, Row, Row] {
    def process(key: Row, ctx: ProcessWindowFunction.Context, rows: Iterable[Row], out: Collector[Row]): Unit = {
      ctx.output(OutputTag[Row]("big"), Row(key.getString(0), rows.size))
      out.collect(Row(rows.head.toSeq.filterNot(_.isInstanceOf[Timestamp]).mkString(" ")))
    }
    override def toString: String = "one"
  }
  private val text = StructType.fromDDL("text string")

  private val mean = ColumnAggregateFunction.of(
    expr("struct(0L as n, 0L as total)"),
    expr("struct(acc.n + 1 as n, acc.total + row.value as total)"),
    expr("struct(a.n + b.n as n, a.total + b.total as total)"),
    expr("struct(acc.total / acc.n as mean, acc.n as n)")
  )
  private val least = expr("struct(a.key, least(a.value, b.value) as value, a.ts)")

  // What is computed before, and what the function sees of the values 1 and 2.
  private val incremental: Seq[(String, WindowedStream => DataFrame, String)] = Seq(
    ("aggregates", _.aggregate(Seq(sum("value").as("s")), one, text, big), "3"),
    ("a ColumnAggregateFunction", _.aggregate(mean, one, text, big), "1.5 2"),
    ("an AggregateFunction on Row", _.aggregate(new LongestWord, one, text, big), "xx 1"),
    ("a reduce of columns", _.reduce(least, one, text, big), "1"),
    ("a ReduceFunction on Row", _.reduce(new Added, one, text, big), "3")
  )

  for ((name, call, seen) <- incremental)
    test(s"behind $name a function sees the one row of a firing, in batch and in merged sessions") {
      val tumbling = call(batch(("a", 1, 0L), ("a", 2, 1L)))
      assert(WindowText.of(tumbling.collect().toSeq) == Seq(s"a [0, 10000) $seen"))
      assert(WindowText.of(SparkWindowing.sideOutput(tumbling, "big").collect().toSeq) == Seq("a 1"))
      running { events =>
        call(
          SparkWindowing.keyBy(events, Seq(col("key"))).window(EventTimeSessionWindows.withGap(Duration.ofSeconds(10)))
        )
      } { q =>
        q.batch(at("a", 1, 1000))
        q.restart()
        q.batch(at("a", 2, 8000))
        assert(WindowText.of(q.watermark(60000)) == Seq(s"a [1000, 18000) $seen"))
      }
    }

  test("what is computed before a function is checked as without one") {
    val error = intercept[IllegalArgumentException](batch(("a", 1, 0L)).reduce(expr("a.key"), one, text))
    assert(error.getMessage.contains("reduce"))
    intercept[NullPointerException](batch().reduce(null: Column, one, text))
    intercept[NullPointerException](batch().aggregate(mean, null, text))
    intercept[NullPointerException](batch().aggregate(null: ColumnAggregateFunction, one, text))
  }

  test("a window that an evictor empties calls the function with nothing") {
    val result = batch(("a", 1, 0L))
      .evictor(ColumnEvictor.keep(lit(false), doEvictAfter = false))
      .apply(
        (_: Row, _: Window, rows: Iterable[Row], out: Collector[Row]) => out.collect(Row(rows.size)),
        StructType.fromDDL("n int")
      )
    assert(WindowText.of(result.collect().toSeq) == Seq("a [0, 10000) 0"))
  }

  test("windows that merge have no state of their own") {
    val e = failure {
      SparkWindowing
        .keyBy(static(("a", 1, 0L)), Seq(col("key")), Some(col("ts")))
        .window(EventTimeSessionWindows.withGap(Duration.ofSeconds(1)))
        .process(new RunningSum(true), sums)
    }
    assert(e.getMessage.contains("windows that merge or count rows have no state of their own: use globalState"))
  }

  test("a function that fails is named with the key and the window") {
    val e = failure(batch(("a", 13, 0L)).process(new Sorter, StructType.fromDDL("v int"), big))
    assert(
      e.getMessage.contains(
        "dev.sparkwindowing.spark.Sorter.process failed for the key [a] and the window [1970-01-01T00:00:00Z, 1970-01-01T00:00:10Z)"
      )
    )
    assert(e.getMessage.contains("unlucky"))
  }

  test("a result that does not fit its schema, and a side output that was not declared, say so") {
    val wrong = failure(batch(("a", 1, 0L)).process(new Sorter, StructType.fromDDL("v string"), big))
    assert(wrong.getMessage.contains("its result does not fit struct<v:string>: [1]"))
    val short = failure(batch(("a", 1, 0L)).process(new Sorter, StructType.fromDDL("v int, w int"), big))
    assert(short.getMessage.contains("its result must be a row of 2 columns, struct<v:int,w:int>, got [1]"))
    val tag = failure(batch(("a", 11, 0L)).process(new Sorter, StructType.fromDDL("v int")))
    assert(tag.getMessage.contains("there is no side output 'big': declare it"))
  }

  test("what is wrong with the outputs is said when the function is given") {
    val v     = StructType.fromDDL("v int")
    val twice = intercept[IllegalArgumentException](batch().process(new Sorter, v, big, big))
    assert(twice.getMessage == "two side outputs are called 'big': give each its own tag")
    val late = intercept[IllegalArgumentException](batch().sideOutputLateData("big").process(new Sorter, v, big))
    assert(late.getMessage == "two side outputs are called 'big': give each its own tag")
    intercept[NullPointerException](batch().process(null, v))
  }

  private def failure(result: => DataFrame): Throwable = {
    val thrown = intercept[Exception](result.collect())
    Iterator
      .iterate[Throwable](thrown)(_.getCause)
      .takeWhile(_ != null)
      .find(_.getClass.getName.contains("WindowFunctionException"))
      .getOrElse(thrown)
  }
}
