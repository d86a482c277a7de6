package dev.sparkwindowing.operator

import dev.sparkwindowing.assigners.{GlobalWindows, TumblingEventTimeWindows}
import dev.sparkwindowing.contents.ElementList
import dev.sparkwindowing.evictors.TimeEvictor
import dev.sparkwindowing.testing.{Happened, Kept, Outputs}
import dev.sparkwindowing.triggers.{ContinuousProcessingTimeTrigger, CountTrigger}
import org.scalatest.funsuite.AnyFunSuite

import java.time.Duration.ofMillis

/** Errors once found by random cases against Flink's operator, as time lines. */
class FoundByRandomCasesSpec extends AnyFunSuite {
  private type Contents = ElementList[String]

  private def operator(spec: OperatorRules[String, Contents]): (WindowOperator[String, Contents], Outputs[Contents]) = {
    val out      = new Outputs(Kept.AsList)
    val operator = new WindowOperator(spec, out)
    out.key = "k"
    operator.open(null)
    operator.setProcessingTime(0)
    (operator, out)
  }

  test("a continuous trigger of the clock fires once at the end of an event-time window, then never") {
    val every4      = ContinuousProcessingTimeTrigger.of(ofMillis(4))
    val tumbling    = TumblingEventTimeWindows.of(ofMillis(10))
    val (line, out) = operator(OperatorRules[String, Contents](tumbling, every4, 0, Kept.AsList.contents))
    line.processElement("a", 1)
    line.advanceProcessingTime(5, 5)
    assert(out.take() == Happened(Seq("k [0, 10) a"), Nil, Nil))
    line.advanceProcessingTime(20, 20)
    assert(out.take() == Happened(Seq("k [0, 10) a", "k [0, 10) a"), Nil, Nil)) // at 8 and 9
    line.processElement("b", 2)
    line.advanceProcessingTime(40, 40)
    assert(out.take() == Happened(Nil, Nil, Nil))
    line.advanceWatermark(9)
    assert(out.take() == Happened(Nil, Nil, Seq("k [0, 10)")))
  }

  test("a time evictor stops at an element without a timestamp behind one that has one") {
    val last3     = TimeEvictor.of[String](ofMillis(3))
    val global    = GlobalWindows.create()
    val (line, _) =
      operator(OperatorRules.evicting[String](global, CountTrigger.of(2), last3, 0, Kept.AsList.contents))
    line.processElement("a", 1)
    val e = intercept[IllegalStateException](line.processElement("b", Long.MinValue))
    assert(e.getMessage.contains("TimeEvictor(3 ms) found an element without a timestamp"))
  }
}
