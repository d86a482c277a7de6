package dev.sparkwindowing.spark

import dev.sparkwindowing.assigners.{EventTimeSessionWindows, TumblingEventTimeWindows, WindowAssigner}
import dev.sparkwindowing.columns.ColumnAggregateFunction
import dev.sparkwindowing.evictors.CountEvictor
import dev.sparkwindowing.{SparkWindowing, WindowedStream}
import org.apache.spark.sql.functions._
import org.apache.spark.sql.{Column, DataFrame}
import org.scalatest.funsuite.AnyFunSuite

import java.time.Duration
import scala.util.Random

/** `reduce` and aggregates of one's own that are written in columns. */
class ColumnFunctionsSpec extends AnyFunSuite with SharedSpark {
  import Event.at

  private val second = Duration.ofSeconds(1)

  private def sumOfValues: Column =
    expr("named_struct('key', a.key, 'value', a.value + b.value, 'ts', least(a.ts, b.ts))")

  private def meanOf(value: String): ColumnAggregateFunction = ColumnAggregateFunction.of(
    expr("named_struct('n', 0, 'total', 0)"),
    expr(s"named_struct('total', acc.total + row.$value, 'n', acc.n + 1L)"),
    expr("named_struct('n', a.n + b.n, 'total', a.total + b.total)"),
    expr("named_struct('mean', acc.total / acc.n)")
  )

  private def static(rows: Event*): DataFrame = spark.createDataFrame(rows).drop("tick")

  private def keyed(
      df: DataFrame,
      assigner: WindowAssigner[org.apache.spark.sql.catalyst.InternalRow]
  ): WindowedStream =
    SparkWindowing.keyBy(df, Seq(col("key")), Some(col("ts"))).window(assigner)

  private val tens = TumblingEventTimeWindows.of(second.multipliedBy(10))

  test("reduce gives the columns of the input behind key and window, by name") {
    val result = keyed(static(at("a", 1, 2000), at("a", 2, 1000), at("b", 5, 3000), at("a", 4, 12000)), tens)
      .reduce(sumOfValues)
    assert(result.columns.toSeq == Seq("key", "window", "value", "ts"))
    assert(
      WindowText.of(result.collect().toSeq) ==
        Seq("a [0, 10000) 3 1000", "a [10000, 20000) 4 12000", "b [0, 10000) 5 3000")
    )
  }

  test("a row of nothing but the key, and without keys all columns") {
    val users                  = static(at("a", 1, 1000), at("a", 2, 2000)).select("key")
    def counted(keys: Column*) = SparkWindowing.keyBy(users, keys).countWindow(2).reduce(col("b"))
    assert(WindowText.of(counted(col("key")).collect().toSeq) == Seq("a null"))
    assert(WindowText.of(counted().collect().toSeq) == Seq("null a"))
  }

  test("an aggregate of one's own: literals take the types that add gives") {
    val result = keyed(static(at("a", 1, 1000), at("a", 2, 2000), at("b", 5, 3000)), tens).aggregate(meanOf("value"))
    assert(result.schema.fields.last.dataType.sql == "DOUBLE")
    assert(WindowText.of(result.collect().toSeq) == Seq("a [0, 10000) 1.5", "b [0, 10000) 5.0"))
    assert(SparkWindowing.explain(result).contains("buffer: struct<n:bigint,total:int>"))
  }

  test("both are what aggregates of SQL give, on random rows in sessions that merge") {
    val random = new Random(7)
    val rows   = Seq.fill(500)(at(s"k${random.nextInt(5)}", random.nextInt(100), random.nextInt(200) * 1000L))
    val df     = static(rows: _*)
    val gap    = EventTimeSessionWindows.withGap(second.multipliedBy(2))
    val sql = keyed(df, gap).aggregate(sum("value").cast("int").as("value"), min("ts").as("ts"), avg("value").as("m"))
    val expect = WindowText.of(sql.collect().toSeq)
    assert(expect.size > 50)
    assert(
      WindowText.of(keyed(df, gap).reduce(sumOfValues).collect().toSeq) == WindowText.of(sql.drop("m").collect().toSeq)
    )
    val own = keyed(df, gap).aggregate(meanOf("value"))
    assert(WindowText.of(own.collect().toSeq) == WindowText.of(sql.drop("value", "ts").collect().toSeq))
  }

