package dev.sparkwindowing.spark.upserts

import dev.sparkwindowing.api._
import dev.sparkwindowing.spark.advice.Code
import dev.sparkwindowing.spark.exec.RunOfRows
import dev.sparkwindowing.spark.upserts.batch.{Changes, WrittenBatch}
import dev.sparkwindowing.spark.{DrivenQuery, Event, SharedSpark}
import org.apache.spark.sql.functions._
import org.apache.spark.sql.{DataFrame, Encoders, Row}
import org.scalatest.funsuite.AnyFunSuite

import java.time.Duration.ofSeconds
import scala.collection.mutable.ArrayBuffer

/** Upserts of Scala: what is refused, and what a micro-batch is. tests/upserts has the tables. */
class UpsertSpec extends AnyFunSuite with SharedSpark {

  private def counted(events: DataFrame): DataFrame =
    events
      .keyBy("key")
      .window(TumblingEventTimeWindows.of(ofSeconds(10)))
      .trigger(CountTrigger.of(1))
      .withPane()
      .aggregate(count("*").as("n"))

  private lazy val result = {
    val events = spark.createDataFrame(Seq(Event.at("k1", 1, 1000)))
    events
      .keyBy("key")
      .eventTime("ts")
      .window(TumblingEventTimeWindows.of(ofSeconds(10)))
      .withPane()
      .aggregate(count("*").as("n"))
  }

  private def refusal(body: => Any): String = intercept[IllegalArgumentException](body).getMessage

  test("a session without a store is told what to set, in Scala too") {
    assert(refusal(SparkWindowing.upsertToDelta(result, "t")).startsWith("The session has no Delta Lake: its jars"))
    assert(refusal(SparkWindowing.upsertToIceberg(result, "lake.t")).startsWith("The session has no Iceberg: its jars"))
    assert(
      refusal(SparkWindowing.upsertToPostgres(result, "t", "jdbc:postgresql://localhost/shop"))
        .endsWith("""SparkSession.builder.config("spark.jars.packages", "org.postgresql:postgresql:42.7.8")""")
    )
    assert(refusal(SparkWindowing.upsertToDelta(result.drop("pane"), "t")).contains("has no column pane any more"))
  }

  test("a micro-batch of another DataFrame is refused with the code of Scala") {
    val upsert = Upsert.again(UpsertOptions("delta", "t"), Seq("key"))
    val said   = refusal(upsert.write(result.drop("window"), 0))
    assert(said.startsWith("upsertToDelta writes rows with the columns key, window, pane, and the micro-batch has"))
    assert(said.contains("result.writeStream.foreachBatch(SparkWindowing.upsertToDelta(result, ..))"))
  }

  test("the sink refuses partitions, and other modes than append") {
    def writer = result.write.format("windows-upsert").options(Map("store" -> "delta", "table" -> "t"))
    assert(refusal(writer.mode("overwrite").save()).contains("""Overwrite is no way to do so: .mode("append")"""))
    val rate   = spark.readStream.format("rate").load().toDF("ts", "key")
    val stream = counted(rate.withWatermark("ts", "1 second")).writeStream.format("windows-upsert").partitionBy("key")
    assert(
      refusal(stream.options(Map("store" -> "delta", "table" -> "t")).start()).contains("leave out .partitionBy(..)")
    )
  }

  test("the run of a micro-batch is known from its rows, also behind a transformation, and no run from others") {
    val seen  = ArrayBuffer.empty[Seq[Option[java.util.UUID]]]
    val query = new DrivenQuery(
      spark,
      read = batch => {
        seen += Seq(RunOfRows(batch), RunOfRows(batch.where("n > 0").select("key")), RunOfRows(result))
        Seq.empty[Row] ++ batch.collect()
      }
    )(counted)
    try {
      query.start()
      query.batch(Event.at("k1", 1, 1000))
      query.batch(Event.at("k1", 1, 2000))
      val run = query.running.runId
      assert(seen.toSeq == Seq.fill(2)(Seq(Some(run), Some(run), None)))
    } finally query.stop()
  }

