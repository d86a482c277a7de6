package dev.sparkwindowing.state

import dev.sparkwindowing.codec.ValueCodec
import dev.sparkwindowing.contents.ListContents
import org.scalatest.funsuite.AnyFunSuite

import scala.util.Random

/** The records of a key beside a plain sequence, through long random runs of everything that moves them. */
class KeyStateSpec extends AnyFunSuite {

  private def blankState = new KeyState(new ListContents[String](ValueCodec.string, identity), 0, IndexedSeq.empty)

  for (seed <- 1 to 20) test(s"records are those of a sequence, run $seed") {
    val random = new Random(seed.toLong)
    val state  = blankState
    var model  = Vector.empty[Long] // the starts; those that are odd have a timer and so are not blank
    // Grows at first, is about as large for a while, then shrinks.
    for (i <- 0 until 600) {
      val start = random.nextInt(100000).toLong
      random.nextInt(if (i < 200) 4 else if (i < 400) 8 else 12) match {
        case 0 | 1 | 2 | 3 =>
          val at = state.search(start, start + 1)
          if (at < 0) {
            val r = state.insert(-at - 1, start, start + 1)
            assert(r.isBlank)
            if (start % 2 == 1) r.timers = WindowRecord.EventEnd
            model = (model :+ start).sorted
          } else assert(model(at) == start)
        case 4 | 8 | 9 if model.nonEmpty =>
          val at = random.nextInt(model.size)
          state.remove(at)
          model = model.patch(at, Nil, 1)
        case 5 | 10 =>
          val count = random.nextInt(model.size / 4 + 1)
          state.removeFirst(count)
          model = model.drop(count)
        case 6 if random.nextInt(10) == 0 =>
          state.removeBlanks()
          model = model.filter(_ % 2 == 1)
        case 7 | 11 if model.size > 2 =>
          val from  = random.nextInt(model.size - 1)
          val until = from + 1 + random.nextInt(math.min(3, model.size - 1 - from))
          val last  = state.record(model.size - 1)
          // What takes the place of some has their bounds, so that all stay sorted.
          last.reset(model(from), model(from) + 1)
          if (model(from) % 2 == 1) last.timers = WindowRecord.EventEnd
          assert(state.replace(from, until) eq last)
          model = (model.take(from) :+ model(from)) ++ model.slice(until, model.size - 1)
        case _ => ()
      }
      val records = (0 until state.size).map(state.record)
      assert(records.map(_.start) == model, s"after $i steps")
      assert(records.distinct.size == records.size, s"a record twice, after $i steps")
      model.indices.foreach(at => assert(state.search(model(at), model(at) + 1) == at))
    }
    state.clear()
    assert(state.isEmpty)
    assert((0 until 50).map(i => state.append(i.toLong, i + 1L)).distinct.size == 50)
  }
}
