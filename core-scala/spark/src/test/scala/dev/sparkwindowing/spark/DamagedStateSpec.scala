package dev.sparkwindowing.spark

import dev.sparkwindowing.SparkWindowing
import dev.sparkwindowing.assigners.TumblingEventTimeWindows
import dev.sparkwindowing.spark.exec.StoredBlocks
import org.apache.spark.sql.functions._
import org.apache.spark.sql.types.StructType
import org.scalatest.funsuite.AnyFunSuite

import java.time.Duration

/** A checkpoint in which a bit was changed: whoever meets the key says which it is. */
class DamagedStateSpec extends AnyFunSuite with SharedSpark {
  import Event.at

  private val says = "cannot be read: its checksum does not fit, so it was damaged or cut short. It was left as it is."

  private def damaged(): DrivenQuery = {
    val q = new DrivenQuery(spark, delay = Some("1 minute"))(events =>
      SparkWindowing
        .keyBy(events, Seq(col("key"), col("value")))
        .window(TumblingEventTimeWindows.of(Duration.ofSeconds(10)))
        .aggregate(count(lit(1)).as("n"))
    )
    q.start().batch(at("a", 7, 2000))
    q.stop()
    val keys = StructType.fromDDL("key string, value int")
    StoredBlocks.change(spark, q.checkpoint, batch = 0, keys)(b => b.updated(2, (b(2) ^ 1).toByte))
    q
  }

  test("a running query names the key, and stops") {
    val q = damaged()
    try {
      val e = intercept[Exception](q.start().batch(at("b", 1, 2000), at("a", 7, 3000)))
      assert(e.getMessage.contains(s"the state of the key [a,7] $says"), e.getMessage)
    } finally q.stop()
  }

  test("the reader of the state names the checkpoint and the key") {
    val q = damaged()
    val e = intercept[Exception](SparkWindowing.readState(spark, q.checkpoint.toString).collect())
    assert(e.getMessage.contains(s"${q.checkpoint}: the state of the key {a, 7} $says"), e.getMessage)
  }
}
