package dev.sparkwindowing.spark

import dev.sparkwindowing.api._
import org.apache.spark.sql.expressions.Window
import org.apache.spark.sql.functions._
import org.apache.spark.sql.{Column, DataFrame}
import org.scalatest.funsuite.AnyFunSuite

import scala.util.Random

/** The rows of a static DataFrame in the order of their microseconds, against Spark's window functions. */
class RowOrderSpec extends AnyFunSuite with SharedSpark {

  // Many rows a millisecond, each at a time of its own, in random order and over several partitions.
  private def rows(seed: Int): DataFrame = {
    val random = new Random(seed)
    val times  = random.shuffle((0 until 30000).toList).take(240)
    spark
      .createDataFrame(times.zipWithIndex.map { case (micros, i) => (s"k${random.nextInt(3)}", i, micros - 10000L) })
      .toDF("key", "value", "micros")
      .repartition(3)
      .select(col("key"), col("value"), timestamp_micros(col("micros")).as("ts"))
  }

  private def keyed(df: DataFrame): KeyedStream = df.keyBy("key").eventTime("ts")
  private def byTime                            = Window.partitionBy("key").orderBy("ts")

  private def lines(df: DataFrame): Seq[String] = df.collect().map(_.toString).toSeq.sorted

  private val values = collect_list("value").as("values")

  for (seed <- 1 to 3) {
    test(s"over windows of rows are Spark's rowsBetween, seed $seed") {
      val over = keyed(rows(seed)).window(OverEventTimeWindows.precedingRows(3)).withRow()
      val ours = over.aggregate(values, sum("value").as("total")).select("key", "row.ts", "values", "total")
      val back = byTime.rowsBetween(-2, 0)
      assert(
        lines(ours) ==
          lines(rows(seed).select(col("key"), col("ts"), collect_list("value").over(back), sum("value").over(back)))
      )
    }

    test(s"count windows and process functions take the rows as Spark's row_number and lag count them, seed $seed") {
      val number = row_number().over(byTime) - 1
      val fives  = rows(seed)
        .select(col("key"), floor(number / 5).as("window"), number.as("number"), col("value"))
        .groupBy("key", "window")
        .agg(array_sort(collect_list(struct("number", "value"))).as("rows"))
        .where(size(col("rows")) === 5)
        .select(col("key"), col("rows.value"))
      assert(lines(keyed(rows(seed)).countWindow(5).aggregate(values).select("key", "values")) == lines(fives))

      val before = ColumnProcess.of(
        state = struct(lit(-1).as("value")),
        onElement = Do.of(
          state = struct(col("row.value").as("value")),
          emit = struct(col("row.value").as("value"), col("state.value").as("before"))
        )
      )
      val lags = rows(seed).select(col("key"), col("value"), lag("value", 1, -1).over(byTime))
      assert(lines(keyed(rows(seed)).process(before).select("key", "value", "before")) == lines(lags))
    }

    test(s"a list of all that a window holds is in order of time, seed $seed") {
      def list(time: Column, value: Column) = collect_list(struct(time.as("at"), value.as("value"))).as("list")
      val one                               = list(col("ts"), col("value"))
      val results: Seq[(String, KeyedStream => DataFrame)] = Seq(
        "tumbling" -> (_.window(TumblingEventTimeWindows.of("5 milliseconds")).aggregate(one)),
        "sessions" -> (_.window(EventTimeSessionWindows.withGap("2 milliseconds")).aggregate(one)),
        "over"     -> (_.window(OverEventTimeWindows.preceding("3 milliseconds")).aggregate(one)),
        "evictor"  -> (
          _.window(TumblingEventTimeWindows.of("1 second")).evictor(CountEvictor.of(20)).aggregate(one)
        ),
        "co-group" -> (other =>
          SparkWindowing
            .coGroup("a" -> keyed(rows(seed)), "b" -> other)
            .window(TumblingEventTimeWindows.of("5 milliseconds"))
            .aggregate(list(coalesce(col("a.ts"), col("b.ts")), coalesce(col("a.value"), col("b.value"))))
        )
      )
      results.foreach { case (windows, result) =>
        val lists = result(keyed(rows(seed + 10))).select(col("list"), expr("transform(list, e -> e.at)").as("times"))
        assert(!lists.where(size(col("list")) > 2).isEmpty, windows)
        assert(lists.where(!(col("times") <=> array_sort(col("times")))).isEmpty, windows)
      }
    }
  }

  test("rows of one microsecond stay in the order of arrival") {
    val same =
      spark.range(0, 50, 1, 1).select(lit("a").as("key"), col("id").as("value"), timestamp_micros(lit(7)).as("ts"))
    val Seq(row) = keyed(same).window(TumblingEventTimeWindows.of("1 second")).aggregate(values).collect().toSeq
    assert(row.getSeq[Long](2) == (0L until 50L))
  }
}
