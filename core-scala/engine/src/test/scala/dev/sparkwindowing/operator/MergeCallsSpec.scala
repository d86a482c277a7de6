package dev.sparkwindowing.operator

import dev.sparkwindowing.assigners.EventTimeSessionWindows
import dev.sparkwindowing.codec.ValueCodec
import dev.sparkwindowing.contents.AccumulatorContents
import dev.sparkwindowing.testing.{Kept, Outputs}
import dev.sparkwindowing.triggers.EventTimeTrigger
import org.scalatest.funsuite.AnyFunSuite

import java.time.Duration.ofMillis

/** Counts merges of session accumulators: `3.` is an element, `(1. 2.)` two merged ones. */
class MergeCallsSpec extends AnyFunSuite {

  private object Shown extends AccumulatorContents[String, String](ValueCodec.string) {
    def createAccumulator(): String                = ""
    def add(all: String, element: String): String  = s"$all$element."
    def merge(kept: String, other: String): String = s"($kept $other)"
  }

  private def session(elements: (String, Long)*): String = {
    val out      = new Outputs(Kept.AsAccumulator)
    val windows  = EventTimeSessionWindows.withGap(ofMillis(10))
    val operator = new WindowOperator(OperatorRules(windows, EventTimeTrigger.create(), 0L, Shown), out)
    out.key = "a"
    operator.open(null)
    elements.foreach { case (element, at) => operator.processElement(element, at) }
    operator.advanceWatermark(1000)
    out.take().fires.mkString("; ")
  }

  test("mistake 17: an element that extends a session is added, nothing is merged") {
    assert(session("1" -> 0, "2" -> 8, "3" -> 16, "4" -> -5) == "a [-5, 26) 1.2.3.4.")
  }

  test("mistake 17: two sessions that join are merged before the element is added") {
    assert(session("1" -> 0, "2" -> 18, "3" -> 9) == "a [0, 28) (1. 2.)3.")
  }
}
