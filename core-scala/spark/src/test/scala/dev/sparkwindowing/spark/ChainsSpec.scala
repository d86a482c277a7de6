package dev.sparkwindowing.spark

import dev.sparkwindowing.SparkWindowing
import dev.sparkwindowing.assigners.TumblingEventTimeWindows
import dev.sparkwindowing.spark.relocated.RelocatedInTests.memoryStream
import org.apache.spark.sql.catalyst.plans.logical.EventTimeWatermark
import org.apache.spark.sql.functions._
import org.apache.spark.sql.streaming.OutputMode
import org.apache.spark.sql.{DataFrame, Encoders, Row, SparkSession}
import org.scalatest.funsuite.AnyFunSuite
import org.scalatest.tags.Slow

import java.nio.file.Files
import java.time.Duration
import scala.util.{Failure, Success, Try}

/** Every stateful operator of Spark before and behind a window, in every output mode: the rows that a batch computes,
  * or refused when the query starts.
  */
@Slow
class ChainsSpec extends AnyFunSuite with SharedSpark {
  import ChainsSpec._
  import Event.at

  private def session(operator: String): SparkSession = if (operator == "transformWithState") rocksDb else plain

  private def own(settings: Map[String, String]): SparkSession = {
    val own = StateStores.session(spark, settings)
    own.conf.set("spark.sql.shuffle.partitions", "1")
    own
  }

  private lazy val plain   = own(Map.empty)
  private lazy val rocksDb = own(StateStores.all(1)._2)

  // The same key has several rows in a window of ten seconds that come in different micro-batches.
  private val batches = Seq(
    Seq(at("a", 1, 1000), at("b", 2, 2000), at("a", 4, 15000)),
    Seq(at("a", 8, 18000), at("b", 16, 26000), at("a", 32, 41000), at("a", 64, 55000)),
    // These bring the watermark, also out of operators that pass none on, and are not looked at.
    Seq(at("end", 128, 100000)),
    Seq(at("end", 256, 200000))
  )

  private def ours(size: Int)(rows: DataFrame): DataFrame =
    SparkWindowing
      .keyBy(rows, Seq(col("key")), Some(if (rows.columns.contains("window")) col("window") else col("ts")))
      .window(TumblingEventTimeWindows.of(Duration.ofSeconds(size.toLong)))
      .aggregate(sum("value").as("value"))

  // What Spark's operator takes in the place of the time.
  private def timed(results: DataFrame): DataFrame =
    results.select(col("key"), col("value").cast("int").as("value"), window_time(col("window")).as("ts"))

  // Columns that come out of an object have no marks any more.
  private def marked(rows: DataFrame): DataFrame =
    if (!rows.isStreaming || rows.schema.exists(_.metadata.contains(EventTimeWatermark.delayKey))) rows
    else rows.withWatermark("ts", "0 seconds")

  private def static(session: SparkSession, rows: Seq[Event]): DataFrame =
    session.createDataFrame(rows).drop("tick")

  private def shown(rows: Seq[Row]): Seq[String] = WindowText.of(rows.filter(_.getString(0) != "end"))

  private def model(session: SparkSession, build: (DataFrame, DataFrame) => DataFrame): Seq[String] =
    shown(build(static(session, batches.flatten), static(session, batches.flatten)).collect().toSeq)

  private def play(
      session: SparkSession,
      mode: OutputMode,
      group: Row => Any,
      build: (DataFrame, DataFrame) => DataFrame
  ): Outcome = {
    val sources = Seq.fill(2)(memoryStream(Encoders.product[Event], session))
    val streams = sources.map(_.toDF().withWatermark("ts", "0 seconds").drop("tick"))
    val name    = s"chains_${System.nanoTime}"
    Try {
      build(streams.head, streams(1)).writeStream
        .format("memory")
        .queryName(name)
        .outputMode(mode)
        .option("checkpointLocation", Files.createTempDirectory("chains").toString)
        .start()
    } match {
      case Failure(e)     => Refused(e)
      case Success(query) =>
        try {
          batches.foreach { rows =>
            sources.foreach(_.addData(rows))
            query.processAllAvailable()
          }
          val rows = session.table(name).collect().toSeq
          // In update mode the last row of a group is the one that counts.
          val kept =
            if (mode != OutputMode.Update()) rows
            else rows.groupBy(group).values.map(_.last).toSeq
          Rows(shown(kept), query.lastProgress.json)
        } finally query.stop()
    }
  }

  // What a row of an operator in update mode replaces the last one of.
  private def groupOf(operator: String)(row: Row): Any =
    if (operator.startsWith("mapGroups")) row.get(0)
    else (row.get(0), row.get(row.fieldIndex(if (row.schema.fieldNames.contains("window")) "window" else "ts")))

  for {
    (operator, number) <- StatefulOperators.all.zipWithIndex
    (order, build)     <- Seq[(String, (DataFrame, DataFrame) => DataFrame)](
      "ours behind"      -> ((rows, other) => ours(60)(marked(operator.build(rows, other)))),
      "ours in front of" -> ((rows, other) => operator.build(timed(ours(10)(rows)), other))
    )
    (mode, turn) <- Seq(OutputMode.Append(), OutputMode.Update(), OutputMode.Complete()).zipWithIndex
    name = s"$order ${operator.name}, $mode"
    if Cases.areAll || Served.contains(name) || RefusedByUs.contains(name) || (number + turn) % 3 == 0
  } test(name) {
    play(session(operator.name), mode, groupOf(operator.name), build) match {
      case Refused(e) =>
        assert(!Served.contains(name), e)
        assert(RefusedByUs.contains(name) == e.getMessage.contains("in front of a window"), e)
      case Rows(rows, progress) =>
        assert(!RefusedByUs.contains(name))
        assert(rows == model(session(operator.name), build), progress)
    }
  }
}

object ChainsSpec {
  private sealed trait Outcome
  private final case class Refused(why: Throwable)                   extends Outcome
  private final case class Rows(rows: Seq[String], progress: String) extends Outcome

  // What must go on working, whatever else comes to be refused.
  private val Served = Set(
    "ours behind aggregation by windows, Append",
    "ours behind aggregation by sessions, Append",
    "ours behind dropDuplicates, Append",
    "ours behind dropDuplicates, Update",
    "ours behind dropDuplicatesWithinWatermark, Append",
    "ours behind inner join, Append",
    "ours behind left outer join, Append",
    "ours in front of aggregation by windows, Append",
    "ours in front of aggregation by windows, Update",
    "ours in front of aggregation by windows, Complete",
    "ours in front of dropDuplicates, Update",
    "ours in front of inner join, Append",
    "ours in front of left outer join, Append"
  )

  private val RefusedByUs = Set(
    "ours behind aggregation by windows, Update",
    "ours behind aggregation by windows, Complete",
    "ours behind aggregation by sessions, Complete",
    "ours behind flatMapGroupsWithState, event-time timeout, Append",
    "ours behind mapGroupsWithState, no timeout, Update",
    "ours behind mapGroupsWithState, event-time timeout, Update"
  )
}
