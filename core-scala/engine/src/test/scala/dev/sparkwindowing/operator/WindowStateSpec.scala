package dev.sparkwindowing.operator

import dev.sparkwindowing.assigners.{GlobalWindows, TumblingEventTimeWindows, WindowAssigner}
import dev.sparkwindowing.codec.ValueCodec
import dev.sparkwindowing.functions.ValueStateDescriptor
import dev.sparkwindowing.state.{FunctionState, ScopedStateStore}
import dev.sparkwindowing.testing.Kept
import dev.sparkwindowing.triggers.{CountTrigger, PurgingTrigger, Trigger}
import dev.sparkwindowing.windows.{TimeWindow, Window}
import org.scalatest.funsuite.AnyFunSuite

import java.lang.{Long => JLong}
import java.time.Duration

/** State of a window outlives firings and purges, and its clean-up too unless the function drops it there. */
class WindowStateSpec extends AnyFunSuite {

  private final class Counting(assigner: WindowAssigner[String], trigger: Trigger[String], drops: Boolean) {
    private val firings = ValueStateDescriptor[JLong]("firings", ValueCodec.long)
    private var lines   = List.empty[String]
    private val spec    = OperatorRules[String, String](assigner, trigger, 0L, Kept.AsAccumulator.contents)
    private val out     = new WindowOutput[String, String] {
      def fire(window: Window, contents: String, pane: PaneInfo): Unit = {
        val state = stateOf(window).getState(firings)
        val n     = state.value.fold(0L)(_.longValue) + 1
        state.update(n)
        lines :+= s"$window $contents firing $n"
      }
      def late(element: String, timestamp: Long, missed: Option[Window]): Unit = ()
      def cleared(window: Window): Unit                                        = {
        lines :+= s"$window cleared after ${stateOf(window).getState(firings).value.fold(0L)(_.longValue)}"
        if (drops) stateOf(window).getState(firings).clear()
      }
    }
    var operator: WindowOperator[String, String] = new WindowOperator(spec, out)
    operator.open(null)

    private def stateOf(window: Window) = new ScopedStateStore(
      operator.functionState,
      window match {
        case TimeWindow(start, end) => FunctionState.OfWindow(start, end)
        case _                      => FunctionState.OfWindow(Long.MinValue, Long.MinValue)
      }
    )

    def restore(): Unit = {
      val block = operator.close()
      operator = new WindowOperator(spec, out)
      operator.open(block)
    }

    def take(): List[String] = {
      val all = lines
      lines = Nil
      all
    }
  }

  private val tumbling = TumblingEventTimeWindows.of(Duration.ofMillis(10))
  private val purging  = PurgingTrigger.of[String](CountTrigger.of(1))

  test("it survives a purge and a restore, and goes when the function drops it at the clean-up") {
    val t = new Counting(tumbling, purging, drops = true)
    t.operator.processElement("a", 1)
    t.restore()
    t.operator.processElement("b", 2)
    assert(t.take() == List("[0, 10) a firing 1", "[0, 10) b firing 2"))
    t.operator.advanceWatermark(9)
    assert(t.take() == List("[0, 10) cleared after 2"))
    assert(t.operator.isEmpty)
  }

  test("mistake 16: the clean-up does not drop it by itself") {
    val t = new Counting(tumbling, purging, drops = false)
    t.operator.processElement("a", 1)
    t.operator.advanceWatermark(9)
    assert(t.take() == List("[0, 10) a firing 1", "[0, 10) cleared after 1"))
    assert(!t.operator.isEmpty && t.operator.windowCount == 0)
  }

  test("a window that never fired is cleared too, once") {
    val t = new Counting(tumbling, CountTrigger.of(2), drops = true)
    t.operator.processElement("a", 1)
    t.operator.advanceWatermark(9)
    t.operator.advanceWatermark(100)
    assert(t.take() == List("[0, 10) cleared after 0"))
  }

  test("the global window has it for ever") {
    val t = new Counting(GlobalWindows.create(), purging, drops = true)
    t.operator.processElement("a", 1)
    t.operator.advanceWatermark(Long.MaxValue - 1)
    t.restore()
    t.operator.processElement("b", 1)
    assert(t.take() == List("[global] a firing 1", "[global] b firing 2"))
  }
}
