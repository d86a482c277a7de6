package dev.sparkwindowing.spark

import dev.sparkwindowing.SparkWindowing
import dev.sparkwindowing.assigners.TumblingEventTimeWindows
import dev.sparkwindowing.spark.exec.StoredBlocks
import dev.sparkwindowing.spark.plan.StateStoreRules
import org.apache.spark.sql.functions._
import org.apache.spark.sql.types.StructType
import org.scalatest.funsuite.AnyFunSuite

import java.time.Duration

/** A checkpoint in which a bit was changed: whoever meets the key says which it is. */
class DamagedStateSpec extends AnyFunSuite with SharedSpark {
  import Event.at

  private val says = "cannot be read: its checksum does not fit, so it was damaged or cut short. It was left as it is."

  private def damaged(windowsBytes: String): DrivenQuery = {
    val own = spark.newSession()
    own.conf.set(StateStoreRules.WindowsSetting, windowsBytes)
    own.conf.set(StateStoreRules.PageSetting, "50")
    val q = new DrivenQuery(own, delay = Some("1 minute"))(events =>
      SparkWindowing
        .keyBy(events, Seq(col("key"), col("value")))
        .window(TumblingEventTimeWindows.of(Duration.ofSeconds(10)))
        .aggregate(count(lit(1)).as("n"))
    )
    q.start().batch(at("a", 7, 2000), at("a", 7, 12000), at("a", 7, 22000))
    q.stop()
    val keys = StructType.fromDDL("key string, value int")
    StoredBlocks.change(spark, q.checkpoint, batch = 0, keys)(b => b.updated(7, (b(7) ^ 1).toByte))
    q
  }

  for ((form, windowsBytes) <- Seq("in one block" -> "64k", "in pages" -> "60")) {
    test(s"a running query names the key, and stops: $form") {
      val q = damaged(windowsBytes)
      try {
        val e = intercept[Exception](q.start().batch(at("b", 1, 2000), at("a", 7, 3000)))
        assert(e.getMessage.contains(s"the state of the key [a,7] $says"), e.getMessage)
      } finally q.stop()
    }

    test(s"the reader of the state names the checkpoint and the key: $form") {
      val q = damaged(windowsBytes)
      val e = intercept[Exception](SparkWindowing.readState(spark, q.checkpoint.toString).collect())
      assert(e.getMessage.contains(s"${q.checkpoint}: the state of the key {a, 7} $says"), e.getMessage)
    }
  }
}
