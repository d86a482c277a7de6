package dev.sparkwindowing.operator

import dev.sparkwindowing.assigners.EventTimeSessionWindows
import dev.sparkwindowing.codec.ValueCodec
import dev.sparkwindowing.contents.{ElementList, ListContents}
import dev.sparkwindowing.triggers.CountTrigger
import dev.sparkwindowing.windows.Window
import org.scalatest.funsuite.AnyFunSuite

import java.lang.{Long => JLong}
import java.time.Duration

class LateSessionSpec extends AnyFunSuite {
  private val spec = OperatorRules[JLong, ElementList[JLong]](
    EventTimeSessionWindows.withGap(Duration.ofMillis(20)),
    CountTrigger.of(10),
    Long.MaxValue,
    new ListContents[JLong](ValueCodec.long, identity)
  )

  private object Nowhere extends WindowOutput[JLong, ElementList[JLong]] {
    def fire(window: Window, contents: ElementList[JLong], pane: PaneInfo): Unit = ()
    def late(element: JLong, timestamp: Long, missed: Option[Window]): Unit      = ()
    def cleared(window: Window): Unit                                            = ()
  }

  // A lateness without end: no timer cleans the session up, and the last watermark of all ends it.
  test("a session that an element finds over is gone from the next block too") {
    val operator = new WindowOperator(spec, Nowhere)
    operator.open(null)
    operator.processElement(1L, 0)
    operator.processElement(2L, 20)
    val block = operator.close()

    operator.open(block)
    operator.setWatermark(Long.MaxValue)
    operator.processElement(3L, 19)

    assert(operator.windowCount == 0)
    assert(operator.hasChanged)
  }
}
