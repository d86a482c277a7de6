package dev.sparkwindowing.conformance

import org.scalatest.funsuite.AnyFunSuite

import java.util.stream.LongStream

/** This project's operator against Flink's, on random cases; as many at a time as there are processors. */
class ConformanceSpec extends AnyFunSuite {
  private val cases = sys.props.get("cases").fold(10000)(_.toInt)
  private val seed  = sys.props.get("seed").fold(1L)(_.toLong)
  private val block = 10000

  private val plain = new CaseRun

  test(s"$cases random cases from seed $seed answer as Flink does, event by event") {
    val blocks = Iterator.range(0, cases, block).map { done =>
      val now = run(seed + done, math.min(block, cases - done)).fold(c => fail(plain.report(c)), identity)
      if (cases > block) println(s"seed $seed: ${math.min(done + block, cases)} of $cases cases, 0 differences")
      now
    }
    val total = blocks.foldLeft(Summary.empty)(_ + _)
    info(s"seed $seed: $cases cases of ${total.kinds.size} kinds, 0 differences, ${total.tally}")
    total.lines.foreach(info(_))
    if (cases >= 10000) assertRich(total)
  }

  // The first case that differs, else what was run.
  private def run(from: Long, size: Int): Either[RandomCase, Summary] =
    LongStream
      .range(from, from + size)
      .parallel()
      .mapToObj(s => run(new Generator(s).make()))
      .reduce(
        Right(Summary.empty),
        (a: Either[RandomCase, Summary], b: Either[RandomCase, Summary]) => a.flatMap(x => b.map(x + _))
      )

  private def run(c: RandomCase): Either[RandomCase, Summary] = plain.run(c) match {
    case CaseResult.Agreed(tally) => Right(Summary.of(c.setup, tally))
    case _: CaseResult.Differed   => Left(c)
  }

  private def assertRich(total: Summary): Unit = {
    val clocks    = Seq("tumbling", "sliding", "session", "dynamic session").flatMap(a => Seq(a, s"$a by the clock"))
    val assigners = clocks ++ Seq("cumulative", "global", "global until the end of the stream")
    val triggers  = Seq("default", "event time", "processing time", "count", "delta", "end of stream", "purging") ++
      Seq("timeout", "never", "continuous event time", "continuous processing time")
    val evictors = "none" +: Seq("count", "time", "delta").flatMap(e => Seq(s"$e before", s"$e after"))
    val parts    = assigners.map("assigner " + _) ++ triggers.map("trigger " + _) ++ evictors.map("evictor " + _) ++
      Seq("none", "some", "huge").map("lateness " + _) ++ Seq("output", "counted").map("late elements " + _) ++
      (Seq("Apply", "Process", "Aggregate") ++ Seq("Inner", "Left", "Right", "Full").map(k => s"Join($k)"))
        .map("contents " + _)
    parts.foreach(p => assert(total.fired.getOrElse(p, 0) > cases / 500, p)) // a Never fires only under a timeout
    assert(total.cases.keySet == parts.toSet)
    val t = total.tally
    assert(t.firings > 5 * cases && t.late > cases / 2 && t.cleared > cases && t.joins > cases / 20)
    assert(t.restores > cases && t.failures > cases / 1000 && t.refusals > cases / 1000 && t.leftOut < cases / 10)
  }
}
