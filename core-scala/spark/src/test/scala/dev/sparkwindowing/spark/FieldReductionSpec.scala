package dev.sparkwindowing.spark

import dev.sparkwindowing.{SparkWindowing, WindowedStream}
import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.functions.col
import org.scalatest.funsuite.AnyFunSuite

import scala.util.Random

/** Flink's aggregates of one field of a record. */
class FieldReductionSpec extends AnyFunSuite with SharedSpark {

  private def windows(columns: String, size: Long, rows: String*): WindowedStream = {
    val df = spark.sql(s"select * from values ${rows.mkString(", ")} as t($columns)").coalesce(1)
    SparkWindowing.keyBy(df, Seq(col("k"))).countWindow(size)
  }

  private def shown(result: DataFrame): Seq[String] = WindowText.of(result.drop("window").collect().toSeq)

  private def abc = windows("k, n, v", 3, "('a', 1, 5)", "('a', 2, 9)", "('a', 3, 5)")

  test("mistake 18: a record with one field replaced, or one of the records") {
    assert(shown(abc.sum("v")) == Seq("a 1 19"))
    assert(shown(abc.min("v")) == Seq("a 1 5"))
    assert(shown(abc.max("v")) == Seq("a 1 9"))
    assert(shown(abc.maxBy("v")) == Seq("a 2 9"))
    assert(shown(abc.minBy("v")) == Seq("a 1 5"))
    assert(shown(abc.minBy("v", first = false)) == Seq("a 3 5"))
  }

  test("the type of a sum stays, and whole numbers wrap around") {
    val random = new Random(11)
    for (
      (sqlType, least, most) <- Seq(
        ("tinyint", Byte.MinValue.toLong, Byte.MaxValue.toLong),
        ("smallint", Short.MinValue.toLong, Short.MaxValue.toLong),
        ("int", Int.MinValue.toLong, Int.MaxValue.toLong),
        ("bigint", Long.MinValue, Long.MaxValue)
      )
    ) {
      val span = if (sqlType == "bigint") BigInt(2).pow(64) else BigInt(most) - least + 1
      val some = Seq(least, most, 0L, -1L, 1L) ++ Seq.fill(15)((BigInt(64, random.self) mod span) + least).map(_.toLong)
      val pairs  = some.flatMap(x => some.map(y => (x, y)))
      val rows   = pairs.zipWithIndex.flatMap { case ((x, y), i) => Seq(x, y).map(v => (s"k$i", v)) }
      val df     = spark.createDataFrame(rows).toDF("k", "v").select(col("k"), col("v").cast(sqlType)).coalesce(1)
      val result = SparkWindowing.keyBy(df, Seq(col("k"))).countWindow(2).sum("v")
      assert(result.schema("v").dataType.sql.equalsIgnoreCase(sqlType))
      val got =
        result.select(col("k"), col("v").cast("bigint")).collect().map(r => r.getString(0) -> r.getLong(1)).toMap
      pairs.zipWithIndex.foreach { case ((x, y), i) =>
        assert(got(s"k$i") == ((BigInt(x) + y - least) mod span) + least, s"$sqlType: $x + $y")
      }
    }
  }

  test("decimals and fractions are added in their own type; a decimal that does not fit is an error") {
    val small = windows("k, d, f", 2, "('a', 1.50, 0.5D)", "('a', 2.25, 0.25D)")
    assert(shown(small.sum("d")) == Seq("a 3.75 0.5") && shown(small.sum("f")) == Seq("a 1.50 0.75"))
    for (ansi <- Seq("true", "false"); (value, sqlType) <- Seq("9.50" -> "DECIMAL(3,2)", "9" * 38 -> "DECIMAL(38,0)")) {
      spark.conf.set("spark.sql.ansi.enabled", ansi)
      try {
        val full = windows("k, d", 3, s"('a', $value)", s"('a', $value)", s"('a', $value)").sum("d")
        assert(intercept[Exception](full.collect()).getMessage.contains(s"the sum of 'd' does not fit into $sqlType"))
      } finally spark.conf.unset("spark.sql.ansi.enabled")
    }
  }

  test("nulls are passed over; all null is null") {
    def nulls = windows(
      "k, n, v",
      3,
      "('a', 1, null)",
      "('a', 2, 7)",
      "('a', 3, null)",
      "('b', 4, null)",
      "('b', 5, null)",
      "('b', 6, cast(null as int))"
    )
    assert(shown(nulls.sum("v")) == Seq("a 1 7", "b 4 null"))
    assert(shown(nulls.min("v")) == Seq("a 1 7", "b 4 null"))
    assert(shown(nulls.maxBy("v")) == Seq("a 2 7", "b 4 null"))
    assert(shown(nulls.minBy("v", first = false)) == Seq("a 2 7", "b 6 null"))
  }

  test("texts have an order, NaN is above all numbers") {
    val words = windows("k, w, x", 3, "('a', 'pear', 1D)", "('a', 'fig', double('NaN'))", "('a', 'plum', 2D)")
    assert(shown(words.max("w")) == Seq("a plum 1.0") && shown(words.maxBy("x")) == Seq("a fig NaN"))
  }

  test("the first row decides what else the result has, also a column of its own kind") {
    val df     = spark.sql("select 'a' as k, array(id) as l, named_struct('x', id) as s, id from range(3)").coalesce(1)
    val result = SparkWindowing.keyBy(df, Seq(col("k"))).countWindow(3).sum("id")
    assert(shown(result) == Seq("a [0] (0) 3"))
  }

  test("what cannot be is refused by name") {
    def refused(f: WindowedStream => DataFrame): String =
      intercept[IllegalArgumentException](f(windows("k, v, m", 1, "('a', 1, map('x', 1))"))).getMessage
    assert(refused(_.sum("k")) == "sum takes a column of numbers, got 'k' of type STRING")
    assert(refused(_.maxBy("m")) == "maxBy takes a column with an order, got 'm' of type MAP<STRING, INT>")
    assert(refused(_.min("price")) == "min: there is no column 'price' in the input (columns: k, v, m)")
  }
}
