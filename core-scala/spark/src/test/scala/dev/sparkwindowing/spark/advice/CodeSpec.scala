package dev.sparkwindowing.spark.advice

import dev.sparkwindowing.spark.SharedSpark
import dev.sparkwindowing.spark.advice.Face.{Python, Scala, Sql}
import org.apache.spark.sql.functions._
import org.apache.spark.sql.{Column, DataFrame, Row}
import org.scalatest.funsuite.AnyFunSuite

/** Each kind of code in an error, as Python, Scala and SQL write it. */
class CodeSpec extends AnyFunSuite with SharedSpark {

  private val price = Code.reference("price")
  private val made  = Code.df.withColumn("the time", Code.function("timestamp_seconds", price))

  // The code, then its text in Python, Scala and SQL.
  private val texts: Seq[(Code, String, String, String)] = Seq(
    (Code.text("""a'"b\c"""), """"a'\"b\\c"""", """"a'\"b\\c"""", """'a\'"b\\c'"""),
    (Code.text("two\nlines"), """"two\nlines"""", """"two\nlines"""", """'two\nlines'"""),
    (Code.column("ts"), """F.col("ts")""", """col("ts")""", "ts"),
    (Code.column("the time"), """F.col("the time")""", """col("the time")""", "`the time`"),
    (Code.column("a.b"), """F.col("`a.b`")""", """col("`a.b`")""", "`a.b`"),
    (Code.column("tick`\"\\"), """F.col("`tick``\"\\`")""", """col("`tick``\"\\`")""", "`tick``\"\\`"),
    (Code.field("row", "the.n"), """row["the.n"]""", """col("row.`the.n`")""", "row.`the.n`"),
    (Code.sql("""f("x\y", z)"""), """F.expr("f(\"x\\y\", z)")""", """expr("f(\"x\\y\", z)")""", """f("x\y", z)"""),
    (price, """"price"""", """col("price")""", "price"),
    (Code.lit(Code.text("5 seconds")), """F.lit("5 seconds")""", """lit("5 seconds")""", "'5 seconds'"),
    (
      Code.function("coalesce", price, Code.lit(Code.plain("1"))),
      """F.coalesce("price", F.lit(1))""",
      """coalesce(col("price"), lit(1))""",
      "coalesce(price, 1)"
    ),
    (
      Code.struct,
      """F.struct(value.alias("name"), ..)""",
      """struct(value.as("name"), ..)""",
      "struct(value AS name, ..)"
    ),
    (
      Code.column("the time").cast("array<int>"),
      """F.col("the time").cast("array<int>")""",
      """col("the time").cast("array<int>")""",
      "CAST(`the time` AS array<int>)"
    ),
    (Code.lit(Code.plain("0")).cast(".."), "F.lit(0).cast(..)", "lit(0).cast(..)", "CAST(0 AS ..)"),
    (
      Code.column("ts").as("""my "name""""),
      """F.col("ts").alias("my \"name\"")""",
      """col("ts").as("my \"name\"")""",
      """ts AS `my "name"`"""
    ),
    (
      Code.lambda("all", "one")("all + one"),
      "lambda all, one: all + one",
      "(all, one) => all + one",
      "(all, one) -> all + one"
    ),
    (Code.name("with_idleness"), "with_idleness", "withIdleness", "with_idleness"),
    (
      Code.call(".side_output_late_data", Code.text("""the "late"""")),
      """.side_output_late_data("the \"late\"")""",
      """.sideOutputLateData("the \"late\"")""",
      """.side_output_late_data('the "late"')"""
    ),
    (
      Code.call("sw.WatermarkStrategy.for_bounded_out_of_orderness", Code.text("5 seconds")),
      """sw.WatermarkStrategy.for_bounded_out_of_orderness("5 seconds")""",
      """WatermarkStrategy.forBoundedOutOfOrderness("5 seconds")""",
      "sw.WatermarkStrategy.for_bounded_out_of_orderness('5 seconds')"
    ),
    (
      Code.call("sw.Do", Code.named("event_timer", Code.dots)),
      "sw.Do(event_timer=..)",
      "Do.of(eventTimer = ..)",
      "sw.Do(event_timer => ..)"
    ),
    (Code.keyBy, "key_by", "keyBy", "this call"),
    (Code.keyByTime("the.ts"), """key_by(df, .., time="`the.ts`")""", """.eventTime("`the.ts`")""", ""),
    (
      Code.trigger("1 second"),
      """.trigger(processingTime="1 second")""",
      """.trigger(Trigger.ProcessingTime("1 second"))""",
      """.trigger(processingTime="1 second"), in Scala .trigger(Trigger.ProcessingTime("1 second"))"""
    ),
    (
      made,
      """df.withColumn("the time", F.timestamp_seconds("price"))""",
      """df.withColumn("the time", timestamp_seconds(col("price")))""",
      "TABLE(SELECT *, timestamp_seconds(price) AS `the time` FROM ..)"
    ),
    (
      Code.df.withColumn("ts", Code.column("ts").cast("timestamp"), inSql = "event_time"),
      """df.withColumn("ts", F.col("ts").cast("timestamp"))""",
      """df.withColumn("ts", col("ts").cast("timestamp"))""",
      "TABLE(SELECT *, CAST(ts AS timestamp) AS event_time FROM ..)"
    ),
    (
      Code.df.select("_meta.data"),
      """df.select("*", "`_meta.data`")""",
      """df.select("*", "`_meta.data`")""",
      "TABLE(SELECT *, `_meta.data` FROM ..)"
    ),
    (
      Code.df.withWatermark("the.ts"),
      """df.withWatermark("`the.ts`", "10 seconds")""",
      """df.withWatermark("`the.ts`", "10 seconds")""",
      "TABLE(SELECT * FROM .. WATERMARK `the.ts` DELAY OF INTERVAL 10 SECONDS), before Spark 4.1 in a view of a DataFrame"
    ),
    (
      made.withWatermark("the time"),
      """df.withColumn("the time", F.timestamp_seconds("price")).withWatermark("`the time`", "10 seconds")""",
      """df.withColumn("the time", timestamp_seconds(col("price"))).withWatermark("`the time`", "10 seconds")""",
      "TABLE(SELECT * FROM (SELECT *, timestamp_seconds(price) AS `the time` FROM ..) WATERMARK `the time` " +
        "DELAY OF INTERVAL 10 SECONDS), before Spark 4.1 in a view of a DataFrame"
    )
  )

  for ((code, python, scala, sql) <- texts) test(s"in Python $python") {
    assert(Python.use(code.toString) == python)
    assert(Scala.use(code.toString) == scala)
    if (sql.nonEmpty) assert(Sql.use(code.toString) == sql)
  }

  test("the face in use is that of the innermost block, also after an error, on this thread alone; by default Scala") {
    assert(Face.inUse == Scala)
    Python.use {
      assert(Face.inUse == Python && Sql.use(Face.inUse) == Sql)
      intercept[IllegalStateException](Sql.use[Any](throw new IllegalStateException))
      assert(Face.inUse == Python)
      var there: Option[Face] = None
      val thread              = new Thread(() => there = Some(Face.inUse))
      thread.start()
      thread.join()
      assert(there.contains(Scala))
    }
    assert(Face.inUse == Scala)
  }

  private val name = "the `time` of \"a.b\""

  private lazy val rows: DataFrame = spark.range(1).select(col("id").as(name))

  test("SQL with an awkward name is what Spark's parser reads") {
    def value(code: Code) = rows.selectExpr(Sql.use(code.toString)).head().get(0)
    assert(value(Code.column(name)) == 0L)
    assert(value(Code.column(name).cast("string").as(name)) == "0")
    assert(value(Code.lit(Code.text(name + "'\\\n"))) == name + "'\\\n")
    assert(value(Code.function("coalesce", Code.column(name), Code.lit(Code.plain("1")))) == 0L)
    rows.createOrReplaceTempView("awkward")
    val table = Sql.use(Code.df.withColumn("n", Code.column(name)).toString)
    val query = table.stripPrefix("TABLE(").stripSuffix("..)") + "awkward"
    assert(spark.sql(query).head() == Row(0L, 0L))
  }

  // Each with the text that an error has for it.
  private val typed: Seq[(Code, Column)] = Seq(
    Code.column(name)                                             -> col("`the ``time`` of \"a.b\"`"),
    Code.column(name).cast("string")                              -> col("`the ``time`` of \"a.b\"`").cast("string"),
    Code.sql("CAST(`the ``time`` of \"a.b\"` AS STRING)").as("n") ->
      expr("CAST(`the ``time`` of \"a.b\"` AS STRING)").as("n"),
    Code.function("coalesce", Code.column(name), Code.lit(Code.plain("1"))) ->
      coalesce(col("`the ``time`` of \"a.b\"`"), lit(1)),
    Code.lit(Code.text(name)) -> lit("the `time` of \"a.b\"")
  )

  // The lines of this file, which the compiler has read.
  private lazy val source: String = {
    val root = java.nio.file.Paths.get(sys.props("scenarios")).resolve("../..").normalize
    val path = "core-scala/spark/src/test/scala/dev/sparkwindowing/spark/advice/CodeSpec.scala"
    new String(java.nio.file.Files.readAllBytes(root.resolve(path)), "UTF-8")
  }

  for ((code, column) <- typed) test(s"Scala that is typed: $code") {
    assert(source.contains(s" $code"))
    assert(rows.select(column).count() == 1)
  }
}
