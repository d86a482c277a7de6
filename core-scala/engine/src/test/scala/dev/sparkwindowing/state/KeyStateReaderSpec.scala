package dev.sparkwindowing.state

import dev.sparkwindowing.assigners.SlidingEventTimeWindows
import dev.sparkwindowing.codec.{BlockReader, BlockWriter, CorruptBlockException, ValueCodec}
import dev.sparkwindowing.functions.{KeyedStateStore, TimeDomain, ValueStateDescriptor}
import dev.sparkwindowing.operator.{ProcessCalls, ProcessOperator}
import dev.sparkwindowing.state.KeyStateReader.StateKind
import dev.sparkwindowing.testing.Kept
import dev.sparkwindowing.windows.WindowCollector
import org.scalatest.funsuite.AnyFunSuite

import java.time.Duration.ofMillis

/** Tests a reader without trigger and contents, on the sample keys after the same elements, with watermark 12 and
  * processing time 1000.
  */
class KeyStateReaderSpec extends AnyFunSuite {
  private val elements = Seq("a@1", "bb@3", "ccccc@14", "d@31", "e@17", "a@2")

  private def read(key: String, kept: StateKind = StateKind.Windows, lateness: Long = 0): KeyView =
    new KeyStateReader(kept, lateness).read(SampleKey.all.find(_.name == key).get.after(elements: _*))

  private def shown(windows: Seq[WindowView]): Seq[String] = windows.map { w =>
    val bounds   = if (WindowCollector.isGlobal(w.start, w.end)) "[global]" else s"[${w.start}, ${w.end})"
    val contents = w.contents.map(bytes => text(bytes))
    val facts    = Seq(
      contents.map(" " + _),
      some(w.numbers.toSeq.sorted, "numbers"),
      some(w.values.keys.toSeq.sorted, "values"),
      some(w.eventTimers, "event"),
      some(w.processingTimers, "clock"),
      Some(w.firings).filter(_ > 0).map(n => s" fired $n")
    )
    bounds + facts.flatten.mkString
  }

  private def text(bytes: Array[Byte]): String = ValueCodec.string.read(new BlockReader().open(bytes, 0, bytes.length))

  private def some(all: Seq[_], name: String) = if (all.isEmpty) None else Some(all.mkString(s" $name ", " ", ""))

  test("windows with their contents, and the timers at their ends") {
    assert(shown(read("tumbling").windows) == Seq("[10, 20) ccccc e event 19", "[30, 40) d event 39"))
  }

  test("the timer at a clean-up is later by the allowed lateness") {
    val late = shown(read("sessions", StateKind.Sessions, lateness = 20).windows)
    assert(late == Seq("[1, 8) a bb a event 27", "[14, 22) ccccc e event 21 41", "[31, 36) d event 35 55"))
  }

  test("what a trigger counts, and how often a window has fired where that is remembered") {
    val counting = shown(read("sliding").windows)
    assert(counting.contains("[15, 25) e numbers (0,1) event 24"))
    val panes = shown(read("sessions_panes", StateKind.Sessions, lateness = 20).windows)
    assert(panes.exists(_.endsWith("fired 1")))
  }

  test("the global window, values of a trigger, timers that a trigger has set") {
    assert(
      shown(read("global").windows) == Seq("[global] a bb ccccc d e a numbers (0,2) values 0 event 9223372036854775807")
    )
    assert(shown(read("delta").windows).head.contains("values 0"))
    assert(shown(read("timeout").windows) == Seq("[global] a bb ccccc d e a numbers (0,6) (1,1290) clock 1290"))
    assert(shown(read("continuous").windows) == Seq("[0, 50) a bb ccccc d e a numbers (0,14) event 14 49"))
  }

  test("a slice fires with the first window that it is in") {
    val grid   = SlidingEventTimeWindows.of(ofMillis(20), ofMillis(5)).slices.get
    val slices = shown(read("slices", StateKind.Slices(Seq(grid))).windows)
    assert(
      slices == Seq("[0, 5) a bb a event 14", "[10, 15) ccccc event 14", "[15, 20) e event 19", "[30, 35) d event 34")
    )
  }

  test("what functions remember of the key, by name") {
    val own = read("function_state").own.get
    assert(own.state.keySet == Set("firings") && own.eventTimers.isEmpty)
    assert(own.state("firings").value.toSeq == bytesOf(_.signed(1)))
  }

  private def bytesOf(write: BlockWriter => Unit): Seq[Byte] = {
    val out = new BlockWriter
    write(out)
    out.toBytes.toSeq
  }

  test("state of a window that is not remembered for anything else has a line of its own") {
    val state = new KeyState[String](contents, 0, IndexedSeq.empty)
    stateOf(state, FunctionState.OfWindow(0, 10)).getState(seen).update("yes")
    val view = new KeyStateReader(StateKind.Windows, 0).read(new KeyStateCodec[String](contents).encode(state))
    assert(view.own.isEmpty && view.windows.map(w => (w.start, w.end, w.state.keySet)) == Seq((0, 10, Set("seen"))))
  }

  private val contents = Kept.AsAccumulator.contents
  private val seen     = ValueStateDescriptor("seen", ValueCodec.string)

  private def stateOf(state: KeyState[_], scope: FunctionState.Scope): KeyedStateStore =
    new ScopedStateStore(state.functions, scope)

  test("without windows the timers are the key's") {
    val operator = new ProcessOperator[String](new ProcessCalls[String] {
      def processElement(element: String, timestamp: Long): Unit = ()
      def onTimer(time: Long, domain: TimeDomain): Unit          = ()
    })
    operator.open(null)
    Seq(70L, 30L).foreach(operator.registerEventTimeTimer)
    operator.registerProcessingTimeTimer(1500)
    val view = new KeyStateReader(StateKind.NoWindows, 0).read(operator.close())
    assert(
      view.windows.isEmpty && view.own.map(o => (o.eventTimers, o.processingTimers)) == Some((Seq(30, 70), Seq(1500)))
    )
  }

  test("a timer without anything else is a line of its own, but not that of a session that is no more") {
    val state = new KeyState[String](contents, 0, IndexedSeq.empty)
    state.eventTimers.add(5, 0, 10)
    val block = new KeyStateCodec[String](contents).encode(state)
    assert(shown(new KeyStateReader(StateKind.Windows, 0).read(block).windows) == Seq("[0, 10) event 5"))
    assert(new KeyStateReader(StateKind.Sessions, 0).read(block).windows.isEmpty)
  }

  test("a damaged block is refused, and the next one is read") {
    val block  = SampleKey.all.head.after(elements: _*)
    val reader = new KeyStateReader(StateKind.Windows, 0)
    intercept[CorruptBlockException](reader.read(block.updated(3, (block(3) ^ 1).toByte)))
    assert(reader.read(block).windows.size == 2)
  }
}
