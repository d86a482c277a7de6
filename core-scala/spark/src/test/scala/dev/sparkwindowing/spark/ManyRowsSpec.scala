package dev.sparkwindowing.spark

import dev.sparkwindowing.SparkWindowing
import dev.sparkwindowing.assigners.EventTimeSessionWindows
import org.apache.spark.sql.functions._
import org.apache.spark.sql.streaming.Trigger
import org.apache.spark.sql.{Column, DataFrame}
import org.scalatest.funsuite.AnyFunSuite
import org.scalatest.tags.Slow

import java.nio.file.Files
import java.time.Duration

/** A million rows, spread over keys in the ways that hurt: every row another key than the one before, one key for all,
  * a key a row. In four micro-batches, with a last row that closes everything.
  */
@Slow
class ManyRowsSpec extends AnyFunSuite with SharedSpark {
  private val Rows = 1000000L

  private lazy val files = {
    val folder = Files.createTempDirectory("rows")
    val start  = timestamp_millis(col("id") * 100)
    (0L until Rows by Rows / 4).foreach { from =>
      spark.range(from, from + Rows / 4, 1, 1).withColumn("ts", start).write.parquet(folder.resolve(s"$from").toString)
    }
    spark
      .range(Rows, Rows + 1, 1, 1)
      .withColumn("ts", timestamp_millis(lit(Rows * 1000)))
      .write
      .parquet(folder.resolve("z").toString)
    folder
  }

  private def source: DataFrame = spark.readStream
    .schema("id BIGINT, ts TIMESTAMP")
    .option("maxFilesPerTrigger", 1)
    .parquet(s"$files/*")
    .withWatermark("ts", "1 second")

  // Number of rows that came out, and what their two sums add up to.
  private def totals(result: DataFrame): (Seq[Long], Double) = {
    var sums  = Seq(0L, 0L, 0L)
    val start = System.nanoTime()
    result.writeStream
      .foreachBatch { (rows: DataFrame, _: Long) =>
        val figures = Seq(count(lit(1)), sum("n"), sum("total")).map(coalesce(_, lit(0L)))
        val row     = rows.where(col("key") >= 0).agg(figures.head, figures.tail: _*).head()
        sums = sums.zip(row.toSeq).map { case (a, b) => a + b.asInstanceOf[Long] }
      }
      .option("checkpointLocation", Files.createTempDirectory("checkpoint").toString)
      .trigger(Trigger.AvailableNow())
      .start()
      .awaitTermination()
    (sums, (System.nanoTime() - start) / 1e9)
  }

  private val sumOfIds                = Rows * (Rows - 1) / 2
  private val last                    = col("id") === Rows // the row that closes has a key of its own
  private def key(of: Column): Column = when(last, lit(-1L)).otherwise(of).as("key")
  private val functions               = Seq(count(lit(1)).as("n"), sum("id").as("total"))

  for (
    (shape, of, keys) <- Cases.each(2)(
      Seq(
        ("two keys that alternate", col("id") % 2, 2L),
        ("one key", lit(0L), 1L),
        ("a million keys", col("id"), Rows)
      )
    )
  ) {
    test(s"$shape: tumbling windows of 100 s") {
      val windows        = if (keys == Rows) Rows else keys * 1000
      val keyed          = SparkWindowing.keyBy(source, Seq(key(of)))
      val (sums, passed) = totals(keyed.timeWindow(Duration.ofSeconds(100)).aggregate(functions: _*))
      assert(sums == Seq(windows, Rows, sumOfIds))
      info(f"$passed%.1f s for a million rows")
    }

    test(s"$shape: sessions") {
      val keyed          = SparkWindowing.keyBy(source, Seq(key(of)))
      val sessions       = keyed.window(EventTimeSessionWindows.withGap(Duration.ofSeconds(1)))
      val (sums, passed) = totals(sessions.aggregate(functions: _*))
      assert(sums == Seq(keys, Rows, sumOfIds))
      info(f"$passed%.1f s for a million rows")
    }

    test(s"$shape: the last ten of every five, in order of arrival") {
      val keyed          = SparkWindowing.keyBy(source, Seq(key(of)))
      val (sums, passed) = totals(keyed.countWindow(10, 5).aggregate(functions: _*))
      // Of n rows of a key every fifth fires: five rows the first time, then ten. Each row is in two firings, but the
      // last five of a key, which are in one.
      val fired    = if (keys == Rows) 0L else Rows / 5
      val elements = if (keys == Rows) 0L else 2 * Rows - 5 * keys
      val lastFive = (Rows - 5 * keys until Rows).sum
      val ids      = if (keys == Rows) 0L else 2 * sumOfIds - lastFive
      assert(sums == Seq(fired, elements, ids))
      info(f"$passed%.1f s for a million rows")
    }
  }
}
