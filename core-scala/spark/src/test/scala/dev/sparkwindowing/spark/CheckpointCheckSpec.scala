package dev.sparkwindowing.spark

import dev.sparkwindowing.SparkWindowing
import dev.sparkwindowing.assigners.TumblingEventTimeWindows
import dev.sparkwindowing.spark.relocated.RelocatedInTests.memoryStream
import org.apache.spark.sql.functions._
import org.apache.spark.sql.streaming.{StreamingQueryException, Trigger}
import org.apache.spark.sql.{DataFrame, Encoders, SparkSession}
import org.scalatest.funsuite.AnyFunSuite

import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.{Files, Path}
import java.time.Duration.ofSeconds

/** A query is compared with its checkpoint when it starts, whether there are new rows or not. */
class CheckpointCheckSpec extends AnyFunSuite with SharedSpark {
  import Event.at

  private def windows(rows: DataFrame, seconds: Long, what: String): DataFrame =
    SparkWindowing
      .keyBy(rows, Seq(col("key")))
      .window(TumblingEventTimeWindows.of(ofSeconds(seconds)))
      .aggregate((if (what == "value") sum("value") else sum("total")).as("total"))

  private def one(seconds: Long)(events: DataFrame): DataFrame = windows(events, seconds, "value")

  private def two(first: Long, second: Long)(events: DataFrame): DataFrame =
    windows(one(first)(events), second, "total")

  private final class Runs(on: SparkSession) {
    val checkpoint: Path     = Files.createTempDirectory("checkpoint")
    private[this] val source = memoryStream(Encoders.product[Event], on)

    /** Runs the query over these rows, to its end. */
    def apply(query: DataFrame => DataFrame)(rows: Event*): Unit = {
      if (rows.nonEmpty) source.addData(rows)
      query(source.toDF().withWatermark("ts", "0 seconds")).writeStream
        .format("noop")
        .option("checkpointLocation", checkpoint.toString)
        .trigger(Trigger.AvailableNow())
        .start()
        .awaitTermination()
    }

    /** The error of a query that is refused without new rows. */
    def refused(query: DataFrame => DataFrame): String =
      Changing.outcome(apply(query)()).fold(identity, _ => throw new AssertionError("the query was not refused"))
  }

  test("a changed window is refused without new rows, the same one runs") {
    val run = new Runs(spark)
    run(one(10))(at("a", 1, 1000))
    run(one(10))()
    assert(
      run.refused(one(20)).contains("assigner.size: was 10 s, is 20 s")
    )
    run(one(10))(at("a", 1, 2000))
  }

  test("start() itself fails in a session that has the extensions, as one made from another has") {
    val own = spark.newSession()
    val run = new Runs(own)
    run(one(10))(at("a", 1, 1000))
    val error = intercept[IllegalStateException](run(one(20))())
    assert(error.getMessage.contains("assigner.size: was 10 s"), error)
    run(one(10))(at("a", 1, 2000))
  }

  test("of two windows the one that has changed is named, whichever it is") {
    val run = new Runs(spark)
    run(two(10, 60))(at("a", 1, 1000))
    run(two(10, 60))()
    val first = run.refused(two(20, 60))
    assert(first.contains("assigner.size: was 10 s, is 20 s"), first)
    val second = run.refused(two(10, 120))
    assert(second.contains("assigner.size: was 1 min, is 2 min"), second)
    run(two(10, 60))(at("a", 1, 2000))
  }

  private def rewritten(run: Runs, change: String => String): Unit = {
    val file = run.checkpoint.resolve("state/0/_window/specification")
    val text = new String(Files.readAllBytes(file), UTF_8)
    assert(text.startsWith("spark-windowing specification 4\n{"), text)
    Files.deleteIfExists(file.resolveSibling(".specification.crc"))
    Files.write(file, change(text).getBytes(UTF_8))
  }

  for (earlier <- Seq("1", "2", "3")) test(s"a specification of format $earlier is refused by name") {
    val run = new Runs(spark)
    run(one(10))(at("a", 1, 1000))
    rewritten(run, _ => s"spark-windowing specification $earlier\nassigner: TumblingEventTimeWindows(10 s)\n")
    val error = run.refused(one(10))
    assert(error.contains(s"is 'spark-windowing specification $earlier'"), error)
    assert(error.contains("Start with a new checkpoint location. The state is untouched"), error)
  }

  test("a damaged specification is refused by name") {
    for (damage <- Seq[String => String](_.dropRight(9), _.replace("\"arguments\"", "\"argum"), _.replace("{", "["))) {
      val run = new Runs(spark)
      run(one(10))(at("a", 1, 1000))
      rewritten(run, damage)
      val error = run.refused(one(10))
      assert(error.contains("cannot be read: it was damaged"), error)
    }
  }

  test("a first start that was not committed has nothing to compare") {
    val run = new Runs(spark)
    intercept[StreamingQueryException] {
      run(e => one(10)(e.withColumn("value", raise_error(col("key")).cast("int"))))(at("a", 1, 1000))
    }
    run(one(20))()
  }
}
