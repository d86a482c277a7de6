package dev.sparkwindowing.bench

import dev.sparkwindowing.SparkWindowing
import dev.sparkwindowing.assigners.{EventTimeSessionWindows, TumblingEventTimeWindows, WindowAssigner}
import org.apache.spark.sql.functions._
import org.apache.spark.sql.streaming.{DataStreamWriter, Trigger}
import org.apache.spark.sql.{Column, DataFrame, Row, SparkSession}

import java.nio.file.{Files, Path}
import java.time.Duration

/** Windows of Spark and of this project over the same files, in turn in one run: rows a second and their ratio.
  *
  * {{{bench/runMain dev.sparkwindowing.bench.SparkBench [events] [rows a micro-batch] [rounds]}}}
  *
  * Events lie 10 ms apart, up to two seconds out of order, in bursts of five of a key, 50,000 keys in all; the
  * watermark is ten seconds behind. A first round, which is not timed, warms up and compares the results.
  */
object SparkBench {

  private final case class Work(name: String, ours: WindowAssigner[Any], sparks: Column)

  private val works = Seq(
    Work(
      "session, gap 30 s",
      EventTimeSessionWindows.withGap(Duration.ofSeconds(30)),
      session_window(col("ts"), "30 seconds")
    ),
    Work("tumbling, 10 s", TumblingEventTimeWindows.of(Duration.ofSeconds(10)), window(col("ts"), "10 seconds"))
  )

  def main(args: Array[String]): Unit = {
    val events = args.headOption.fold(2000000L)(_.toLong)
    val batch  = args.lift(1).fold(500000L)(_.toLong)
    val rounds = args.lift(2).fold(5)(_.toInt)
    val spark  = SparkSession
      .builder()
      .master("local[2]")
      .config("spark.ui.enabled", "false")
      .config("spark.sql.shuffle.partitions", "2")
      .config("spark.sql.session.timeZone", "UTC")
      .getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    val files = generate(spark, events, batch)

    println(f"$events%,d events, $batch%,d a micro-batch, median of $rounds rounds, million rows a second:")
    println(f"${"work"}%-20s ${"Spark's own"}%12s ${"this project"}%13s ${"ratio (of each round)"}%22s")
    works.foreach { work =>
      val sparks = () => finish(sparksOwn(source(spark, files), work))
      val ours   = () => finish(own(source(spark, files), work))
      val same   = (summary(sparksOwn(source(spark, files), work)), summary(own(source(spark, files), work)))
      if (same._1 != same._2) throw new IllegalStateException(s"${work.name}: Spark gives ${same._1}, we ${same._2}")
      val times      = Seq.fill(rounds)((seconds(sparks), seconds(ours)))
      val ratios     = times.map { case (s, o) => s / o }
      val (slow, we) = (median(times.map(_._1)), median(times.map(_._2)))
      println(
        f"${work.name}%-20s ${events / slow / 1e6}%12.2f ${events / we / 1e6}%13.2f " +
          f"${median(ratios)}%8.2f (${ratios.min}%.2f-${ratios.max}%.2f)   ${same._1.mkString(" ")}"
      )
    }
    spark.stop()
  }

  private def generate(spark: SparkSession, events: Long, batch: Long): Path = {
    val folder = Files.createTempDirectory("events")
    (0L until events by batch).foreach { from =>
      val millis = col("id") * 10L - (rand(from) * 2000).cast("bigint") + 60000L
      spark
        .range(from, math.min(from + batch, events), 1, 1)
        .select(
          pmod(xxhash64(floor(col("id") / 5)), lit(50000L)).as("key"),
          timestamp_millis(millis).as("ts"),
          (col("id") % 100).cast("double").as("value")
        )
        .write
        .mode("append")
        .parquet(folder.resolve(f"$from%012d").toString)
    }
    folder
  }

  private def source(spark: SparkSession, files: Path): DataFrame =
    spark.readStream
      .schema("key BIGINT, ts TIMESTAMP, value DOUBLE")
      .option("maxFilesPerTrigger", 1)
      .parquet(s"$files/*")
      .withWatermark("ts", "10 seconds")

  private def functions = Seq(count(lit(1)).as("n"), sum("value").as("total"))

  private def own(events: DataFrame, work: Work): DataFrame =
    SparkWindowing.keyBy(events, Seq(col("key"))).window(work.ours).aggregate(functions: _*)

  private def sparksOwn(events: DataFrame, work: Work): DataFrame =
    events.groupBy(col("key"), work.sparks.as("window")).agg(functions.head, functions.tail: _*)

  private def finish(result: DataFrame): Unit = run(result.writeStream.format("noop"))

  /** Number of windows, and sums over them, that do not depend on the order of rows. */
  private def summary(result: DataFrame): Seq[Any] = {
    var sums = Seq(0L, 0L, 0L)
    val add  = (rows: DataFrame, _: Long) => {
      val figures = Seq(count(lit(1)), sum("n"), sum(hash(col("window"), col("total")))).map(coalesce(_, lit(0L)))
      val row     = rows.agg(figures.head, figures.tail: _*).head()
      sums = sums.zip(row.toSeq).map { case (a, b) => a + b.asInstanceOf[Long] }
    }
    run(result.writeStream.foreachBatch(add))
    sums
  }

  private def run(writer: DataStreamWriter[Row]): Unit = {
    val checkpoint = Files.createTempDirectory("checkpoint").toString
    writer.option("checkpointLocation", checkpoint).trigger(Trigger.AvailableNow()).start().awaitTermination()
  }

  private def seconds(run: () => Unit): Double = {
    val start = System.nanoTime()
    run()
    (System.nanoTime() - start) / 1e9
  }

  private def median(figures: Seq[Double]): Double = figures.sorted.apply(figures.size / 2)
}
