package dev.sparkwindowing.spark

import dev.sparkwindowing.assigners.{
  EventTimeSessionWindows,
  OverEventTimeWindows,
  SlidingEventTimeWindows,
  TumblingEventTimeWindows
}
import dev.sparkwindowing.functions.{CoGroupFunction, Collector, ProcessWindowFunction}
import dev.sparkwindowing.triggers.{CountTrigger, PurgingTrigger}
import dev.sparkwindowing.{JoinedWindows, KeyedStream, SparkWindowing}
import org.apache.spark.sql.functions._
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.{DataFrame, Row}
import org.scalatest.funsuite.AnyFunSuite

import java.time.Duration
import scala.util.Random

/** Joins and co-groups by window, on static DataFrames and on streams of two inputs. */
class JoinSpec extends AnyFunSuite with SharedSpark {
  import Event.at
  import spark.implicits._

  private val tenSeconds = TumblingEventTimeWindows.of(Duration.ofSeconds(10))

  private def keyed(df: DataFrame): KeyedStream = SparkWindowing.keyBy(df, Seq(col("key")), Some(col("ts")))

  private def static(rows: Event*): KeyedStream = keyed(rows.toDF().drop("tick"))

  private def shown(result: DataFrame): Seq[String] = WindowText.of(result.collect().toSeq)

  private def joined(left: KeyedStream, right: KeyedStream): JoinedWindows =
    SparkWindowing.join(left, right).window(tenSeconds)

  private val left  = Seq(at("a", 1, 1000), at("a", 2, 9999), at("a", 3, 10000), at("b", 4, 5000), at(null, 5, 1000))
  private val right = Seq(at("a", 10, 0), at("a", 20, 9000), at("c", 30, 5000), at(null, 50, 1000))

  private val pairs =
    for {
      (value, ts)  <- Seq(1 -> 1000, 2 -> 9999)
      (other, ots) <- Seq(10 -> 0, 20 -> 9000)
    } yield s"a [0, 10000) (a $value $ts) (a $other $ots)"

  private val leftAlone =
    Seq("a [10000, 20000) (a 3 10000) null", "b [0, 10000) (b 4 5000) null", "null [0, 10000) (null 5 1000) null")

  private val rightAlone = Seq("c [0, 10000) null (c 30 5000)", "null [0, 10000) null (null 50 1000)")

  test("inner, left, right and full joins; a key that is null joins nothing") {
    val windows = joined(static(left: _*), static(right: _*))
    assert(shown(windows.inner()) == pairs.sorted)
    assert(shown(windows.left()) == (pairs ++ leftAlone).sorted)
    assert(shown(windows.right()) == (pairs ++ rightAlone).sorted)
    assert(shown(windows.full()) == (pairs ++ leftAlone ++ rightAlone).sorted)
  }

  test("keys of other names and of several columns, inputs under names of the user") {
    val clicks                              = Seq(("a", 1, 1000L), ("a", 2, 2000L)).toDF("user", "shop", "at")
    val orders                              = Seq(("a", 1, 3000L, 9.5)).toDF("buyer", "shop", "at", "amount")
    def timed(df: DataFrame, keys: String*) =
      SparkWindowing.keyBy(df.withColumn("at", timestamp_millis(col("at"))), keys.map(col), Some(col("at")))
    val result = SparkWindowing
      .join(timed(clicks, "user", "shop"), timed(orders, "buyer", "shop"), "click", "order")
      .window(tenSeconds)
      .inner()
    assert(result.columns.toSeq == Seq("user", "shop", "window", "click", "order"))
    assert(shown(result) == Seq("a 1 [0, 10000) (a 1 1000) (a 1 3000 9.5)"))
  }

  test("the columns of the structs carry no mark of an event time") {
    val flat =
      joined(static(left: _*), static(right: _*)).inner().select(col("window"), col("left.ts"), col("left.key"))
    assert(flat.schema("ts").metadata == org.apache.spark.sql.types.Metadata.empty)
    val counted = SparkWindowing
      .keyBy(flat, Seq(col("key")))
      .window(TumblingEventTimeWindows.of(Duration.ofHours(1)))
      .aggregate(count(lit(1)).as("n"))
    assert(shown(counted) == Seq("a [0, 3600000) 4"))
  }

