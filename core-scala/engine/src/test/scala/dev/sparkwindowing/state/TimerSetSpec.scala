package dev.sparkwindowing.state

import dev.sparkwindowing.codec.{BlockReader, BlockWriter}
import dev.sparkwindowing.testing.Properties
import org.scalacheck.Gen

import scala.collection.immutable.SortedSet

/** Timers against a sorted set. */
class TimerSetSpec extends Properties {
  private type Timer = (Long, Long, Long)

  private sealed trait Op
  private case class Add(timer: Timer)                 extends Op
  private case class Remove(timer: Timer)              extends Op
  private case class RemoveAll(start: Long, end: Long) extends Op
  private case object TakeFirst                        extends Op
  private case object WriteAndRead                     extends Op
  private case object Clear                            extends Op

  // Few different timers, so that the same one comes again.
  private def ops(number: Gen[Long]): Gen[List[Op]] = {
    val timer = Gen.zip(number, number, number)
    val op    = Gen.frequency[Op](
      10 -> timer.map(Add),
      4  -> timer.map(Remove),
      1  -> Gen.zip(number, number).map { case (start, end) => RemoveAll(start, end) },
      4  -> Gen.const(TakeFirst),
      1  -> Gen.const(WriteAndRead)
    )
    Gen.choose(0, 120).flatMap(Gen.listOfN(_, Gen.frequency(60 -> op, 1 -> Gen.const[Op](Clear))))
  }

  private def check(ops: List[Op]): Unit = {
    var timers = new TimerSet
    var model  = SortedSet.empty[Timer]
    ops.foreach {
      case Add(t) =>
        assert(timers.add(t._1, t._2, t._3) == !model(t))
        model += t
      case Remove(t) =>
        assert(timers.remove(t._1, t._2, t._3) == model(t))
        model -= t
      case RemoveAll(start, end) =>
        timers.removeAll(start, end)
        model = model.filterNot(t => t._2 == start && t._3 == end)
      case TakeFirst =>
        if (model.nonEmpty) {
          timers.removeHead()
          model -= model.head
        }
      case WriteAndRead => timers = copy(timers)
      case Clear        =>
        timers.clear()
        model = SortedSet.empty
    }
    assert(drain(timers) == model.toList)
  }

  private def copy(timers: TimerSet): TimerSet = {
    val out = new BlockWriter(1)
    timers.write(out)
    val in   = new BlockReader().open(out.toBytes, 0, out.size)
    val read = new TimerSet
    read.read(in)
    assert(in.remaining == 0)
    read
  }

  private def drain(timers: TimerSet): List[Timer] = {
    val out  = List.newBuilder[Timer]
    var size = timers.size
    while (!timers.isEmpty) {
      assert(timers.size == size)
      out += ((timers.headTime, timers.headStart, timers.headEnd))
      timers.removeHead()
      size -= 1
    }
    out.result()
  }

  property("any adding and removing among few timers", ops(Gen.choose(0L, 3L)), 500)(check)
  property("any adding and removing among all timers", ops(anyLong), 500)(check)

  test("the earlier of two sets by time, then start, then end") {
    def of(t: Timer) = {
      val s = new TimerSet
      s.add(t._1, t._2, t._3)
      s
    }
    assert(of((1, 9, 9)).isBefore(of((2, 0, 0))))
    assert(of((1, 0, 9)).isBefore(of((1, 1, 0))))
    assert(of((1, 1, 0)).isBefore(of((1, 1, 1))))
    assert(!of((1, 1, 1)).isBefore(of((1, 1, 1))))
    assert(of((Long.MinValue, 0, 0)).isBefore(of((Long.MaxValue, 0, 0))))
  }
}
