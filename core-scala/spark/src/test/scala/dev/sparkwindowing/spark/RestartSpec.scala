package dev.sparkwindowing.spark

import dev.sparkwindowing.SparkWindowing
import dev.sparkwindowing.assigners.{EventTimeSessionWindows, TumblingEventTimeWindows}
import org.apache.spark.sql.functions._
import org.apache.spark.sql.{DataFrame, SparkSession}
import org.scalatest.funsuite.AnyFunSuite

import java.time.Duration
import scala.util.Random

/** A query that is stopped and started again puts out what one that runs through does, on every state store. */
class RestartSpec extends AnyFunSuite with SharedSpark {
  import Event.at

  private val queries: Seq[(String, DataFrame => DataFrame)] = Seq(
    "tumbling windows with lateness and late rows" -> { events =>
      SparkWindowing.allOutputs(
        SparkWindowing
          .keyBy(events, Seq(col("key")))
          .window(TumblingEventTimeWindows.of(Duration.ofSeconds(10)))
          .allowedLateness(Duration.ofSeconds(4))
          .sideOutputLateData("late")
          .aggregate(count(lit(1)).as("n"), sum("value").as("total"))
      )
    },
    "sessions" -> { events =>
      SparkWindowing
        .keyBy(events, Seq(col("key")))
        .window(EventTimeSessionWindows.withGap(Duration.ofSeconds(3)))
        .aggregate(count(lit(1)).as("n"), approx_count_distinct("value").as("different"))
    },
    "the last four of every three" -> { events =>
      SparkWindowing.keyBy(events, Seq(col("key"))).countWindow(4, 3).aggregate(collect_list("value").as("values"))
    }
  )

  // Six micro-batches, each four seconds on, with rows up to nine seconds back; then one row that closes all.
  private val batches: Seq[Seq[Event]] = {
    val random                 = new Random(20)
    def row(batch: Int): Event =
      at(
        s"k${random.nextInt(4)}",
        random.nextInt(50),
        math.max(0L, batch * 4000L + random.nextInt(4000) - 9000L * random.nextInt(2))
      )
    (1 to 6).map(batch => Seq.fill(8)(row(batch))) :+ Seq(at("end", 0, 600000))
  }

  private def run(on: SparkSession, query: DataFrame => DataFrame, stopBefore: Int => Boolean): Seq[Seq[String]] = {
    val q = new DrivenQuery(on, delay = Some("2 seconds"))(query)
    try {
      q.start()
      batches.zipWithIndex.map { case (rows, i) =>
        if (stopBefore(i)) q.restart()
        WindowText.of(q.batch(rows: _*))
      }
    } finally q.stop()
  }

  for ((name, query) <- queries) {
    lazy val through = run(spark, query, _ => false)

    for ((store, settings) <- StateStores.all) test(s"$name, on $store: stopped between all micro-batches") {
      assert(through.flatten.size > 10, "the time line must show something")
      assert(run(StateStores.session(spark, settings), query, _ => true) == through)
    }
  }

  test("sessions: stopped once, before any micro-batch") {
    val sessions = queries(1)._2
    val through  = run(spark, sessions, _ => false)
    batches.indices.drop(1).foreach(i => assert(run(spark, sessions, _ == i) == through, s"stopped before batch $i"))
  }
}