  test("random rows: tumbling joins are Spark's joins on key and window") {
    val random = new Random(20)
    for (_ <- Cases.rounds(2, 8)) {
      def rows = Seq.fill(random.nextInt(60))(
        at(
          ("abcdef" + random.nextInt(2)).charAt(random.nextInt(7)).toString,
          random.nextInt(9),
          random.nextInt(60000).toLong
        )
      )
      val (a, b)                                = (rows.toDF().drop("tick"), rows.toDF().drop("tick"))
      def windowed(df: DataFrame, name: String) =
        df.select(col("key"), window(col("ts"), "10 seconds").as("window"), struct(col("*")).as(name))
      for (
        (how, ours) <- Seq[(String, JoinedWindows => DataFrame)](
          "inner" -> (_.inner()),
          "left"  -> (_.left()),
          "right" -> (_.right()),
          "full"  -> (_.full())
        )
      ) {
        val expected = windowed(a, "left").join(windowed(b, "right"), Seq("key", "window"), how)
        assert(shown(ours(joined(keyed(a), keyed(b)))) == shown(expected), how)
      }
    }
  }

  test("sliding windows and sessions: an outer row in each window of its own") {
    val (a, b)  = (static(at("a", 1, 1000)), static(at("a", 2, 6000)))
    val sliding =
      SparkWindowing.join(a, b).window(SlidingEventTimeWindows.of(Duration.ofSeconds(10), Duration.ofSeconds(5)))
    assert(
      shown(sliding.full()) == Seq(
        "a [-5000, 5000) (a 1 1000) null",
        "a [0, 10000) (a 1 1000) (a 2 6000)",
        "a [5000, 15000) null (a 2 6000)"
      )
    )
    val sessions = SparkWindowing.join(a, b).window(EventTimeSessionWindows.withGap(Duration.ofSeconds(5)))
    assert(shown(sessions.inner()) == Seq("a [1000, 11000) (a 1 1000) (a 2 6000)"))
  }

  test("a firing repeats the pairs of those before, unless the trigger purges") {
    val (a, b)  = (static(at("a", 1, 1000)), static(at("a", 2, 2000), at("a", 3, 3000)))
    val windows = SparkWindowing.join(a, b).window(tenSeconds)
    val onTwo   = CountTrigger.of(2)
    val all     = windows.trigger(CountTrigger.of(1)).withPane().inner()
    assert(
      WindowText
        .of(all.select("pane.number", "left.value", "right.value").collect().toSeq) == Seq("1 1 2", "2 1 2", "2 1 3")
    )
    assert(shown(windows.trigger(PurgingTrigger.of(onTwo)).inner()) == Seq("a [0, 10000) (a 1 1000) (a 2 2000)"))
  }

  private def watermarked(inputs: Seq[DataFrame]): Seq[KeyedStream] =
    inputs.map(df => keyed(df.drop("tick").withWatermark("ts", "0 seconds")))

  test("a stream: the slower input holds the watermark, and a late row has the struct of its input") {
    val q = new InputsQuery(spark, 2)(inputs => {
      val Seq(a, b) = watermarked(inputs)
      SparkWindowing.allOutputs(joined(a, b).sideOutputLateData("late").left())
    }).start()
    try {
      assert(q.batch(0, at("a", 1, 1000), at("a", 2, 30000)) == Nil)
      assert(q.batch(1, at("a", 10, 2000)) == Nil)
      q.restart()
      // Spark knows the watermark of the query still, not that of each input.
      assert(q.batch(0, at("b", 4, 31000)) == Nil)
      assert(
        q.batch(1, at("a", 11, 9000), at("b", 12, 10001)) == Seq(
          "main (a [0, 10000) (a 1 1000) (a 10 2000)) null",
          "main (a [0, 10000) (a 1 1000) (a 11 9000)) null"
        )
      )
      assert(q.batch(0, at("a", 3, 5000)) == Seq("late null (a 5000 (a 3 5000) null 5000 [0, 10000) late)"))
    } finally q.stop()
  }

