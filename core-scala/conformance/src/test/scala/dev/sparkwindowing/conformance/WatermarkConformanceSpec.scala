package dev.sparkwindowing.conformance

import org.scalatest.funsuite.AnyFunSuite

/** This project's generators of watermarks and its valve against Flink's own, event by event; and that the comparison
  * can fail.
  */
class WatermarkConformanceSpec extends AnyFunSuite {
  private val cases = 4000

  private type Answers = Seq[Seq[String]]

  private def ours(c: ValveCase): Answers = {
    val valve = new OurValve(c.inputs)
    c.events.map(valve.take)
  }

  private def flink(c: ValveCase): Answers = {
    val valve = new FlinkValve(c.inputs)
    c.events.map(valve.take)
  }

  private def ours(c: GeneratorCase): Answers = {
    val generator = new OurGenerator(c.setup)
    c.events.map(generator.take)
  }

  private def flink(c: GeneratorCase): Answers = {
    val generator = new FlinkGenerator(c.setup)
    try c.events.map(generator.take)
    finally generator.close()
  }

  private def report(events: Seq[Any], ours: Answers, flink: Answers): String =
    events
      .lazyZip(ours)
      .lazyZip(flink)
      .map((event, a, b) =>
        s"${if (a == b) "    " else "--> "}$event: ours ${a.mkString(" ")}, Flink's ${b.mkString(" ")}"
      )
      .mkString("\n", "\n", "")

  private def count(answers: Seq[Answers], what: String => Boolean): Int = answers.map(_.map(_.count(what)).sum).sum
  private def isNumber(text: String): Boolean                            = text.toLongOption.isDefined

  test(s"the valve: $cases random cases, 0 differences") {
    val answers = (1 to cases).map { seed =>
      val c = WatermarkCases.valve(seed.toLong)
      val a = ours(c)
      val b = flink(c)
      assert(a == b, s"seed $seed, ${c.inputs} inputs${report(c.events, a, b)}")
      a
    }
    assert(count(answers, isNumber) > 5 * cases)
    assert(count(answers, _ == "idle") > cases)
    assert(count(answers, _ == "active") > cases)
    // The greatest of all, then the idleness.
    assert(answers.map(_.count(a => a.size == 2 && isNumber(a.head) && a.last == "idle")).sum > cases / 100)
  }

  test(s"generators and idleness: $cases random cases, 0 differences") {
    val answers = (1 to cases).map { seed =>
      val c = WatermarkCases.generator(seed.toLong)
      val a = ours(c)
      val b = flink(c)
      assert(a == b, s"seed $seed, ${c.setup}${report(c.events, a, b)}")
      c -> a
    }
    assert(count(answers.map(_._2), isNumber) > 3 * cases)
    assert(count(answers.map(_._2), _ == "idle") > cases / 2)
    assert(count(answers.map(_._2), _ == "active") > cases / 20)
    assert(answers.map(_._1.setup.kind.productPrefix).distinct.size == GeneratorKind.all.size)
  }

  private def finds(mistake: String)(differs: Long => Boolean): Unit =
    test(s"$mistake is found within 500 cases") {
      assert((1L to 500L).exists(differs))
    }

  finds("an idle input whose watermarks still count") { seed =>
    val c      = WatermarkCases.valve(seed)
    val events = c.events.flatMap {
      case e: ValveEvent.Watermark => Vector(ValveEvent.Active(e.input), e)
      case e                       => Vector(e)
    }
    watermarks(ours(c.copy(events = events))) != watermarks(flink(c))
  }

  finds("an input that never comes back") { seed =>
    val c = WatermarkCases.valve(seed)
    watermarks(ours(c.copy(events = c.events.filterNot(_.isInstanceOf[ValveEvent.Active])))) != watermarks(flink(c))
  }

  finds("an idle timeout that is reached one millisecond early") { seed =>
    val c = WatermarkCases.generator(seed)
    c.setup.idleTimeout > 1 &&
    ours(c.copy(setup = c.setup.copy(idleTimeout = c.setup.idleTimeout - 1))) != flink(c)
  }

  finds("an out-of-orderness of one millisecond more") { seed =>
    val c = WatermarkCases.generator(seed)
    c.setup.kind match {
      case GeneratorKind.Bounded(delay) =>
        ours(c.copy(setup = c.setup.copy(kind = GeneratorKind.Bounded(delay + 1)))) != flink(c)
      case _ => false
    }
  }

  private def watermarks(answers: Answers): Seq[String] = answers.flatten.filter(isNumber)
}
