package dev.sparkwindowing.live

import dev.sparkwindowing.SparkWindowing
import dev.sparkwindowing.assigners.TumblingEventTimeWindows
import org.apache.spark.sql.Row
import org.apache.spark.sql.functions._
import org.scalatest.funsuite.AnyFunSuite

import java.time.Duration
import java.util.concurrent.{Executors, TimeUnit}
import scala.util.Random

/** Random queries in real-time mode of Spark, some micro-batches long, against a simulation that judges each row when
  * it comes; those without late rows also against one micro-batch.
  *
  * {{{
  * make test-real-time CASES=1000 FIRST=5000
  * }}}
  */
class RandomCasesSpec extends AnyFunSuite with LiveSpark {
  import RandomCasesSpec._

  test(s"$cases queries without late rows: a simulation, real-time mode and one micro-batch have the same results") {
    val queries = (first until first + cases).map(RandomCases.make(_, late = false))
    val all     = compared(queries)(query => Map("live" -> live(query), "once" -> query.once(spark)))
    assert(all.forall(_.late == 0))
    assert(all.count(_.main > 0) > all.size / 2)
  }

  test(s"$cases queries with late rows: a simulation and real-time mode have the same results") {
    val queries = (first until first + cases).map(RandomCases.make(_, late = true))
    val all     = compared(queries)(query => Map("live" -> live(query)))
    assert(all.count(_.late > 0) > all.size / 3)
  }

  test("rows of two source tasks, some late: each comes once, in a window or as a late row") {
    for (seed <- 1 to 3) {
      val random = new Random(seed)
      val log    = RowLog.create(2)
      val query  = new LiveQuery(spark, log, delay = 2)(rows =>
        SparkWindowing.allOutputs(
          SparkWindowing
            .keyBy(rows, Seq(col("key")), Some(col("ts")))
            .window(TumblingEventTimeWindows.of(Duration.ofMillis(10)))
            .sideOutputLateData("late")
            .aggregate(collect_list("value").as("all"))
        )
      )
      try {
        query.live(millis = 300)
        for (n <- 0 until 1000) {
          val key = random.nextInt(5).toLong
          log.add(random.nextInt(2), key, 1000L + n / 4 - random.nextInt(if (n % 10 == 0) 60 else 3), n.toLong)
          if (n == 500) query.nextBatch()
        }
        for (partition <- 0 to 1) log.add(partition, 9, 2000, 1000)
        val all = query.awaitAll(rows => valuesOf(rows).size >= 1000)
        assert(valuesOf(all).sorted == (0L until 1000L), s"seed $seed")
        assert(all.exists(_.getString(0) == "late"))
      } finally {
        query.close()
        log.close()
      }
    }
  }

  private def valuesOf(rows: Seq[Row]): Seq[Long] = rows.flatMap { row =>
    if (row.getString(0) == "late") Seq(row.getStruct(row.fieldIndex("late")).getAs[Long]("value"))
    else row.getStruct(row.fieldIndex("main")).getAs[scala.collection.Seq[Long]]("all")
  }

  // Half of the queries get their rows in parts.
  private def live(query: LiveCase) = query.live(spark, if (query.rows.size % 2 == 0) 1 else 3)

  private def compared(queries: Seq[LiveCase])(run: LiveCase => Map[String, Seq[String]]): Seq[Came] = {
    val pool = Executors.newFixedThreadPool(4)
    try {
      val all = queries.map { query =>
        pool.submit[Came] { () =>
          val wanted = query.simulated(spark)
          val wrong  = run(query).collect {
            case (how, got) if got != wanted =>
              s"$how: ${got.size}, missing ${wanted.diff(got).take(5)}, not expected ${got.diff(wanted).take(5)}"
          }
          Came(
            wanted.count(_.startsWith("main")),
            wanted.count(_.startsWith("late")),
            wrong.map(s"${query.name}; " + _).toSeq
          )
        }
      }
      val done  = all.map(_.get())
      val wrong = done.flatMap(_.wrong)
      assert(wrong.isEmpty, wrong.mkString("\n", "\n", "\n"))
      info(s"${done.map(_.main).sum} results, ${done.map(_.late).sum} late rows")
      done
    } finally {
      pool.shutdown()
      pool.awaitTermination(1, TimeUnit.MINUTES)
      ()
    }
  }
}

private object RandomCasesSpec {
  private val cases = sys.props.get("cases").fold(12)(_.toInt)
  private val first = sys.props.get("first").fold(1)(_.toInt)

  final case class Came(main: Int, late: Int, wrong: Seq[String])
}