  test("random streams with restarts: the pairs of the rows that are not late, each once") {
    val random = new Random(21)
    for (run <- Cases.rounds(2, 4)) {
      val q = new InputsQuery(spark, 2)(inputs => {
        val Seq(a, b) = watermarked(inputs)
        SparkWindowing.allOutputs(joined(a, b).sideOutputLateData("late").full())
      }).start()
      try {
        val taken = Seq.newBuilder[(Int, Event)]
        val late  = Seq.newBuilder[(Int, Event)]
        // Of each input since the last start: Spark's watermark of a query rises again when all inputs have had rows.
        val seen      = Array(0L, 0L)
        var watermark = 0L
        val got       = Seq.newBuilder[String]
        for (step <- 1 to 25) {
          val input = random.nextInt(2)
          val rows  = Seq.fill(1 + random.nextInt(4))(
            at(
              "abc".charAt(random.nextInt(3)).toString,
              random.nextInt(1000),
              math.max(0L, step * 3000L + random.nextInt(30000) - 20000)
            )
          )
          rows.foreach { r =>
            val end = (r.ts.getTime / 10000 + 1) * 10000
            (if (end - 1 <= watermark - 1) late else taken) += input -> r
          }
          got ++= q.batch(input, rows: _*)
          seen(input) = math.max(seen(input), rows.map(_.ts.getTime).max)
          watermark = math.max(watermark, seen.min)
          if (random.nextInt(5) == 0) {
            q.restart()
            seen.indices.foreach(seen(_) = 0L)
          }
        }
        got ++= q.batch(0, at("end", 0, 1000000)) ++ q.batch(1, at("end", 0, 1000000))
        def text(e: Event) = s"(${e.key} ${e.value} ${e.ts.getTime})"
        val expected       = taken.result().groupBy { case (_, e) => (e.key, e.ts.getTime / 10000) }.toSeq.flatMap {
          case ((key, number), rows) =>
            val (lefts, rights) = rows.partition(_._1 == 0)
            val window          = s"[${number * 10000}, ${(number + 1) * 10000})"
            val ls              = if (lefts.isEmpty) Seq("null") else lefts.map(r => text(r._2))
            val rs              = if (rights.isEmpty) Seq("null") else rights.map(r => text(r._2))
            for { l <- ls; r <- rs } yield s"main ($key $window $l $r) null"
        }
        val (lateGot, mainGot) = got.result().partition(_.startsWith("late"))
        assert(mainGot.sorted == expected.sorted, s"run $run")
        assert(lateGot.size == late.result().size, s"run $run")
      } finally q.stop()
    }
  }

  test("co-groups of three inputs: aggregates name the columns of an input, a function gets its rows") {
    val (a, b, c) = (static(left: _*), static(right: _*), static(at("a", 7, 4000)))
    val windows   = SparkWindowing.coGroup("x" -> a, "y" -> b, "z" -> c).window(tenSeconds)
    val counted   = windows.aggregate(count("x").as("xs"), sum("y.value").as("y"), max("z.value").as("z"))
    assert(
      shown(counted) == Seq(
        "a [0, 10000) 2 30 7",
        "a [10000, 20000) 1 null null",
        "b [0, 10000) 1 null null",
        "c [0, 10000) 0 30 null",
        "null [0, 10000) 1 50 null"
      )
    )
    val sizes = windows.process(new SizesOfInputs, StructType.fromDDL("sizes STRING"))
    assert(shown(sizes).head == "a [0, 10000) 2 2 1")
  }

  test("co-groups are aggregated before the exchange") {
    val windows = SparkWindowing.coGroup("x" -> static(left: _*), "y" -> static(right: _*)).window(tenSeconds)
    val path    =
      SparkWindowing.explain(windows.aggregate(count("x"), sum("y.value"))).linesIterator.find(_.startsWith("path"))
    assert(path.exists(_.contains("before the exchange")), path)
  }

