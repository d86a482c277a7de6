import dev.sparkwindowing.SparkWindowing
import dev.sparkwindowing.assigners.TumblingEventTimeWindows
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.functions._
import org.scalatest.funsuite.AnyFunSuite

import java.time.Duration

class ClicksTest extends AnyFunSuite {
  test("clicks by minute") {
    val spark = SparkSession.builder().master("local[2]").config("spark.ui.enabled", "false").getOrCreate()
    try {
      import spark.implicits._
      val clicks = Seq(("ann", "2026-01-01 10:00:10"), ("ann", "2026-01-01 10:00:50"), ("ann", "2026-01-01 10:01:10"))
        .toDF("user", "at")
        .withColumn("ts", to_timestamp(col("at")))
      val counts = SparkWindowing
        .keyBy(clicks, Seq(col("user")), Some(col("ts")))
        .window(TumblingEventTimeWindows.of(Duration.ofMinutes(1)))
        .aggregate(count("*").as("clicks"))
      assert(counts.orderBy("window.start").select("clicks").as[Long].collect().toSeq == Seq(2, 1))
    } finally spark.stop()
  }
}
