package dev.sparkwindowing.operator

import dev.sparkwindowing.codec.ValueCodec
import dev.sparkwindowing.functions.{TimeDomain, ValueStateDescriptor}
import dev.sparkwindowing.state.{FunctionState, ScopedStateStore}
import dev.sparkwindowing.testing.MemoryCell
import dev.sparkwindowing.triggers.TriggerContext
import org.scalatest.funsuite.AnyFunSuite

/** Elements and timers of a key without windows. An element is a command: `e 5` sets an event-time timer, `c 5` a
  * processing-time timer, `-e 5` and `-c 5` delete them. Anything else is stored.
  */
class ProcessOperatorSpec extends AnyFunSuite {

  private final class Line {
    private val last    = ValueStateDescriptor("last", ValueCodec.string)
    private var lines   = List.empty[String]
    private var current = make(null)

    private def make(block: Array[Byte]): ProcessOperator[String] = {
      lazy val operator: ProcessOperator[String] = new ProcessOperator(new ProcessCalls[String] {
        def processElement(element: String, timestamp: Long): Unit = element.split(" ") match {
          case Array("e", time)  => operator.registerEventTimeTimer(time.toLong)
          case Array("c", time)  => operator.registerProcessingTimeTimer(time.toLong)
          case Array("-e", time) => operator.deleteEventTimeTimer(time.toLong)
          case Array("-c", time) => operator.deleteProcessingTimeTimer(time.toLong)
          case Array("forget")   => store(operator).clear()
          case _                 => store(operator).update(element)
        }
        def onTimer(time: Long, domain: TimeDomain): Unit =
          lines :+= s"$domain $time ${store(operator).value.getOrElse("-")}"
      })
      operator.open(block)
      operator
    }

    private def store(o: ProcessOperator[String]) =
      new ScopedStateStore(o.functionState, FunctionState.OfKey).getState(last)

    def operator: ProcessOperator[String] = current

    def elements(all: String*): Unit = all.foreach(operator.processElement(_, 0L))

    /** Output of the timers at these times, from a restored block. */
    def at(watermark: Long = Long.MinValue, clock: Long = Long.MinValue): List[String] = {
      current = make(current.close())
      if (watermark != Long.MinValue) operator.advanceWatermark(watermark, watermark)
      if (clock != Long.MinValue) operator.advanceProcessingTime(clock, clock)
      val all = lines
      lines = Nil
      all
    }
  }

  test("timers of both clocks fire in order, once, with what is remembered") {
    val t = new Line
    t.elements("e 7", "e 3", "e 7", "c 3", "x")
    assert(t.operator.nextEventTimer == 3 && t.operator.nextProcessingTimer == 3)
    assert(t.operator.eventTimerCount == 2 && t.operator.processingTimerCount == 1)
    assert(t.at(watermark = 2, clock = 2) == Nil)
    assert(t.at(watermark = 7, clock = 3) == List("EventTime 3 x", "EventTime 7 x", "ProcessingTime 3 x"))
    assert(t.at(watermark = 100, clock = 100) == Nil)
  }

  test("a deleted timer does not fire, and a key with nothing is empty") {
    val t = new Line
    t.elements("e 5", "c 5", "-e 5", "-c 5", "-c 6")
    assert(t.operator.isEmpty)
    assert(t.operator.nextEventTimer == StateCell.NoTimer)
    t.elements("x")
    assert(!t.operator.isEmpty)
    t.elements("forget")
    assert(t.operator.isEmpty)
  }

  test("a timer that sets the next within the same time is fired at once, one without end is stopped") {
    var left                                   = 3
    lazy val operator: ProcessOperator[String] = new ProcessOperator(new ProcessCalls[String] {
      def processElement(element: String, timestamp: Long): Unit = operator.registerEventTimeTimer(1)
      def onTimer(time: Long, domain: TimeDomain): Unit          = {
        left -= 1
        if (left != 0) operator.registerEventTimeTimer(time + 1)
      }
    })
    operator.open(null)
    operator.processElement("x", 0)
    operator.advanceWatermark(100, 100)
    assert(left == 0 && operator.isEmpty)
    operator.processElement("x", 0)
    val e = intercept[IllegalStateException](operator.advanceWatermark(Long.MaxValue, Long.MaxValue))
    assert(e.getMessage.contains("more than 1000000 timers of one key came due in one step"))
  }