  private def refused(body: => Any): String = intercept[IllegalArgumentException](body).getMessage

  test("inputs that do not fit together are refused by name") {
    val a     = static(left: _*)
    val frame = left.toDF().drop("tick")
    assert(
      refused(SparkWindowing.join(a, SparkWindowing.keyBy(frame, Seq(col("value")), Some(col("ts"))))) ==
        "the key 'key' of 'left' is STRING, and 'value' of 'right' is INT: cast one, " +
        "keyBy(.., col(\"value\").cast(\"string\").as(\"value\"))"
    )
    assert(
      refused(SparkWindowing.join(a, SparkWindowing.keyBy(frame, Nil, Some(col("ts")))))
        .contains("'left' has 'key' STRING, 'right' has no key")
    )
    assert(
      refused(SparkWindowing.join(a, SparkWindowing.keyBy(frame, Seq(col("key")))))
        .contains("'left' has an event time and 'right' has none")
    )
    assert(refused(SparkWindowing.join(a, a, "key")).startsWith("'key' names a key and an input"))
    assert(refused(SparkWindowing.join(a, a, "x", "x")).startsWith("'x' names an input and an input"))
    assert(
      refused(SparkWindowing.join(a, SparkWindowing.keyBy(frame, Seq(col("key")), Some(col("ts")), "drop"))) ==
        "onMissingTime is 'late' for 'left' and 'drop' for 'right': give both the same"
    )
    val twice = SparkWindowing.keyBy(frame.select(col("*"), col("value")), Seq(col("key")), Some(col("ts")))
    assert(refused(SparkWindowing.join(a, twice)).startsWith("the input 'right' has two columns 'value'"))
  }

  test("over windows, of which each row has its own, join nothing; a co-group takes them") {
    val (a, b) = (static(left: _*), static(right: _*))
    val over   = OverEventTimeWindows.preceding(Duration.ofSeconds(10))
    val error  = intercept[UnsupportedOperationException](SparkWindowing.join(a, b).window(over))
    assert(error.getMessage.contains("cannot join: each row has a window of its own"))
    val counts = SparkWindowing.coGroup("x" -> a, "y" -> b).window(over).aggregate(count("x"), count("y"))
    assert(WindowText.of(counts.where("key = 'a'").collect().toSeq).contains("a [-9000, 1001) 1 1"), shown(counts))
  }

  test("a stream with a static DataFrame, and a stream without watermark, are refused by name") {
    val q = new InputsQuery(spark, 2)(inputs => {
      val Seq(a, b) = inputs.map(_.drop("tick"))
      val stream    = keyed(a.withWatermark("ts", "0 seconds"))
      assert(
        refused(joined(stream, static(left: _*))).startsWith("'left' is a stream and 'right' is a static DataFrame")
      )
      assert(refused(joined(stream, keyed(b))).startsWith("'left' has a watermark and 'right' has none"))
      joined(stream, keyed(b.withWatermark("ts", "0 seconds"))).inner()
    })
    try q.start()
    finally q.stop()
  }

  test("another kind of join is refused at a restart") {
    var inner = true
    val q     = new InputsQuery(spark, 2)(inputs => {
      val Seq(a, b) = watermarked(inputs)
      if (inner) joined(a, b).inner() else joined(a, b).left()
    }).start()
    try {
      q.batch(0, at("a", 1, 1000))
      inner = false
      val error = intercept[Exception](q.restart().batch(0, at("a", 1, 1000)))
      assert(
        Iterator.iterate[Throwable](error)(_.getCause).takeWhile(_ != null).exists(_.getMessage.contains("inner join"))
      )
    } finally q.stop()
  }
}

private final class SizesOfInputs extends CoGroupFunction {
  def coGroup(
      key: Row,
      context: ProcessWindowFunction.Context,
      inputs: CoGroupFunction.Inputs,
      out: Collector[Row]
  ): Unit =
    out.collect(Row(Seq("x", "y", "z").map(inputs(_).size).mkString(" ")))
}
