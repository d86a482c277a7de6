package dev.sparkwindowing.live

import dev.sparkwindowing.SparkWindowing
import dev.sparkwindowing.assigners.{EventTimeSessionWindows, TumblingProcessingTimeWindows}
import dev.sparkwindowing.spark.plan.{RealTimeMode, StateStoreRules}
import org.apache.spark.sql.functions._
import org.apache.spark.sql.streaming.StreamingQueryException
import org.apache.spark.sql.{DataFrame, SparkSession}
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
    running(inPieces)(sessions(_, gap = 500).aggregate(collect_list("value"))) { (log, query) =>
      query.live(millis = 300)
      for (i <- 0 until 300) log.add(0, i % 3L, 1000L + i, 1)
      query.nextBatch()
      query.nextBatch()
      assert(query.running.lastProgress.stateOperators(0).numRowsTotal == 3)
      for (key <- 0 until 3) log.add(0, key.toLong, 3000, 1)
      assert(query.await(3).map(_.getSeq[Long](2).size) == Seq(100, 100, 100))
    }
  }

  test("windows of processing time fire without rows, within a micro-batch") {
    running(spark, partitions = 2)(
      keyed(_).window(TumblingProcessingTimeWindows.of(ofMillis(200))).aggregate(count("*"))
    ) { (log, query) =>
      query.live(millis = 30000)
      for (key <- 0 until 20) log.add(key % 2, key.toLong, 1000, 1)
      assert(query.await(20).map(_.getLong(2)).sum == 20)
      assert(query.running.lastProgress == null, "within the first micro-batch")
    }
  }

  // Milliseconds of a micro-batch, and of silence until the result.
  for {
    (where, millis)       <- Seq("within a micro-batch" -> 30000, "over several micro-batches" -> 300)
    (which, hadRow, wait) <- Seq(("without more rows", true, 1000), ("that has had no row", false, 3000))
  } test(s"a source task $which holds the watermark for a timeout only, $where") {
    val session = spark.newSession()
    session.conf.set(RealTimeMode.IdleSetting, "1 second")
    session.conf.set(RealTimeMode.FirstSetting, "3 seconds")
    running(session, partitions = 2)(sessions(_).aggregate(count("*"))) { (log, query) =>
      query.live(millis)
      for (ts <- 1000 to 1009; partition <- 0 to (if (hadRow) 1 else 0)) log.add(partition, 1, ts.toLong, 1)
      log.add(0, 1, 1100, 1)
      val from = System.nanoTime
      assert(query.await(1).map(_.getLong(2)) == Seq(if (hadRow) 20 else 10))
      val waited = (System.nanoTime - from) / 1000000L
      assert(waited >= wait / 2, "the other task could have had rows")
    }
  }

  for (isRunning <- Seq(true, false))
    test(
      s"a function that fails ${if (isRunning) "later" else "at once"} ends the query, which goes on when it is mended"
    ) {
      var mistaken                 = lit(0)
      def divided(rows: DataFrame) =
        rows.withColumn("value", col("value") / when(col("value") =!= 13, 1).otherwise(mistaken))
      running(spark)(rows => sessions(divided(rows)).aggregate(sum("value"))) { (log, query) =>
        query.live(millis = 300)
        log.add(0, 1, 1000, 1)
        query.nextBatch()
        query.stop()
        if (isRunning) {
          query.live(millis = 30000)
          log.add(0, 2, 998, 1)
          log.add(0, 1, 1003, 1)
          assert(query.await(1).map(_.getDouble(2)) == Seq(1.0))
        }
        log.add(0, 1, 1004, 13)
        if (!isRunning) query.live(millis = 30000)
        val failed = intercept[StreamingQueryException](query.await(1))
        assert(failed.getMessage.contains("DIVIDE_BY_ZERO"), "and not that other tasks have lost the connection")
        mistaken = lit(1)
        query.live(millis = 300)
        log.add(0, 1, 1100, 1)
        val wanted = if (isRunning) Set(1.0, 15.0) else Set(14.0)
        assert(query.await(wanted.size).map(_.getDouble(2)).toSet == wanted)
      }
    }

  private def keyed(rows: DataFrame) = SparkWindowing.keyBy(rows, col("key"))

  private def sessions(rows: DataFrame, gap: Long = 5) =
    keyed(rows).window(EventTimeSessionWindows.withGap(ofMillis(gap)))

  /** A query over rows, with a log of so many partitions, closed at the end. */
  private def running(session: SparkSession, partitions: Int = 1)(build: DataFrame => DataFrame)(
      body: (RowLog, LiveQuery) => Unit
  ): Unit = {
    val log   = RowLog.create(partitions)
    val query = new LiveQuery(session, log, delay = 0)(build)
    try body(log, query)
    finally {
      query.close()
      log.close()
    }
  }
}
