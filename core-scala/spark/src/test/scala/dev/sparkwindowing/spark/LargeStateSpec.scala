package dev.sparkwindowing.spark

import dev.sparkwindowing.SparkWindowing
import dev.sparkwindowing.assigners.{GlobalWindows, SlidingEventTimeWindows, TumblingEventTimeWindows}
import dev.sparkwindowing.codec.ValueCodec
import dev.sparkwindowing.evictors.CountEvictor
import dev.sparkwindowing.functions.{Collector, KeyedProcessFunction, ListStateDescriptor}
import dev.sparkwindowing.triggers.{CountTrigger, PurgingTrigger}
import org.apache.spark.sql.functions._
import org.apache.spark.sql.streaming.StreamingQueryException
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.{DataFrame, Row, SparkSession}
import org.scalatest.funsuite.AnyFunSuite

import java.time.Duration

/** Remembers all values of a key. */
final class Hoarder extends KeyedProcessFunction[Row, Row, Row] {
  private val all = ListStateDescriptor[java.lang.Long]("all", ValueCodec.long)

  def processElement(row: Row, ctx: KeyedProcessFunction.Context[Row], out: Collector[Row]): Unit =
    ctx.state.getListState(all).add(row.getAs[Int]("value") * 1000000L)
}

/** Keys whose state becomes large: said once, refused beyond a limit with what to do, and nothing is lost by that; rows
  * of a megabyte.
  */
class LargeStateSpec extends AnyFunSuite with SharedSpark {
  import Event.at

  private def session(settings: (String, String)*): SparkSession = {
    val own = spark.newSession()
    settings.foreach { case (name, value) => own.conf.set(s"spark.windowing.state.$name", value) }
    own
  }

  // Keeps all rows: 30 to 40 bytes each.
  private def kept(events: DataFrame): DataFrame = SparkWindowing
    .keyBy(events, Seq(col("key")))
    .window(TumblingEventTimeWindows.of(Duration.ofSeconds(10)))
    .evictor(CountEvictor.of(1000000))
    .aggregate(count(lit(1)).as("n"), sum("value").as("total"))

  private def rows(key: String, n: Int, from: Long): Seq[Event] = (0 until n).map(i => at(key, 1, from + i))

  private def causes(thrown: Throwable): String =
    Iterator.iterate(thrown)(_.getCause).takeWhile(_ != null).map(_.getMessage).mkString("\n")

  test("a key beyond the first limit is logged once, with its window that has the most and what to do") {
    val q    = new DrivenQuery(session("warnBytes" -> "2k", "tailBytes" -> "500", "chunkBytes" -> "700"))(kept)
    val said = Logged.warnings("dev.sparkwindowing.state") {
      try {
        q.start()
        q.batch(rows("a", 10, 0) ++ rows("b", 10, 0): _*)
        (1 to 3).foreach(i => q.batch(rows("a", 100, i * 100L): _*))
        q.batch(rows("b", 5, 1000) ++ rows("b", 200, 5000): _*)
        q.restart() // a new run says it again
        q.batch(rows("a", 1, 6000): _*)
      } finally q.stop()
    }
    assert(said.size == 3, said.mkString("\n"))
    val Seq(first, second, third) = said
    assert(
      first.matches(
        "the state of the key \\[a\\] has \\d+ bytes, more than 2048 \\(spark.windowing.state.warnBytes\\); .*"
      )
    )
    assert(
      first.contains("the window [1970-01-01T00:00:00Z, 1970-01-01T00:00:10Z) has the most, ") && first.contains(
        "Aggregate instead of keeping rows"
      )
    )
    assert(second.contains("the key [b]") && third.contains("the key [a]"))
  }

  test("a key beyond the second limit stops the query; with a higher one it goes on, with every row") {
    val small = session("maxBytes" -> "4000", "tailBytes" -> "500", "chunkBytes" -> "700")
    val q     = new DrivenQuery(small)(kept)
    try {
      q.start()
      q.batch(rows("a", 50, 0) ++ rows("b", 50, 0): _*)
      val error = causes(
        intercept[StreamingQueryException](
          q.batch(rows("b", 1, 5000) ++ rows("a", 90, 1000) ++ rows("a", 20, 9000): _*)
        )
      )
      assert(
        error.contains("the state of the key [a] has ") && error.contains(
          "more than 4000 (spark.windowing.state.maxBytes)"
        ),
        error
      )
      assert(
        error.contains("the window [1970-01-01T00:00:00Z, 1970-01-01T00:00:10Z) has the most, ") && error.contains(
          "PurgingTrigger"
        ),
        error
      )
      small.conf.set("spark.windowing.state.maxBytes", "1m")
      q.restart()
      assert(WindowText.of(q.settle() ++ q.watermark(20000)) == Seq("a [0, 10000) 160 160", "b [0, 10000) 51 51"))
    } finally q.stop()
  }

