package dev.sparkwindowing.conformance

import org.scalatest.funsuite.AnyFunSuite

/** This project's operator against Flink's, on random cases. */
class ConformanceSpec extends AnyFunSuite {
  private val cases = sys.props.get("cases").fold(2000)(_.toInt)
  private val seed  = sys.props.get("seed").fold(1L)(_.toLong)

  test(s"$cases random cases from seed $seed answer as Flink does, event by event") {
    val plain   = new CaseRun
    val results = (seed until seed + cases).map { s =>
      val c = new Generator(s).make()
      plain.run(c) match {
        case CaseResult.Agreed(tally) => (c.setup, tally)
        case _                        => fail(plain.report(c))
      }
    }
    val total = results.map(_._2).reduce(_ + _)
    val kinds = results.map(_._1.kinds).distinct.size
    info(s"seed $seed: $cases cases of $kinds kinds, $total")
    if (cases >= 2000) assertRich(results, total)
  }

  private def assertRich(results: Seq[(Setup, Tally)], total: Tally): Unit = {
    val fired     = results.collect { case (setup, tally) if tally.firings > 0 => setup.kinds }.flatten.toSet
    val purging   = Seq("event time", "processing time", "count").map(t => s"trigger purging $t")
    val triggers  = Seq("event time", "processing time", "count", "default").map(t => s"trigger $t")
    val assigners = Seq("tumbling", "sliding", "session", "tumbling by the clock", "global")
    val evictors  = Seq("none", "count before", "count after").map(e => s"evictor $e")
    val lateness  = Seq("no lateness", "lateness", "huge lateness", "late output", "no late output")
    val contents  = Seq("Apply", "Process", "Aggregate")
    (purging ++ triggers ++ assigners ++ evictors ++ lateness ++ contents).foreach(k => assert(fired(k), k))
    assert(results.exists(_._1.trigger.contains(TriggerSetup.Never)))
    assert(!fired("trigger never"))
    assert(total.firings > 5 * cases && total.late > cases && total.cleared > cases && total.joins > cases / 10)
    assert(total.restores > cases && total.failures > 0 && total.refusals > 0)
  }
}
