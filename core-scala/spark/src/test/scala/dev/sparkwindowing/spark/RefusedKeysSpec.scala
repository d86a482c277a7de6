package dev.sparkwindowing.spark

import dev.sparkwindowing.SparkWindowing
import dev.sparkwindowing.spark.expressions.SortedMaps
import org.apache.spark.sql.functions._
import org.apache.spark.sql.{Column, DataFrame}
import org.scalatest.funsuite.AnyFunSuite

import java.time.Duration
import scala.util.Try

/** Keys of each type without an order or a unique form in bytes, alone and within other types: the error names an
  * expression, and the windows over it have the groups of Spark's `groupBy` over the key itself. Where Spark refuses
  * that too, they have the groups of the values that the key was made of.
  */
class RefusedKeysSpec extends AnyFunSuite with SharedSpark {

  private val texts = Seq("a", "A", "a ", "ΣΑΣ", "σας", "σασ", "İ", "i̇", "ß", "ss", "a", null, "")
  private val point = "concat(X'0101000000000000000000F03F00000000000000', CAST(chr(63 + id % 2) AS BINARY))"

  private lazy val rows: DataFrame =
    spark.createDataFrame(texts.zipWithIndex.map { case (t, i) => (t, i.toLong) }).toDF("text", "id").coalesce(1)

  // The values by name, with what they are made of where Spark does not group by them.
  private val kinds: Seq[(String, String, Option[String])] = Seq(
    ("INTERVAL", "make_interval(0, 0, 0, id % 2, 0, 0, 0)", if (SortedMaps.group) None else Some("id % 2")),
    ("VARIANT", "parse_json(to_json(named_struct('b', text, 'a', 1)))", Some("text")),
    ("GEOMETRY", s"st_geomfromwkb($point)", Some("id % 2")),
    (
      "GEOMETRY with SRID",
      s"st_setsrid(st_geomfromwkb($point), if(id < 4, 4326, 3857))",
      Some("id % 2 + if(id < 4, 10, 20)")
    ),
    ("GEOGRAPHY", s"st_geogfromwkb($point)", Some("id % 2")),
    ("UTF8_LCASE", "collate(text, 'UTF8_LCASE')", None),
    ("UTF8_LCASE_RTRIM", "collate(text, 'UTF8_LCASE_RTRIM')", None),
    ("UTF8_BINARY_RTRIM", "collate(text, 'UTF8_BINARY_RTRIM')", None)
  ) ++ (if (SortedMaps.group) Nil
        else Seq(("MAP", "if(id % 3 = 0, map('a', 1, 'b', id % 2), map('b', id % 2, 'a', 1))", Some("id % 2"))))

  private val places: Seq[(String, String => String)] = Seq(
    "alone"     -> identity,
    "in struct" -> (v => s"if(id = 5, null, named_struct('of it', $v, 'id', null))"),
    "in map"    -> (v => s"if(id % 3 = 0, map('a', $v, 'b', null), map('b', null, 'a', $v))"),
    "in all"    -> (v => s"array(named_struct('m', map(1, array($v)), 'n', named_struct('o', $v)), null)")
  )

  // Types of one rule in two places only, to save time.
  private def placesOf(kind: String) =
    if (Seq("MAP", "VARIANT", "UTF8_LCASE").contains(kind)) places else Seq(places.head, places.last)

  private def isKnown(value: String): Boolean = Try(rows.selectExpr(value)).isSuccess

  // The map itself has no groups in Spark 3.5: its values stand for it.
  private def plain(place: String, from: String, at: String => String): String =
    if (SortedMaps.group) at(from) else if (place == "in map") s"array($from)" else s"to_json(struct(${at(from)} AS p))"

  private def line(df: DataFrame, key: Column): (Column, String) = {
    val said = intercept[IllegalArgumentException](SparkWindowing.keyBy(df, Seq(key), None)).getMessage
    val code = """expr\("((?:[^"\\]|\\.)*)"\)\.as\("k"\) as key""".r
    code.findFirstMatchIn(said).fold(fail(said))(m => (expr(m.group(1).replaceAll("""\\(.)""", "$1")), said))
  }

  private def groups(df: DataFrame, key: Column): Seq[String] =
    WindowText.of(df.groupBy(key.as("k")).agg(members).select("members").collect().toSeq)

  private val members = expr("sum(shiftleft(1, CAST(id AS INT)))").as("members")

  test("the expression that an error names for a key has the groups of Spark's groupBy") {
    val cases = for ((kind, value, from) <- kinds if isKnown(value); (place, at) <- placesOf(kind)) yield {
      val df = rows.select(col("*"), expr(at(value)).as("k"))
      (s"$kind $place", df, from.map(f => rows.select(col("*"), expr(plain(place, f, at)).as("k"))).getOrElse(df))
    }
    assert(cases.size >= (if (SortedMaps.group) 10 else 6))
    val typed = cases.map { case (name, df, _) =>
      val form = line(df, col("k"))._1
      SparkWindowing.keyBy(df, Seq(form.as("k")), None)
      df.select(
        lit(name).as("name"),
        to_json(struct(form.as("form"))).as("form"),
        col("id"),
        timestamp_seconds(lit(1)).as("ts")
      )
    }
    val ours = SparkWindowing
      .keyBy(typed.reduce(_ union _), Seq(col("name"), col("form")), Some(col("ts")))
      .timeWindow(Duration.ofSeconds(10))
      .aggregate(members)
      .select("name", "members")
    val sparks = cases.map { case (name, _, df) =>
      df.groupBy("k").agg(members).select(lit(name).as("name"), col("members"))
    }
    assert(WindowText.of(ours.collect().toSeq) == WindowText.of(sparks.reduce(_ union _).collect().toSeq))
  }

  test("a key that is an expression: the one to type is over a column of its own") {
    val (form, said) = line(rows, expr("make_interval(0, 0, 0, id)").as("k"))
    assert(said.endsWith("""expr("CAST(k AS STRING)").as("k") as key over df.withColumn("k", ..)"""), said)
    SparkWindowing.keyBy(rows.withColumn("k", expr("make_interval(0, 0, 0, id)")), Seq(form.as("k")), None)
  }

  test("a key of another collation: Spark has no function for its groups, and the line keeps different texts apart") {
    for (
      collation <- Seq("UNICODE_CI", "DE_AI") if isKnown(s"collate(text, '$collation')"); (place, at) <- placesOf("")
    ) {
      val df           = rows.select(col("*"), expr(at(s"collate(text, '$collation')")).as("k"))
      val (form, said) = line(df, col("k"))
      assert(said.contains(s"no function of Spark has the groups of $collation; expr("), said)
      assert(said.endsWith("keeps different texts apart"), said)
      SparkWindowing.keyBy(df, Seq(form.as("k")), None)
      assert(groups(df, form) == groups(rows, expr(at("text"))), s"$collation $place")
    }
  }
}
