package dev.sparkwindowing.spark.portable

import dev.sparkwindowing.declaration.PartSpec
import dev.sparkwindowing.operator.StateCell
import dev.sparkwindowing.triggers.{CountTrigger, EventTimeTrigger, Trigger}
import org.apache.spark.api.java.Optional
import org.apache.spark.sql.streaming.TestGroupState
import org.scalatest.funsuite.AnyFunSuite

/** The stored state of a key: its header, and who may read it. */
class PortableStateSpec extends AnyFunSuite {
  private val block = Array[Byte](1, 2, 3)
  private val bytes = PortableState.write(new PortableState(7, 1999, 9999, block))

  private def cell(timers: PortableTimers, query: Long = 7) = new GroupCell(timers, true, query, _ => ())

  private def group(timers: PortableTimers, watermark: Long = 5000) = TestGroupState.create[Array[Byte]](
    Optional.of(bytes),
    timers.timeout,
    1000L,
    Optional.of(watermark),
    false
  )

  test("version 1: a byte, three numbers of eight bytes, the block") {
    val hex = bytes.map(b => f"$b%02x").mkString
    assert(hex == "01" + "0000000000000007" + "00000000000007cf" + "000000000000270f" + "010203")
    val read = PortableState.read(bytes, 7)
    assert((read.watermark, read.timer, read.block.toSeq) == ((1999L, 9999L, block.toSeq)))
  }

  test("a fingerprint is that of every build, also where a trigger has learnt how another one can replace it") {
    def of(trigger: Trigger[Any]) = PortableState.fingerprint(trigger.spec.asInstanceOf[PartSpec])
    assert(of(CountTrigger.of(3)) == -8827479490465723423L)
    assert(of(EventTimeTrigger.create()) == -7331947968297367074L)
  }

  test("another version and a state without header are refused") {
    val other = bytes.clone()
    other(0) = 2
    assert(intercept[IllegalStateException](PortableState.read(other, 7)).getMessage.contains("version 2"))
    assert(intercept[IllegalStateException](PortableState.read(Array(), 7)).getMessage.contains("version none"))
  }

  test("the state of another query is refused where its block is read, so that the error names the key") {
    val opened = cell(PortableTimers.EventTime, query = 8).open(group(PortableTimers.EventTime))
    assert(intercept[IllegalStateException](opened.block).getMessage.contains("the query was changed"))
  }

  test("a timeout is set again at a call that changes nothing, never behind the watermark") {
    Seq(5000L -> 9999L, 20000L -> 20000L).foreach { case (watermark, timeout) =>
      val state = group(PortableTimers.EventTime, watermark)
      cell(PortableTimers.EventTime).open(state).close()
      assert(state.getTimeoutTimestampMs.get == timeout)
      assert(!state.isUpdated)
    }
  }

  test("a timer of a clock that the query has no timeout for is refused by name") {
    def saved(timers: PortableTimers, event: Long, processing: Long): String =
      intercept[UnsupportedOperationException](
        cell(timers).open(group(timers)).save(block, event, processing, 1, 1, 1)
      ).getMessage
    assert(saved(PortableTimers.EventTime, 1, 1).contains("a timer of processing time was set"))
    assert(saved(PortableTimers.None, 1, StateCell.NoTimer).contains("a timer of event time was set"))
    assert(saved(PortableTimers.ProcessingTime, 1, 1).contains("override setsTimers"))
  }
}