  for (
    (name, function) <- Seq[(String, WindowedStream => DataFrame)](
      "reduce"                   -> (_.reduce(sumOfValues)),
      "an AggregateFunction"     -> (_.aggregate(meanOf("value"))),
      "reduce behind an evictor" -> (_.evictor(CountEvictor.of(2L)).reduce(sumOfValues))
    )
  ) test(s"$name on a stream in sessions that join, stopped between all micro-batches") {
    val batches = Seq(at("a", 1, 1000), at("a", 2, 7000), at("a", 4, 4000), at("b", 8, 5000), at("end", 0, 60000))
    def run(stops: Boolean): Seq[Seq[String]] = {
      val q = new DrivenQuery(spark, delay = Some("10 seconds"))(events =>
        function(
          SparkWindowing.keyBy(events, Seq(col("key"))).window(EventTimeSessionWindows.withGap(second.multipliedBy(4)))
        )
      )
      try {
        q.start()
        batches.map { row =>
          if (stops) q.restart()
          WindowText.of(q.batch(row))
        }
      } finally q.stop()
    }
    val through = run(stops = false)
    assert(through.last.size == 2)
    assert(run(stops = true) == through)
    name match {
      case "reduce"                   => assert(through.last == Seq("a [1000, 11000) 7 1000", "b [5000, 9000) 8 5000"))
      case "reduce behind an evictor" => assert(through.last.head.startsWith("a [1000, 11000) 6"))
      case _                          => assert(through.last.head == s"a [1000, 11000) ${7.0 / 3}")
    }
  }

  test("what does not fit is refused on the driver, with both types") {
    val windows                          = keyed(static(at("a", 1, 1000)), tens)
    def refused(reduced: String): String = intercept[IllegalArgumentException](windows.reduce(expr(reduced))).getMessage
    assert(refused("a.value") == "reduce must give a struct, got INT: struct(value.as(\"name\"), ..)")
    val missing = refused("struct(a.key, a.value, 1 as more)")
    assert(missing.contains("(key, value, ts), got key, value, more; missing: ts; too many: more"), missing)
    val wide = refused("struct(a.key, a.value + 1L as value, a.ts)")
    assert(wide.contains("reduce gives 'value' as BIGINT, and the input has it as INT"), wide)
    assert(refused("price").contains("reduce knows no column `price`: it is an expression over"))

    def of(create: String = "struct(0 as n)", add: String = "struct(acc.n + 1 as n)", result: String = "acc"): String =
      intercept[IllegalArgumentException] {
        windows.aggregate(ColumnAggregateFunction.of(expr(create), expr(add), null, expr(result)))
      }.getMessage
    val unmerged = intercept[IllegalArgumentException] {
      val n = expr("struct(0 as n)")
      windows.aggregate(
        ColumnAggregateFunction.of(n, expr("struct(acc.n + 1 as n)"), null, col("acc"), mergeable = true)
      )
    }
    assert(
      unmerged.getMessage ==
        "AggregateFunction: mergeable = true needs merge, which is missing: add merge = struct(..) over the structs a and b"
    )
    assert(of(create = "0").contains("AggregateFunction: createAccumulator must give a struct, got INT"))
    assert(
      of(create = "struct(value as n)").contains(
        "createAccumulator knows no column `value`: it is an expression over constants"
      )
    )
    assert(
      of(create = "struct('x' as n)", add = "struct(1 as n)").contains(
        "createAccumulator gives 'n' as STRING, and what add gives has it as INT"
      )
    )
    assert(of(add = "struct(acc.n as m)").contains("got m; missing: n; too many: m"))
    assert(of(add = "row.value").contains("AggregateFunction: add must give a struct, got INT"))
    val grows = of(add = "struct(acc.n + cast(1.5 as decimal(5, 2)) as n)")
    assert(
      grows.contains("AggregateFunction: add gives 'n' as DECIMAL(") && grows.contains("its accumulator has it as"),
      grows
    )
    assert(of(result = "rand()").contains("AggregateFunction: getResult cannot use rand("))
    val merging = intercept[IllegalArgumentException] {
      keyed(static(at("a", 1, 1000)), EventTimeSessionWindows.withGap(second))
        .aggregate(ColumnAggregateFunction.of(expr("struct(0 as n)"), expr("struct(acc.n + 1 as n)"), null, col("acc")))
    }
    assert(merging.getMessage.contains("merge is missing"))
  }
}
