package dev.sparkwindowing.live

import org.scalatest.funsuite.AnyFunSuite

import java.util.concurrent.{Executors, TimeUnit}

/** Random queries in real-time mode of Spark, some micro-batches long, against a simulation that judges each row when
  * it comes; those without late rows also against one micro-batch.
  *
  * {{{
  * make test-real-time CASES=1000
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
  private val first = sys.props.get("seed").fold(1)(_.toInt)

  final case class Came(main: Int, late: Int, wrong: Seq[String])
}