  // What is called for a timer, of a key that has set one at 0.
  private def after(answer: (ProcessOperator[String], Long) => Unit): ProcessOperator[String] = {
    lazy val operator: ProcessOperator[String] = new ProcessOperator(new ProcessCalls[String] {
      def processElement(element: String, timestamp: Long): Unit = operator.registerProcessingTimeTimer(0)
      def onTimer(time: Long, domain: TimeDomain): Unit          = answer(operator, time)
    })
    operator.open(null)
    operator.processElement("x", 0)
    operator
  }

  private val many = TriggerContext.MaxTimerCalls

  test("a timer that sets the next one is called up to the clock, however long that has stood still") {
    var calls    = 0
    val operator = after { (o, time) =>
      calls += 1
      o.registerProcessingTimeTimer(time + 1)
    }
    operator.advanceProcessingTime(2L * many, 2L * many)
    assert(calls == 2 * many + 1)
    assert(operator.nextProcessingTimer == 2L * many + 1)
  }

  test("timers that do not get past a time are stopped, whatever the clock") {
    val loops = Seq[(String, (ProcessOperator[String], Long) => Unit)](
      "the same again"    -> ((o, time) => o.registerProcessingTimeTimer(time)),
      "ever earlier ones" -> ((o, time) => o.registerProcessingTimeTimer(time - 1)),
      "back and forth"    -> ((o, time) => o.registerProcessingTimeTimer(if (time == 0) -1 else 0))
    )
    for ((name, answer) <- loops) {
      val operator = after(answer)
      val e        = intercept[IllegalStateException](operator.advanceProcessingTime(5, 5))
      assert(e.getMessage.contains("of one key"), name)
    }
  }

  // State of a key that each element sets anew, to expire ten milliseconds of a clock after it.
  private final class Expiring(clock: TimeDomain) {
    import FunctionState.OfKey
    val cell                                           = new MemoryCell
    private var seen                                   = List.empty[String]
    private lazy val operator: ProcessOperator[String] = new ProcessOperator(new ProcessCalls[String] {
      def processElement(element: String, timestamp: Long): Unit = {
        val now = if (clock == TimeDomain.EventTime) timestamp else operator.currentProcessingTime
        operator.functionState.put(OfKey, "x", element, ValueCodec.string)
        operator.functionState.setExpiry("x", clock, now + 10)
        if (timestamp == 7) operator.registerEventTimeTimer(15)
      }
      def onTimer(time: Long, domain: TimeDomain): Unit =
        seen :+= s"$time ${operator.functionState.get(OfKey, "x", ValueCodec.string).getOrElse("-")}"
    })
    private val step = new Step[String](operator, _.toLong, false)

    def at(watermark: Long, now: Long, rows: Long*): List[String] = {
      cell.previousWatermark = cell.watermark
      cell.watermark = watermark
      cell.processingTime = now
      step.run(rows.iterator.map(_.toString), cell)
      val all = seen
      seen = Nil
      all
    }
  }

  test("state that expires asks for a call at its time and leaves no state; timers up to then come first") {
    val t = new Expiring(TimeDomain.EventTime)
    t.at(0, 0, 5)
    assert(t.cell.nextEventTimer == 15 && t.cell.nextProcessingTimer == StateCell.NoTimer)
    assert(t.cell.timers == 0, "it is no timer")
    t.at(14, 100, 7)
    assert(t.cell.nextEventTimer == 15)
    assert(t.at(16, 100) == List("15 7"))
    assert(t.cell.nextEventTimer == 17 && t.cell.block != null)
    assert(t.at(17, 100) == Nil)
    assert(t.cell.block == null)
    val late = new Expiring(TimeDomain.EventTime)
    late.at(30, 0, 5)
    assert(late.cell.block != null, "its time has come already, and waits for the next advance as timers do")
    late.at(31, 0)
    assert(late.cell.block == null)
    val clock = new Expiring(TimeDomain.ProcessingTime)
    clock.at(0, 100, 5)
    assert(clock.cell.nextProcessingTimer == 110 && clock.cell.nextEventTimer == StateCell.NoTimer)
    clock.at(50, 109)
    assert(clock.cell.block != null)
    clock.at(50, 110)
    assert(clock.cell.block == null)
  }
}
