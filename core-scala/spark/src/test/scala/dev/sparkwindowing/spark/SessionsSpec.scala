package dev.sparkwindowing.spark

import dev.sparkwindowing.SparkWindowing
import dev.sparkwindowing.assigners.TumblingEventTimeWindows
import dev.sparkwindowing.spark.operators.WindowStrategy
import dev.sparkwindowing.spark.relocated.RelocatedInTests.memoryStream
import org.apache.spark.sql.functions._
import org.apache.spark.sql.{DataFrame, Encoders, SparkSession, SparkTestBridge}
import org.scalatest.funsuite.AnyFunSuite

import java.nio.file.Files
import java.time.Duration

/** Sessions beside the one that a result was declared in. */
class SessionsSpec extends AnyFunSuite with SharedSpark {
  import Event.at

  private def windows(rows: DataFrame, time: Boolean): DataFrame = SparkWindowing
    .keyBy(rows, Seq(col("key")), Option.when(time)(col("ts")))
    .window(TumblingEventTimeWindows.of(Duration.ofSeconds(10)))
    .aggregate(count(lit(1)).as("n"))

  private def static: DataFrame = windows(spark.createDataFrame(Seq(at("a", 1, 1000))), time = true)

  private def read(in: SparkSession, view: String) = WindowText.of(in.table(s"global_temp.$view").collect().toSeq)

  test("a new session reads a view of a result, static and as a stream") {
    static.createOrReplaceGlobalTempView("static_windows")
    val other = spark.newSession()
    assert(read(other, "static_windows") == Seq("a [0, 10000) 1"))

    val source = memoryStream(Encoders.product[Event], spark)
    windows(source.toDF().withWatermark("ts", "0 seconds"), time = false)
      .createOrReplaceGlobalTempView("stream_windows")
    val query = other
      .table("global_temp.stream_windows")
      .writeStream
      .format("memory")
      .queryName("of_another_session")
      .option("checkpointLocation", Files.createTempDirectory("sessions").toString)
      .start()
    try {
      source.addData(at("a", 1, 1000))
      query.processAllAvailable()
      source.addData(at("a", 1, 20000))
      query.processAllAvailable()
      assert(WindowText.of(other.table("of_another_session").collect().toSeq) == Seq("a [0, 10000) 1"))
    } finally query.stop()
  }

  test("a session that was there before reads it once it is attached") {
    val before = SparkTestBridge.sessionBeside(spark)
    static.createOrReplaceGlobalTempView("attached_windows")
    val error = intercept[Exception](read(before, "attached_windows"))
    assert(error.getCause.getMessage.contains("No plan for Window"), error)
    SparkWindowing.attach(before)
    assert(read(before, "attached_windows") == Seq("a [0, 10000) 1"))
    assert(read(before.newSession(), "attached_windows") == Seq("a [0, 10000) 1"))
  }

  test("attaching again and again adds one strategy") {
    val sessions = Seq(spark, spark.newSession(), SparkTestBridge.sessionBeside(spark))
    (1 to 3).foreach(_ => sessions.foreach(SparkWindowing.attach))
    assert(
      (sessions ++ sessions.map(_.newSession())).map(SparkTestBridge.countStrategy(_, WindowStrategy)) == Seq.fill(6)(1)
    )
  }
}
