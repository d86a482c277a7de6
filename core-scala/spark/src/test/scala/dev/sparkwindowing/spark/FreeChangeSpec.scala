package dev.sparkwindowing.spark

import dev.sparkwindowing.assigners.{EventTimeSessionWindows, TumblingEventTimeWindows}
import dev.sparkwindowing.evictors.CountEvictor
import dev.sparkwindowing.triggers.CountTrigger
import dev.sparkwindowing.{KeyedStream, SparkWindowing, WindowedStream}
import org.apache.spark.sql.functions._
import org.apache.spark.sql.{Column, DataFrame}
import org.scalatest.funsuite.AnyFunSuite

import java.time.Duration.ofSeconds

/** Changes of a query that move no timer, and so read no key when it starts: what a part says of its own arguments. */
class FreeChangeSpec extends AnyFunSuite with SharedSpark {
  import Event.at

  private type Query = DataFrame => DataFrame

  private val total = sum("value").as("total")

  private def keyed(events: DataFrame): KeyedStream = SparkWindowing.keyBy(events, Seq(col("key")))
  private def query(of: WindowedStream => WindowedStream, aggregates: Column*): Query = events =>
    of(keyed(events).window(TumblingEventTimeWindows.of(ofSeconds(10))))
      .aggregate((if (aggregates.isEmpty) Seq(total) else aggregates): _*)

  private def changing(first: Query)(check: Changing => Unit): Unit = Changing(spark)(first)(check)

  // Goes on from the first query to the second, which is refused until the change is allowed.
  private def following(first: Query, second: (WindowedStream => WindowedStream) => Query)(before: Event*)(
      check: DrivenQuery => Unit
  ): Unit =
    changing(first) { c =>
      c.driven.batch(before: _*)
      assert(c.refused(second(identity)).contains("allow that for one start with .allowStateChange()"))
      c.to(second(_.allowStateChange()))
      check(c.driven)
    }

  private def sessions(seconds: Long)(of: WindowedStream => WindowedStream): Query = events =>
    of(keyed(events).window(EventTimeSessionWindows.withGap(ofSeconds(seconds)))).aggregate(total)

  test("a longer gap: open sessions end as they would have, unless an element of the new gap touches them") {
    following(sessions(5)(identity), sessions(9))(at("a", 1, 1000), at("b", 2, 2000)) { q =>
      q.batch(at("a", 4, 5500))
      assert(WindowText.of(q.watermark(14500)) == Seq("a [1000, 14500) 5", "b [2000, 7000) 2"))
    }
  }

  test("a shorter gap: the same") {
    following(sessions(9)(identity), sessions(2))(at("a", 1, 1000), at("b", 2, 2000)) { q =>
      val first = q.batch(at("a", 4, 9500), at("a", 8, 13000), at("b", 16, 11500))
      assert(
        WindowText.of(first ++ q.watermark(20000)) ==
          Seq("a [1000, 11500) 5", "a [13000, 15000) 8", "b [11500, 13500) 16", "b [2000, 11000) 2")
      )
    }
  }

  test("another count: what was counted counts") {
    following(query(_.trigger(CountTrigger.of(2))), of => query(w => of(w.trigger(CountTrigger.of(3)))))(
      at("a", 1, 1000)
    ) { q =>
      assert(q.batch(at("a", 2, 1000)) == Nil)
      assert(WindowText.of(q.batch(at("a", 4, 1000))) == Seq("a [0, 10000) 7"))
    }
    following(query(_.trigger(CountTrigger.of(9))), of => query(w => of(w.trigger(CountTrigger.of(2)))))(
      (1 to 5).map(at("a", _, 1000)): _*
    )(q => assert(WindowText.of(q.batch(at("a", 6, 1000))) == Seq("a [0, 10000) 21")))
  }

  test("firings are numbered from the change on, or no more") {
    val late = (w: WindowedStream) => w.trigger(CountTrigger.of(1))
    following(query(late), of => query(w => of(late(w).withPane())))(at("a", 1, 1000)) { q =>
      assert(WindowText.of(q.batch(at("a", 2, 1000))) == Seq("a [0, 10000) (early 0 false 1000000 []) 3"))
      assert(WindowText.of(q.batch(at("a", 4, 1000))) == Seq("a [0, 10000) (early 1 false 1000000 []) 7"))
    }
    following(query(w => late(w).withPane()), of => query(w => of(late(w))))(at("a", 1, 1000)) { q =>
      assert(WindowText.of(q.batch(at("a", 2, 1000))) == Seq("a [0, 10000) 3"))
    }
  }

  test("other functions over rows that are kept, but not over other columns of them") {
    def last(columns: Column*)(of: WindowedStream => WindowedStream) =
      query(w => of(w.evictor(CountEvictor.of(2))), columns: _*)
    changing(last(total)(identity)) { c =>
      c.driven.batch(at("a", 1, 1000), at("a", 2, 1000), at("a", 4, 1000))
      c.to(last(max("value").as("most"), total)(_.allowStateChange()))
      assert(c.refused(last(total, max("ts"))(_.allowStateChange())).contains("kept rows: was struct<value:int>"))
      c.to(last(max("value").as("most"), total)(_.allowStateChange()))
      assert(WindowText.of(c.driven.watermark(10000)) == Seq("a [0, 10000) 4 6"))
    }
  }
}
