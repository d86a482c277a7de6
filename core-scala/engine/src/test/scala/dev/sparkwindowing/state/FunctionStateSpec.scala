package dev.sparkwindowing.state

import dev.sparkwindowing.codec.{CorruptBlockException, ValueCodec}
import dev.sparkwindowing.functions.{
  AggregatingStateDescriptor,
  ListStateDescriptor,
  MapStateDescriptor,
  ReducingStateDescriptor,
  TimeDomain,
  ValueStateDescriptor
}
import dev.sparkwindowing.testing.Kept
import org.scalatest.funsuite.AnyFunSuite

import java.lang.{Long => JLong}

/** Tests function state: by name, of a key or of a window, through any number of restores. */
class FunctionStateSpec extends AnyFunSuite {
  private val contents = Kept.AsAccumulator.contents

  private def newState() = new KeyState[String](contents, 0, IndexedSeq.empty)

  private def restored(state: KeyState[String]): KeyState[String] = {
    val next = newState()
    new KeyStateCodec(contents).decode(new KeyStateCodec(contents).encode(state), next)
    next
  }

  private def ofKey(state: KeyState[String]) = new ScopedStateStore(state.functions, FunctionState.OfKey)
  private def ofWindow(state: KeyState[String], start: Long) =
    new ScopedStateStore(state.functions, FunctionState.OfWindow(start, start + 10))

  private val text  = ValueStateDescriptor("text", ValueCodec.string)
  private val list  = ListStateDescriptor("list", ValueCodec.string)
  private val most  = ReducingStateDescriptor[JLong]("most", (a, b) => math.max(a, b), ValueCodec.long)
  private val total = AggregatingStateDescriptor[Int, JLong, String](
    "total",
    () => 0L,
    (sum, n) => sum + n,
    sum => s"sum $sum",
    ValueCodec.long
  )
  private val map = MapStateDescriptor("map", ValueCodec.string, ValueCodec.long)

  test("every kind of state comes back") {
    val state = newState()
    val store = ofKey(state)
    store.getState(text).update("here")
    store.getListState(list).add("a")
    store.getListState(list).addAll(Seq("b", "c"))
    Seq(3L, 7L, 5L).foreach(store.getReducingState(most).add(_))
    Seq(1, 2).foreach(store.getAggregatingState(total).add)
    Seq("z" -> 1L, "a" -> 2L, "m" -> 3L).foreach { case (k, v) => store.getMapState(map).put(k, v) }
    val found = ofKey(restored(restored(state)))
    assert(found.getState(text).value.contains("here"))
    assert(found.getListState(list).get == Seq("a", "b", "c"))
    assert(found.getReducingState(most).get == Some(7L))
    assert(found.getAggregatingState(total).get.contains("sum 3"))
    assert(found.getMapState(map).entries == Seq("z" -> 1L, "a" -> 2L, "m" -> 3L))
    assert(found.getMapState(map).get("a") == Some(2L) && !found.getMapState(map).contains("b"))
  }

  test("what was never set is empty") {
    val store = ofKey(newState())
    assert(store.getState(text).value.isEmpty)
    assert(store.getListState(list).get.isEmpty)
    assert(store.getReducingState(most).get.isEmpty)
    assert(store.getAggregatingState(total).get.isEmpty)
    assert(store.getMapState(map).isEmpty)
  }

  test("windows and the key have their own") {
    val state  = newState()
    val global = new ScopedStateStore(state.functions, FunctionState.OfWindow(Long.MinValue, Long.MinValue))
    ofKey(state).getState(text).update("key")
    ofWindow(state, 0).getState(text).update("first")
    ofWindow(state, -10).getState(text).update("before")
    global.getState(text).update("global")
    val back = restored(state)
    assert(ofKey(back).getState(text).value.contains("key"))
    assert(ofWindow(back, 0).getState(text).value.contains("first"))
    assert(ofWindow(back, -10).getState(text).value.contains("before"))
    assert(ofWindow(back, 10).getState(text).value.isEmpty)
  }

  test("a key is empty when the last value was cleared, and every change is noticed") {
    val state = newState()
    assert(state.isEmpty)
    ofWindow(state, 0).getListState(list).add("a")
    ofKey(state).getMapState(map).put("a", 1L)
    assert(!state.isEmpty && state.changed)
    state.changed = false
    ofWindow(state, 0).getListState(list).clear()
    assert(state.changed && !state.isEmpty)
    ofKey(state).getMapState(map).remove("a")
    assert(state.isEmpty)
    state.changed = false
    ofKey(state).getState(text).clear()
    assert(!state.changed, "nothing was there")
  }

  test("a value that nobody asked for stays as it was written") {
    val state = newState()
    ofKey(state).getState(text).update("here")
    val once  = new KeyStateCodec(contents).encode(state)
    val twice = new KeyStateCodec(contents).encode(restored(restored(state)))
    assert(once.toSeq == twice.toSeq)
  }

  test("values of the key expire, each at its time of its clock, also behind a restore") {
    import FunctionState.{Never, OfKey}
    import TimeDomain.{EventTime, ProcessingTime}
    val first = newState()
    Seq("a", "b", "c", "d").foreach(first.functions.put(OfKey, _, "here", ValueCodec.string))
    first.functions.setExpiry("a", EventTime, 10)
    first.functions.setExpiry("b", EventTime, 20)
    first.functions.setExpiry("c", ProcessingTime, -5)
    first.functions.setExpiry("none", EventTime, 1)
    val state        = restored(restored(first))
    val functions    = state.functions
    def left: String = Seq("a", "b", "c", "d").filter(functions.get(OfKey, _, ValueCodec.string).nonEmpty).mkString
    def next(c: TimeDomain) = functions.nextExpiry(c)
    assert(functions.expiry("b") == 20 && functions.expiry("d") == Never && functions.expiry("none") == Never)
    assert(next(EventTime) == 10 && next(ProcessingTime) == -5)
    assert(!functions.isExpired("b", 19) && functions.isExpired("b", 20))
    assert(!functions.isExpired("d", Long.MaxValue), "not even at the end of time")
    state.changed = false
    functions.expire(EventTime, 9)
    assert(left == "abcd" && !state.changed)
    functions.expire(EventTime, 10)
    assert(left == "bcd" && state.changed && next(EventTime) == 20)
    functions.put(OfKey, "b", "again", ValueCodec.string)
    assert(functions.expiry("b") == Never, "a new value has none until it is given one")
    functions.expire(EventTime, Long.MaxValue)
    functions.expire(ProcessingTime, Long.MaxValue)
    assert(left == "bd")
  }

  test("a block cut short in it is a corrupt block") {
    val state = newState()
    ofWindow(state, 0).getState(text).update("here")
    ofKey(state).getState(text).update("here")
    state.functions.setExpiry("text", TimeDomain.EventTime, 7)
    val block = new KeyStateCodec(contents).encode(state)
    for (length <- block.indices)
      intercept[CorruptBlockException](new KeyStateCodec(contents).decode(block.take(length), newState()))
  }
}
