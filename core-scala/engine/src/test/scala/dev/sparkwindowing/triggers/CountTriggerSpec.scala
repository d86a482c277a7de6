package dev.sparkwindowing.triggers

import dev.sparkwindowing.assigners.{EventTimeSessionWindows, GlobalWindows}
import dev.sparkwindowing.contents.ElementList
import dev.sparkwindowing.declaration.Difference
import dev.sparkwindowing.evictors.CountEvictor
import dev.sparkwindowing.operator.{OperatorRules, WindowOperator}
import dev.sparkwindowing.testing.{Kept, Outputs}
import org.scalatest.funsuite.AnyFunSuite

import java.time.Duration.ofMillis

/** The count trigger of count windows that fire only when they are full. */
class CountTriggerSpec extends AnyFunSuite {

  private def fired(size: Long, slide: Long, rows: Int, restores: Boolean): Seq[String] = {
    val trigger = CountTrigger.of(slide, size)
    val out     = new Outputs(Kept.AsList)
    val spec    = OperatorRules.evicting[String](
      GlobalWindows.create(),
      trigger,
      CountEvictor.of[String](size),
      0L,
      Kept.AsList.contents
    )
    var operator: WindowOperator[String, ElementList[String]] = new WindowOperator(spec, out)
    operator.open(null)
    (1 to rows).foreach { i =>
      operator.processElement(i.toString, 0)
      if (restores) {
        val block = operator.close()
        operator = new WindowOperator(spec, out)
        operator.open(block)
      }
    }
    out.take().fires.map(_.stripPrefix(" [global]").trim)
  }

  test("it fires at each multiple of the slide at which the window is full") {
    for (size <- 1 to 9; slide <- 1 to 9; restores <- Seq(true, false)) {
      val wanted = (1 to 40).filter(i => i % slide == 0 && i >= size).map(i => (i - size + 1 to i).mkString(" "))
      assert(fired(size.toLong, slide.toLong, 40, restores) == wanted, s"$size rows, every $slide, $restores")
    }
  }

  test("extreme sizes and slides") {
    assert(fired(Long.MaxValue, 2, 5, restores = false) == Nil)
    assert(fired(3, 0, 4, restores = false) == Seq("1 2 3", "2 3 4"))
    assert(fired(0, 2, 4, restores = false) == Seq("", ""))
    assert(fired(3, Long.MaxValue, 9, restores = false) == Nil)
  }

  test("it is another trigger than the plain one, and not for sessions") {
    val differences = Difference.between(CountTrigger.of(2).spec, CountTrigger.of(2, 3).spec)
    assert(differences.map(_.toString) == Seq("atLeast: was not there, is 3"))
    val sessions = EventTimeSessionWindows.withGap(ofMillis(10))
    assertThrows[UnsupportedOperationException](OperatorRules.check(sessions, CountTrigger.of(2, 3), 0))
  }
}