  // Seconds; the sessions that a firing replaces stand last.
  private def firing(start: Int, end: Int, number: Int, n: Int, replaced: (Int, Int)*): String = {
    def window(bounds: (Int, Int)) = s"""{"start": ${bounds._1}, "end": ${bounds._2}}"""
    val gone                       = replaced.map(window(_)).mkString("[", ", ", "]")
    s"""{"key": "a", "window": ${if (end == 0) "null"
      else window(start -> end)}, "pane": {"number": $number, "replaced": $gone}, "n": $n}"""
  }

  private def changes(firings: String*): Changes = {
    val window = "STRUCT<start: TIMESTAMP, end: TIMESTAMP>"
    val schema = s"key STRING, window $window, pane STRUCT<number: BIGINT, replaced: ARRAY<$window>>, n BIGINT"
    val texts  = spark.createDataset(firings)(Encoders.STRING)
    Changes.of(Code.name("upsert_to_delta"), Seq("key"), spark.read.schema(schema).json(texts))
  }

  private def found(changes: Changes): Set[String] =
    changes.frame
      .selectExpr("unix_seconds(window.start)", "unix_seconds(window.end)", "if(gone, null, row.n)")
      .collect()
      .map(_.mkString(" "))
      .toSet

  test("the change of a window is its newest firing, or that it is gone, in whatever order the rows come") {
    val merged =
      Seq(firing(0, 10, 0, 1), firing(20, 30, 0, 1), firing(0, 30, 2, 3, 0 -> 10, 20 -> 30), firing(0, 30, 3, 4))
    for (order <- merged.permutations) assert(found(changes(order: _*)) == Set("0 10 null", "20 30 null", "0 30 4"))
    // It merges, and then has the bounds of a merged one again; or of itself.
    val again = Seq(firing(0, 40, 2, 3, 0 -> 30), firing(0, 30, 3, 4, 0 -> 40), firing(50, 60, 1, 2, 50 -> 60))
    for (order <- again.permutations) assert(found(changes(order: _*)) == Set("0 40 null", "0 30 4", "50 60 2"))
  }

  test("several rows of a firing stop the write, and those of an earlier firing do not") {
    val error = intercept[Exception](found(changes(firing(0, 10, 1, 1), firing(0, 10, 1, 2))))
    assert(
      error.getMessage.contains("""upsertToDelta keeps one row a window, and a firing gave several: {"key":"a",""")
    )
    assert(found(changes(firing(0, 10, 1, 1), firing(0, 10, 1, 2), firing(0, 10, 2, 3))) == Set("0 10 3"))
  }

  test("a late row beside the results stops the write") {
    val late = """{"key": null, "window": null, "pane": null, "n": null}"""
    val said = intercept[Exception](found(changes(firing(0, 10, 0, 1), late))).getMessage
    assert(
      said.contains("got one without a pane, as late rows beside the results are: leave them out, WHERE late IS NULL")
    )
  }

  test("the bounds of a micro-batch: its windows, none with the global window, nothing without rows") {
    assert(
      changes(firing(20, 30, 0, 1), firing(5, 9, 0, 1)).bounds() == Some(
        Seq("timestamp_micros(5000000)", "timestamp_micros(20000000)")
      )
    )
    assert(changes(firing(20, 30, 0, 1), firing(0, 0, 0, 1)).bounds() == Some(Nil))
    assert(changes().bounds() == None)
  }

  test("a micro-batch is written once to a place by a run, and again by the next run, which the store leaves out") {
    val function                                          = Code.name("upsert_to_delta")
    val batch                                             = Some(WrittenBatch("query", "run 1", 7))
    val written                                           = ArrayBuffer.empty[Option[WrittenBatch]]
    def write(batch: Option[WrittenBatch], place: String) = WrittenBatch.once(batch, place, function)(written += _)
    write(batch, "a")
    write(batch, "b")
    assert(refusal(write(batch, "a")).startsWith("upsertToDelta was called twice for a in micro-batch 7"))
    write(batch.map(_.copy(run = "run 2")), "a")
    write(None, "a")
    write(None, "a")
    assert(written.size == 5)
    intercept[IllegalStateException](WrittenBatch.once(batch, "c", function)(_ => throw new IllegalStateException))
    write(batch, "c") // what failed may be tried again
  }
}
