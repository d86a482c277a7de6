package dev.sparkwindowing.live

import dev.sparkwindowing.SparkWindowing
import dev.sparkwindowing.simulation.SimulationStep
import dev.sparkwindowing.spark.WindowText
import org.apache.spark.sql.Row
import org.scalatest.funsuite.AnyFunSuite

import java.util.concurrent.{Executors, TimeUnit}

/** Random queries in real-time mode of Spark, some micro-batches long, against a simulation that judges each row when
  * it comes; those without late rows also against one micro-batch.
  *
  * {{{
  * make test-real-time CASES=1000
  * }}}
  */
class RandomQueriesSpec extends AnyFunSuite with LiveSpark {
  import RandomQueriesSpec._

  test(s"$cases queries without late rows: a simulation, real-time mode and one micro-batch have the same results") {
    val queries = (first until first + cases).map(RandomQueries.make(_, late = false))
    val all     = compared(queries)(query => Map("live" -> live(query), "once" -> once(query)))
    assert(all.forall(_.late == 0))
    assert(all.count(_.main > 0) > all.size / 2)
  }

  test(s"$cases queries with late rows: a simulation and real-time mode have the same results") {
    val queries = (first until first + cases).map(RandomQueries.make(_, late = true))
    val all     = compared(queries)(query => Map("live" -> live(query)))
    assert(all.count(_.late > 0) > all.size / 3)
  }

  private def compared(queries: Seq[RandomQuery])(run: RandomQuery => Map[String, Seq[String]]): Seq[Came] = {
    val pool = Executors.newFixedThreadPool(4)
    try {
      val all = queries.map { query =>
        pool.submit[Came] { () =>
          val wanted = simulated(query)
          val wrong  = run(query).collect {
            case (how, got) if got != wanted => s"$how: ${got.size}, missing ${wanted.diff(got).take(5)}, not expected ${got.diff(wanted).take(5)}"
          }
          Came(wanted.count(_.startsWith("main")), wanted.count(_.startsWith("late")), wrong.map(s"${query.name}; " + _).toSeq)
        }
      }
      val done = all.map(_.get())
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

  private def simulated(query: RandomQuery): Seq[String] = {
    val log = RowLog.create(1)
    try {
      val result  = query.build(new LiveQuery(spark, log, query.delay)(identity).rows)
      var highest = Long.MinValue
      val steps   = query.rows.flatMap { case (key, ts, value) =>
        val row    = SimulationStep.element(key, ts, value)
        val rises  = ts > highest
        highest = math.max(highest, ts)
        // The watermark is the last time that may not come any more.
        if (rises) Seq(row, SimulationStep.watermark(highest - query.delay - 1)) else Seq(row)
      }
      val run = SparkWindowing.simulate(result, steps: _*)
      val main = run.main.drop("step").collect().toSeq.map(row => Row.fromSeq("main" +: row.toSeq))
      val late = run.side("late").drop("step").collect().toSeq.map(row => Row.fromSeq("late" +: row.toSeq))
      WindowText.of((main ++ late).map(withoutClock))
    } finally log.close()
  }

  private def live(query: RandomQuery): Seq[String] = {
    val log    = RowLog.create(1)
    val wanted = simulated(query).size
    val of     = new LiveQuery(spark, log, query.delay)(rows => SparkWindowing.allOutputs(query.build(rows))).live(millis = 300)
    try {
      // Half of the queries get their rows in parts, between which a micro-batch ends.
      val parts = if (query.rows.size % 2 == 0) Seq(query.rows) else query.rows.grouped(query.rows.size / 3).toSeq
      parts.zipWithIndex.foreach { case (part, i) =>
        if (i > 0) of.nextBatch()
        part.foreach { case (key, ts, value) => log.add(0, key, ts, value) }
      }
      shown(of.await(wanted))
    } finally {
      of.close()
      log.close()
    }
  }

  private def once(query: RandomQuery): Seq[String] = {
    val log = RowLog.create(1)
    query.rows.foreach { case (key, ts, value) => log.add(0, key, ts, value) }
    val of = new LiveQuery(spark, log, query.delay)(rows => SparkWindowing.allOutputs(query.build(rows)))
    try shown(of.once().await(0))
    finally {
      of.close()
      log.close()
    }
  }

  // Rows of all outputs: the name, the main result, the late row.
  private def shown(rows: Seq[Row]): Seq[String] = WindowText.of(rows.map { row =>
    val output = row.getString(0)
    val values = row.getStruct(row.fieldIndex(output))
    withoutClock(Row.fromSeq(output +: values.toSeq))
  })
}

private object RandomQueriesSpec {
  private val cases = sys.props.get("cases").fold(12)(_.toInt)
  private val first = sys.props.get("seed").fold(1)(_.toInt)

  final case class Came(main: Int, late: Int, wrong: Seq[String])

  // A pane without the time at which it fired.
  private def withoutClock(row: Row): Row = Row.fromSeq(row.toSeq.map {
    case Row(timing: String, number, isLast, _, replaced) => Row(timing, number, isLast, replaced)
    case other                                            => other
  })
}
