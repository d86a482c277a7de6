package dev.sparkwindowing.spark.metrics

import dev.sparkwindowing.SparkWindowing
import dev.sparkwindowing.assigners.TumblingEventTimeWindows
import dev.sparkwindowing.live.{LiveQuery, LiveSpark, RowLog}
import org.apache.spark.sql.functions._
import org.scalatest.concurrent.Eventually
import org.scalatest.funsuite.AnyFunSuite
import org.scalatest.time.{Millis, Seconds, Span}

import java.time.Duration.ofMillis

/** The figures of a query within a long micro-batch. */
class LiveFiguresSpec extends AnyFunSuite with LiveSpark with Eventually {

  implicit override val patienceConfig: PatienceConfig = PatienceConfig(Span(20, Seconds), Span(20, Millis))

  test("executors tell what has happened before the micro-batch ends, and its progress counts nothing twice") {
    val session = spark.newSession()
    session.conf.set("spark.sql.streaming.metricsEnabled", "true")
    val log   = RowLog.create(1)
    val query = new LiveQuery(session, log, delay = 0)(rows =>
      SparkWindowing.keyBy(rows, col("key")).window(TumblingEventTimeWindows.of(ofMillis(10))).aggregate(count("*"))
    )
    try {
      query.live(millis = 6000)
      val metrics                    = eventually(RunningMetrics.of(query.running.runId).get)
      def figure(name: String): Long = metrics.figures.values.getOrElse(name, -1L)
      def counted                    = (figure("0.firedPanes"), figure("0.numLateRecordsDropped"), figure("watermark"))
      for (ts <- 1000 until 1100) log.add(0, 1, ts.toLong, 1)
      log.add(0, 1, 1000, 1) // late
      eventually(assert((counted, figure("0.openWindows")) == (((9, 1, 1099), 1))))
      assert(query.running.lastProgress == null)
      eventually(assert(figure("microBatches") == 1))
      assert(counted == ((9, 1, 1099)))
    } finally {
      query.close()
      log.close()
    }
  }
}
