package dev.sparkwindowing.spark

import dev.sparkwindowing.SparkWindowing
import dev.sparkwindowing.assigners.{TumblingEventTimeWindows, WindowStagger}
import org.apache.spark.sql.functions._
import org.apache.spark.sql.{DataFrame, Row}
import org.scalatest.funsuite.AnyFunSuite

import java.time.Duration

/** A staggered grid is drawn once a query: all its tasks, micro-batches and restarts share it. */
class StaggerSpec extends AnyFunSuite with SharedSpark {
  import Event.at

  private def windows(stagger: WindowStagger)(events: DataFrame): DataFrame =
    SparkWindowing
      .keyBy(events, Seq(col("key")), Some(col("ts")))
      .window(TumblingEventTimeWindows.of(Duration.ofSeconds(10), Duration.ZERO, stagger))
      .aggregate(count(lit(1)).as("n"))

  private def shifts(rows: Seq[Row]): Set[Long] =
    rows.map(r => Math.floorMod(r.getStruct(1).getTimestamp(0).getTime, 10000L)).toSet

  test("a random stagger is one for all keys, over micro-batches and a restart") {
    val q = new DrivenQuery(spark)(windows(WindowStagger.Random))
    try {
      q.start()
      val first = q.batch((1 to 20).map(i => at(s"k$i", 1, i * 1000L)): _*) ++ q.watermark(60000)
      q.restart()
      val later = q.batch((1 to 20).map(i => at(s"k$i", 1, 70000 + i * 1000L)): _*) ++ q.watermark(120000)
      assert(first.size == 20 && later.size == 20)
      assert(shifts(first ++ later).size == 1)
    } finally q.stop()
  }

  test("a natural stagger is the distance of the clock of the first micro-batch from the start of its window") {
    val q = new DrivenQuery(spark)(windows(WindowStagger.Natural))
    try {
      q.clock.advance(3456)
      q.start()
      val rows = q.batch(at("a", 1, 20000)) ++ q.watermark(60000)
      assert(shifts(rows) == Set(3456L))
    } finally q.stop()
  }

  test("a batch draws once for all its tasks") {
    val rows = spark.createDataFrame((1 to 50).map(i => at(s"k$i", 1, i * 1000L)))
    assert(shifts(windows(WindowStagger.Random)(rows).collect().toSeq).size == 1)
  }
}
