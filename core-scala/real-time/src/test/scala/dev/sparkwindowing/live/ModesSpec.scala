package dev.sparkwindowing.live

import dev.sparkwindowing.SparkWindowing
import dev.sparkwindowing.assigners.{EventTimeSessionWindows, TumblingProcessingTimeWindows}
import dev.sparkwindowing.spark.plan.{RealTimeMode, StateStoreRules}
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.functions._
import org.apache.spark.sql.streaming.StreamingQueryException
import org.scalatest.funsuite.AnyFunSuite

import java.time.Duration.ofMillis

/** Queries that change between real-time mode and micro-batches, that wait for the clock or for a silent source, and
  * that fail.
  */
class ModesSpec extends AnyFunSuite with LiveSpark {

  private def inPieces: SparkSession = {
    val session = spark.newSession()
    StateStoreRules.SizeSettings.zip(Seq("150", "200", "150", "70")).foreach { case (name, value) =>
      session.conf.set(name, value)
    }
    session
  }

  for (seed <- 1 to 6) test(s"a checkpoint goes on in the other mode, with rows and windows in pieces, $seed") {
    val session = inPieces
    val query   = RandomCases.make(seed, late = false)
    assert(query.switching(session).distinct == query.simulated(session).distinct, query.name)
  }

  test("the progress counts keys, not the pieces of their rows") {
    val log   = RowLog.create(1)
    val query = new LiveQuery(inPieces, log, delay = 0)(rows =>
      SparkWindowing
        .keyBy(rows, col("key"))
        .window(EventTimeSessionWindows.withGap(ofMillis(500)))
        .aggregate(collect_list("value").as("all"))
    )
    try {
      query.live(millis = 300)
      for (i <- 0 until 300) log.add(0, i % 3L, 1000L + i, 1)
      query.nextBatch()
      query.nextBatch()
      assert(query.running.lastProgress.stateOperators(0).numRowsTotal == 3)
      for (key <- 0 until 3) log.add(0, key.toLong, 3000, 1)
      assert(query.await(3).map(_.getSeq[Long](2).size) == Seq(100, 100, 100))
    } finally {
      query.close()
      log.close()
    }
  }

  test("windows of processing time fire without rows, within a micro-batch") {
    val log   = RowLog.create(2)
    val query = new LiveQuery(spark, log, delay = 0)(rows =>
      SparkWindowing
        .keyBy(rows, col("key"))
        .window(TumblingProcessingTimeWindows.of(ofMillis(200)))
        .aggregate(count("*").as("n"))
        .select("key", "n")
    )
    try {
      query.live(millis = 30000)
      for (key <- 0 until 20) log.add(key % 2, key.toLong, 1000, 1)
      assert(query.await(20).map(_.getLong(1)).sum == 20)
      assert(query.running.lastProgress == null, "within the first micro-batch")
    } finally {
      query.close()
      log.close()
    }
  }

  test("a source task without rows holds the watermark for the idle timeout only") {
    val session = spark.newSession()
    session.conf.set(RealTimeMode.IdleSetting, "1 second")
    val log   = RowLog.create(2)
    val query = new LiveQuery(session, log, delay = 0)(rows =>
      SparkWindowing.keyBy(rows, col("key")).window(EventTimeSessionWindows.withGap(ofMillis(5))).aggregate(count("*"))
    )
    try {
      query.live(millis = 30000)
      for (ts <- 1000 to 1009) for (partition <- 0 to 1) log.add(partition, 1, ts.toLong, 1)
      log.add(0, 1, 1100, 1)
      val from = System.nanoTime
      assert(query.await(1).size == 1)
      assert((System.nanoTime - from) / 1000000L >= 500, "the other task could have had rows")
    } finally {
      query.close()
      log.close()
    }
  }

  test("a function that fails ends the query, which goes on from its checkpoint when it is mended") {
    val log      = RowLog.create(1)
    var mistaken = lit(0)
    val query    = new LiveQuery(spark, log, delay = 0)(rows =>
      SparkWindowing
        .keyBy(rows.withColumn("value", col("value") / when(col("value") =!= 13, 1).otherwise(mistaken)), col("key"))
        .window(EventTimeSessionWindows.withGap(ofMillis(5)))
        .aggregate(sum("value").as("total"))
    )
    try {
      query.live(millis = 300)
      log.add(0, 1, 1000, 1)
      query.nextBatch()
      log.add(0, 1, 1003, 13)
      val failed = intercept[StreamingQueryException](query.await(1))
      assert(failed.getMessage.contains("DIVIDE_BY_ZERO"))
      mistaken = lit(1)
      query.live(millis = 300)
      log.add(0, 1, 1100, 1)
      assert(query.await(1).map(_.getDouble(2)) == Seq(14.0))
    } finally {
      query.close()
      log.close()
    }
  }
}
