package dev.sparkwindowing.testing

import dev.sparkwindowing.assigners.OverEventTimeWindows
import dev.sparkwindowing.codec.ValueCodec
import dev.sparkwindowing.contents.{AccumulatorContents, CopyableContents, ElementList, ListContents, WindowContents}
import dev.sparkwindowing.operator.{KeyedOperator, OverOperator, WindowOperator, WindowOutput, WindowSpec}
import dev.sparkwindowing.triggers.Trigger

/** Window contents of a test stream of strings: all elements, or one accumulator that concatenates them. */
sealed abstract class Kept[C <: AnyRef](val name: String) {
  def contents: WindowContents[String, C]

  /** The elements, in order, between blanks. */
  def show(contents: C): String
  def spec(scenario: Scenario): WindowSpec[String, C]

  /** The operator of a scenario, over an output. */
  def operator(s: Scenario): WindowOutput[String, C] => KeyedOperator[String] = {
    val checked = spec(s)
    (s.window(): Any) match {
      case windows: OverEventTimeWindows => over(windows, s.allowedLateness, s.withPane, _)
      case _                             => new WindowOperator(if (s.withPane) checked.withPanes else checked, _)
    }
  }

  /** The operator of over windows. */
  def over(
      windows: OverEventTimeWindows,
      lateness: Long,
      panes: Boolean,
      out: WindowOutput[String, C]
  ): OverOperator[String, _, C]
}

object Kept {

  object AsList extends Kept[ElementList[String]]("list") {
    def contents: ListContents[String] = new ListContents[String](ValueCodec.string, identity)

    def show(contents: ElementList[String]): String = {
      val out = Seq.newBuilder[String]
      contents.foreach(out += _)
      out.result().mkString(" ")
    }

    def over(
        windows: OverEventTimeWindows,
        lateness: Long,
        panes: Boolean,
        out: WindowOutput[String, ElementList[String]]
    ): OverOperator[String, _, ElementList[String]] = OverOperator.listing(windows, lateness, contents, panes, out)

    def spec(s: Scenario): WindowSpec[String, ElementList[String]] = {
      val assigner = s.window()
      val trigger  = s.trigger.fold[Trigger[String]](assigner.defaultTrigger)(_.apply())
      s.evictor match {
        case Some(e) => WindowSpec.evicting[String](assigner, trigger, e(), s.allowedLateness, contents)
        case None    => WindowSpec[String, ElementList[String]](assigner, trigger, s.allowedLateness, contents)
      }
    }
  }

  object AsAccumulator extends Kept[String]("accumulator") {
    def contents: CopyableContents[String, String] =
      new AccumulatorContents[String, String](ValueCodec.string) with CopyableContents[String, String] {
        def createAccumulator(): String                = ""
        def add(all: String, element: String): String  = if (all.isEmpty) element else s"$all $element"
        def merge(kept: String, other: String): String = s"$kept $other"
        def copy(all: String): String                  = all
      }

    def over(
        windows: OverEventTimeWindows,
        lateness: Long,
        panes: Boolean,
        out: WindowOutput[String, String]
    ): OverOperator[String, _, String] =
      if (windows.countsRows)
        OverOperator.mergingRows(windows, lateness, contents, AsList.contents, panes, out)
      else OverOperator.merging(windows, lateness, contents, Some(AsList.contents), panes, out)

    def show(contents: String): String = contents

    def spec(s: Scenario): WindowSpec[String, String] = {
      val assigner = s.window()
      WindowSpec[String, String](
        assigner,
        s.trigger.fold[Trigger[String]](assigner.defaultTrigger)(_.apply()),
        s.allowedLateness,
        contents
      )
    }
  }

  /** An evictor needs all elements. */
  def allFor(s: Scenario): Seq[Kept[_ <: AnyRef]] = if (s.evictor.isEmpty) Seq(AsList, AsAccumulator) else Seq(AsList)
}
