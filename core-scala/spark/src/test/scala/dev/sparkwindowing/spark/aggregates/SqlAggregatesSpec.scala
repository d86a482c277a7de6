package dev.sparkwindowing.spark.aggregates

import dev.sparkwindowing.spark.SharedSpark
import dev.sparkwindowing.spark.relocated.{Relocated, SinceSpark4}
import org.apache.spark.sql.expressions.Window
import org.apache.spark.sql.{AnalysisException, Column, DataFrame, functions => F}
import org.scalatest.funsuite.AnyFunSuite

class SqlAggregatesSpec extends AnyFunSuite with SharedSpark {

  private def df: DataFrame = spark
    .range(10)
    .selectExpr("id as key", "id", "id % 3 as n", "cast(id as double) as x", "named_struct('a', id) as st")

  private def sql(text: String): Column = F.expr(text)

  private def refused(columns: Column*): String =
    intercept[IllegalArgumentException](AggregateAnalysis(df, columns)).getMessage

  test("DISTINCT is refused, with what to write") {
    val message = refused(F.sum("x"), F.countDistinct("n"))
    assert(message.startsWith("aggregate: count(DISTINCT n) is DISTINCT"))
    assert(
      message.contains("""size(collect_set(col("n")))""") && message.contains("""approx_count_distinct(col("n"))""")
    )
    assert(refused(sql("sum(distinct n) + 1")).contains("sum(DISTINCT n)"))
  }

  test("a column that is no aggregate is refused by name") {
    val instead = "wrap it in first(..) or another aggregate, or add it to the keys"
    assert(refused(F.sum("x"), F.col("n")) == s"aggregate: column 'n' is no aggregate: $instead")
    assert(refused(F.sum("x"), (F.col("n") + 1).as("m")).contains("is no aggregate"))
    assert(refused(F.lit(1).as("one")) == s"aggregate: column 'one' is no aggregate: $instead")
    assert(refused(F.sum("x") + F.col("n")).contains(instead))
  }

  test("window functions are refused") {
    val plain = "write the plain aggregate: the window is that of window(..)"
    assert(refused(F.sum("x").over(Window.partitionBy("n"))).contains(plain))
    assert(refused(F.sum(F.sum("x")).over()).contains(plain))
  }

  test("subqueries are refused") {
    assert(refused(sql("sum((select 1))").as("s")).startsWith("aggregate: column 's' contains a subquery: join what"))
    assert(refused(sql("sum(x) + (select 1)")).contains("contains a subquery"))
  }

  test("an explode is refused") {
    assert(refused(F.explode(F.collect_list("x"))).contains("apply explode to the result of the windows"))
  }

  test("what only Spark's planner can evaluate is refused around an aggregate and taken inside") {
    val late = refused(sql("max(x) > unix_timestamp(current_timestamp())").as("late"))
    assert(late.startsWith("aggregate: column 'late' applies current_timestamp() to the result"))
    assert(refused((F.sum("x") + F.rand(1)).as("r")).startsWith("aggregate: column 'r' applies rand(1L) to the result"))
    val inside = AggregateAnalysis(df, Seq(sql("max(current_timestamp())")))
    assert(inside.arguments.size == 1)
  }

  test("no column is refused") {
    assert(refused() == "aggregate: got no column: name at least one, as in aggregate(count(lit(1)))")
  }

  test("an unknown column is Spark's to report") {
    assert(
      Relocated
        .condition(intercept[AnalysisException](AggregateAnalysis(df, Seq(F.sum("y")))))
        .startsWith("UNRESOLVED_COLUMN")
    )
  }

  test("columns are read as they are, anything more is an argument of its own, equal ones once") {
    val a = AggregateAnalysis(
      df,
      Seq(F.sum("x"), F.avg("x"), F.sum(F.col("n") + 1), sql("max(n + 1) filter (where n > 1)"))
    )
    assert(a.arguments.map(_.name) == Seq("x", "_argument_1", "_argument_2"))
    assert(a.functions.map(_.references.size) == Seq(1, 1, 1, 2))
  }

