package dev.sparkwindowing.spark

import dev.sparkwindowing.SparkWindowing
import dev.sparkwindowing.spark.expressions.SortedMaps
import org.apache.spark.sql.functions._
import org.apache.spark.sql.{Column, DataFrame}
import org.scalatest.funsuite.AnyFunSuite
import org.scalatest.tags.Slow

import java.time.Duration

/** Rows share a key if they share a group in Spark's `groupBy`, even if they come in different micro-batches. */
@Slow
class KeysSpec extends AnyFunSuite with SharedSpark {
  import Event.at

  private val number = col("key").cast("double")

  private val first  = Seq("0.0", "NaN", null, "1.5", "-0.0").zipWithIndex.map { case (k, i) => at(k, i, 1000L + i) }
  private val second = Seq("-0.0", "nan", "1.50", null, "0.0").zipWithIndex.map { case (k, i) => at(k, i, 2000L + i) }

  // Equal maps with their entries in different orders.
  private val turned = when(col("value") % 2 === 0, map(lit("a"), number, lit("b"), lit(1.0)))
    .otherwise(map(lit("b"), lit(1.0), lit("a"), number))
  private val maps =
    if (!SortedMaps.group) Nil
    else
      Seq(
        "a map"                      -> Seq(turned.as("k")),
        "a struct with a map"        -> Seq(struct(turned.as("m"), col("key").as("text")).as("k")),
        "an array of maps"           -> Seq(array(turned, turned).as("k")),
        "a map of structs with maps" -> Seq(map(col("key").isNull, struct(turned.as("m"))).as("k")),
        "a map beside other keys"    -> Seq(col("key"), turned.as("k"))
      )

  private val functions = Seq(count(lit(1)).as("n"), sum("value").as("total"))

  private def ours(keys: Seq[Column])(events: DataFrame): DataFrame =
    SparkWindowing.keyBy(events, keys, Some(col("ts"))).timeWindow(Duration.ofSeconds(10)).aggregate(functions: _*)

  private def sparks(keys: Seq[Column])(events: DataFrame): DataFrame =
    events.groupBy(keys :+ window(col("ts"), "10 seconds"): _*).agg(functions.head, functions.tail: _*)

  for (
    (kind, keys) <- Seq(
      "a double"                 -> Seq(number.as("k")),
      "a float"                  -> Seq(number.cast("float").as("k")),
      "a string"                 -> Seq(col("key")),
      "a decimal"                -> Seq(try_to_number(col("key"), lit("S9.9")).as("k")),
      "a binary"                 -> Seq(col("key").cast("binary").as("k")),
      "a timestamp"              -> Seq(date_trunc("second", col("ts")).as("k")),
      "a boolean that is null"   -> Seq(lit(null).cast("boolean").as("k")),
      "a struct with a double"   -> Seq(struct(number.as("x"), col("key").isNull.as("y")).as("k")),
      "an array of doubles"      -> Seq(array(number, lit(1.0)).as("k")),
      "several columns"          -> Seq(number.as("k"), (col("value") % 2).as("odd"), col("key").isNull.as("nothing")),
      "a struct within a struct" -> Seq(struct(struct(number.as("x")).as("inner")).as("k"))
    ) ++ maps
  ) test(s"$kind as key: the groups of groupBy, over two micro-batches and in a batch") {
    val all      = spark.createDataFrame(first ++ second)
    val expected = WindowText.of(sparks(keys)(all).collect().toSeq)
    assert(WindowText.of(ours(keys)(all).collect().toSeq) == expected)

    val q = new DrivenQuery(spark)(ours(keys))
    try {
      q.start()
      assert(q.batch(first: _*) == Nil)
      assert(q.batch(second: _*) == Nil)
      assert(WindowText.of(q.watermark(10000)) == expected)
    } finally q.stop()
  }

  for ((store, settings) <- StateStores.all)
    test(s"null, NaN, zeros of both signs and maps in several columns and structs, over restarts on $store") {
      val keys     = Seq(number.as("k"), struct(number.cast("float").as("x"), array(number).as("y")).as("s"))
      val grouping =
        keys ++ maps.headOption.map(_._2.head.as("m")) :+ lower(regexp_replace(col("key"), "^-|0$", "")).as("text")
      val all = spark.createDataFrame(first ++ second)
      val q   = new DrivenQuery(StateStores.session(spark, settings))(ours(grouping))
      try {
        q.start()
        assert(q.batch(first: _*) == Nil)
        q.restart()
        assert(q.batch(second: _*) == Nil)
        assert(q.running.lastProgress.stateOperators(0).numRowsTotal == 4)
        q.restart()
        assert(WindowText.of(q.watermark(10000)) == WindowText.of(sparks(grouping)(all).collect().toSeq))
      } finally q.stop()
    }

  test("every NaN is one key, whatever its bits") {
    val odd  = java.lang.Double.longBitsToDouble(0x7ff8000000000123L)
    val rows = spark.createDataFrame(Seq((Double.NaN, Float.NaN, 1L), (odd, odd.toFloat, 2L), (-odd, Float.NaN, 3L)))
    val ts   = timestamp_millis(col("_3"))
    for (keys <- Seq(Seq(col("_1")), Seq(col("_2")), Seq(struct(col("_1"), struct(col("_2"))).as("k")))) {
      val counted = SparkWindowing
        .keyBy(rows.withColumn("ts", ts), keys, Some(col("ts")))
        .timeWindow(Duration.ofSeconds(10))
        .aggregate(count(lit(1)).as("n"))
      assert(counted.collect().map(_.getAs[Long]("n")).toSeq == Seq(3L))
    }
  }
}