  test("what functions remember of a key is named too") {
    val q = new DrivenQuery(session("maxBytes" -> "1000"))(events =>
      SparkWindowing.keyBy(events, Seq(col("key"))).process(new Hoarder, StructType.fromDDL("n int"))
    )
    try {
      q.start()
      val error = causes(intercept[StreamingQueryException](q.batch(rows("a", 500, 0): _*)))
      assert(
        error.contains("the key [a] has ") && error.contains("what functions remember of the key has the most"),
        error
      )
    } finally q.stop()
  }

  for (
    (name, value, says) <- Seq(
      ("warnBytes", "much", "got 'much'"),
      ("warnBytes", "0", "got '0'"),
      ("maxBytes", "-1", "got '-1'")
    )
  ) test(s"$name of $value is refused with what to type") {
    val q = new DrivenQuery(session(name -> value))(kept)
    try {
      val error = causes(intercept[StreamingQueryException](q.start().batch(at("a", 1, 0))))
      assert(error.contains(s"spark.windowing.state.$name must be a positive number of bytes such as 64m"), error)
      assert(error.contains(says) && error.contains(s"""spark.conf.set("spark.windowing.state.$name", "64m")"""), error)
    } finally q.stop()
  }

  for (
    (kind, build) <- Seq[(String, DataFrame => DataFrame)](
      "kept by an evictor" -> (SparkWindowing
        .keyBy(_, Seq(col("key")))
        .window(SlidingEventTimeWindows.of(Duration.ofSeconds(10), Duration.ofSeconds(5)))
        .evictor(CountEvictor.of(100))
        .aggregate(count(lit(1)).as("n"), sum(length(col("blob"))).as("bytes"), max(md5(col("blob"))).as("h"))),
      "in collect_list" -> (events =>
        SparkWindowing
          .keyBy(events, Seq(col("key")))
          .window(SlidingEventTimeWindows.of(Duration.ofSeconds(10), Duration.ofSeconds(5)))
          .aggregate(collect_list("blob").as("l"))
          .select(
            col("key"),
            col("window"),
            size(col("l")).cast("bigint"),
            aggregate(col("l"), lit(0L), (all, b) => all + length(b)),
            array_max(transform(col("l"), md5(_)))
          )
      ),
      "purged by count" -> (SparkWindowing
        .keyBy(_, Seq(col("key")))
        .window(GlobalWindows.create())
        .trigger(PurgingTrigger.of(CountTrigger.of(2)))
        .aggregate(count(lit(1)).as("n"), sum(length(col("blob"))).as("bytes"), max(col("blob")).substr(1, 1).as("h")))
    )
  ) test(s"rows of a megabyte, $kind") {
    val q = new DrivenQuery(spark)(events =>
      build(events.withColumn("blob", repeat(expr("substring('abcdefghij', value + 1, 1)"), 1 << 20)))
    )
    val mega       = 1L << 20
    def h(c: Char) = java.util.HexFormat.of.formatHex(
      java.security.MessageDigest.getInstance("MD5").digest(c.toString.repeat(1 << 20).getBytes)
    )
    try {
      q.start()
      val early = q.batch((0 until 3).map(i => at("a", i, 1000L + i)): _*)
      q.restart()
      val all = early ++ q.batch(at("a", 3, 6000), at("b", 4, 7000)) ++ q.watermark(30000)
      if (kind == "purged by count")
        assert(WindowText.of(all) == Seq(s"a null 2 ${2 * mega} b", s"a null 2 ${2 * mega} d"))
      else {
        val abcd = Seq('a', 'b', 'c', 'd').map(h).max
        val abc  = Seq('a', 'b', 'c').map(h).max
        assert(
          WindowText.of(all) == Seq(
            s"a [-5000, 5000) 3 ${3 * mega} $abc",
            s"a [0, 10000) 4 ${4 * mega} $abcd",
            s"a [5000, 15000) 1 $mega ${h('d')}",
            s"b [0, 10000) 1 $mega ${h('e')}",
            s"b [5000, 15000) 1 $mega ${h('e')}"
          )
        )
      }
    } finally q.stop()
  }
}