  test("equal functions are kept once") {
    val a = AggregateAnalysis(df, Seq(F.sum("x"), F.sum("x") / F.count("x"), F.count("x").as("c")))
    assert(a.functions.size == 2)
    assert(a.resultExpressions.size == 3)
  }

  test("names and types are those of Spark") {
    val columns = Seq(F.sum("n"), F.avg("x").as("mean"), F.collect_list("st"), F.count("*"), F.max("st"))
    assert(AggregateAnalysis(df, columns).schema == df.groupBy().agg(columns.head, columns.tail: _*).schema)
  }

  test("the schema of the buffer names every slot") {
    val schema = AggregateAnalysis(df, Seq(F.avg("x"), F.collect_list("n"))).stateSchema
    assert(
      schema.map(f => f.name -> f.dataType.sql) == Seq("0_sum" -> "DOUBLE", "0_count" -> "BIGINT", "1_buf" -> "BINARY")
    )
  }

  test("the description is equal in every analysis and says what is computed") {
    def columns = Seq(
      F.sum("x").as("s"),
      sql("count(*) filter (where n > 1L)"),
      F.size(F.collect_list(F.transform(F.array("n", "x"), v => v + 1))),
      F.count_if(F.col("x") > 2),
      sql("nullif(max(n), 0)")
    )
    val first = AggregateAnalysis(df, columns).description
    val wider = df.withColumn("more", F.lit(1)).select("more", "n", "x", "key", "id")
    assert(AggregateAnalysis(df, columns).description == first)
    assert(AggregateAnalysis(wider, columns).description == first)
    assert(first.take(2) == Seq("sum(`x#0`)", "count(1) FILTER (WHERE (`n#1` > 1L))"))
    assert(first.last == "max(`n#1`)")
    assert(AggregateAnalysis(df, F.sum("n") +: columns.tail).description != first)
  }

  test("the description tells columns of one name apart") {
    val twice = df.select(F.col("n"), F.col("x").as("n"))
    val named = twice.toDF("a", "b").select(F.col("a").as("n"), F.col("b")).withColumnRenamed("b", "m")
    assert(AggregateAnalysis(named, Seq(F.sum("n"), F.sum("m"))).description == Seq("sum(`n#0`)", "sum(`m#1`)"))
    val left = df.as("l").join(df.as("r"), F.col("l.id") === F.col("r.id"))
    assert(AggregateAnalysis(left, Seq(F.sum("l.x"), F.sum("r.x"))).description == Seq("sum(`x#0`)", "sum(`x#1`)"))
  }

  test("only functions known to be commutative are called so") {
    def commutative(columns: Column*) = AggregateAnalysis(df, columns).isOrderInsensitive
    assert(
      commutative(F.sum("x"), F.count("*"), F.max("n"), F.approx_count_distinct("n"), F.stddev("x"), sql("bit_xor(n)"))
    )
    Seq(
      F.first("x"),
      F.last("x"),
      F.collect_list("x"),
      F.collect_set("x"),
      F.max_by(F.col("x"), F.col("n")),
      sql("try_sum(n)"),
      sql("mode(n)"),
      sql("any_value(n)"),
      F.percentile_approx(F.col("x"), F.lit(0.5), F.lit(9))
    )
      .foreach(c => assert(!commutative(F.sum("x"), c), c.toString))
    SinceSpark4.collated(F.col("x").cast("string")).foreach(text => assert(!commutative(F.max(text))))
  }

  test("a streaming DataFrame can be analyzed") {
    val stream = spark.readStream.format("rate").load().withWatermark("timestamp", "1 second")
    val a      = AggregateAnalysis(stream, Seq(F.sum("value"), F.max("timestamp")))
    assert(stream.isStreaming && a.arguments.map(_.name) == Seq("value", "timestamp"))
  }

  test("it travels without the arguments, which only the driver needs") {
    val a    = AggregateAnalysis(df, Seq(F.sum(F.col("n") + 1), F.collect_list("x"), F.first("st")))
    val back = DealtRows.roundTrip(a)
    assert(back.arguments == null)
    assert(back.argumentAttributes == a.arguments.map(_.toAttribute))
    assert(back.functions == a.functions && back.schema == a.schema && back.description == a.description)
  }
}
