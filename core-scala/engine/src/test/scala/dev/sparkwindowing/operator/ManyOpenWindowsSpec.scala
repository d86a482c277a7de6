package dev.sparkwindowing.operator

import dev.sparkwindowing.assigners.{EventTimeSessionWindows, TumblingEventTimeWindows, WindowAssigner}
import dev.sparkwindowing.codec.ValueCodec
import dev.sparkwindowing.contents.AccumulatorContents
import dev.sparkwindowing.triggers.EventTimeTrigger
import dev.sparkwindowing.windows.Window
import org.scalatest.concurrent.TimeLimits
import org.scalatest.funsuite.AnyFunSuite
import org.scalatest.time.{Seconds, Span}

import java.time.Duration
import scala.util.Random

/** One key with very many open windows: what a micro-batch costs must not grow with the square of their number. */
class ManyOpenWindowsSpec extends AnyFunSuite with TimeLimits {
  private val Windows = 1000000

  private final class Counted extends WindowOutput[String, java.lang.Long] {
    var fired                                                                = 0L
    var elements                                                             = 0L
    def fire(window: Window, contents: java.lang.Long, pane: PaneInfo): Unit = {
      fired += 1
      elements += contents
    }
    def late(element: String, timestamp: Long, missed: Option[Window]): Unit = fail(s"$element is late")
    def cleared(window: Window): Unit                                        = ()
  }

  private def counting(
      out: Counted,
      assigner: WindowAssigner[String] = TumblingEventTimeWindows.of(Duration.ofMillis(10))
  ): WindowOperator[String, java.lang.Long] = {
    val contents = new AccumulatorContents[String, java.lang.Long](ValueCodec.long) {
      def createAccumulator(): java.lang.Long                         = 0L
      def add(n: java.lang.Long, element: String): java.lang.Long     = n + 1
      def merge(a: java.lang.Long, b: java.lang.Long): java.lang.Long = a + b
    }
    new WindowOperator(
      OperatorRules[String, java.lang.Long](assigner, EventTimeTrigger.create(), 0L, contents),
      out
    )
  }

  private def timed(what: String)(work: => Unit): Unit = {
    val start = System.nanoTime()
    work
    info(f"$what: ${(System.nanoTime() - start) / 1e9}%.2f s")
  }

  for (
    (kind, assigner) <- Seq(
      "tumbling windows" -> TumblingEventTimeWindows.of(Duration.ofMillis(10)),
      "sessions"         -> EventTimeSessionWindows.withGap(Duration.ofMillis(9))
    )
  ) test(s"$Windows $kind: the older half of them fires, in well under a minute") {
    val out      = new Counted
    val operator = counting(out, assigner)
    operator.open(null)
    timed("elements, each in a window of its own, in order") {
      (0 until Windows).foreach(i => operator.processElement("x", i * 10L))
    }
    var block = operator.close()
    failAfter(Span(20, Seconds)) {
      timed("half of them fire") {
        operator.open(block)
        operator.advanceWatermark(Windows * 5L - 1)
        block = operator.close()
      }
      timed("the rest fires") {
        operator.open(block)
        assert((out.fired, operator.windowCount) == ((Windows / 2, Windows / 2)))
        operator.advanceWatermark(Windows * 10L)
      }
    }
    assert((out.fired, out.elements, operator.isEmpty) == ((Windows, Windows, true)))
  }

  test("they come in any order") {
    val out      = new Counted
    val operator = counting(out)
    val shuffled = new Random(4).shuffle((0 until Windows / 10).toVector)
    operator.open(null)
    timed(s"${Windows / 10} elements, each in a window of its own, shuffled")(
      shuffled.foreach(i => operator.processElement("x", i * 10L))
    )
    val block = operator.close()
    operator.open(block)
    operator.advanceWatermark(Windows * 10L)
    assert((out.fired, out.elements, operator.isEmpty) == ((Windows / 10, Windows / 10, true)))
  }
}
