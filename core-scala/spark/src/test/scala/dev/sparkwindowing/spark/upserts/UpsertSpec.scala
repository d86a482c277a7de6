package dev.sparkwindowing.spark.upserts

import dev.sparkwindowing.api._
import dev.sparkwindowing.spark.exec.RunOfRows
import dev.sparkwindowing.spark.{DrivenQuery, Event, SharedSpark}
import org.apache.spark.sql.functions._
import org.apache.spark.sql.{DataFrame, Row}
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
}
