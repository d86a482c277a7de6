package dev.sparkwindowing.testing

import dev.sparkwindowing.codec.ValueCodec
import dev.sparkwindowing.contents.{AccumulatorContents, ElementList, ListContents, WindowContents}
import dev.sparkwindowing.operator.WindowSpec
import dev.sparkwindowing.triggers.Trigger

/** Window contents of a test stream of strings: all elements, or one accumulator that concatenates them. */
sealed abstract class Kept[C <: AnyRef](val name: String) {
  def contents: WindowContents[String, C]

  /** The elements, in order, between blanks. */
  def show(contents: C): String
  def spec(scenario: Scenario): WindowSpec[String, C]
}

object Kept {

  object AsList extends Kept[ElementList[String]]("list") {
    def contents: ListContents[String] = new ListContents[String](ValueCodec.string, identity)

    def show(contents: ElementList[String]): String = {
      val out = Seq.newBuilder[String]
      contents.foreach(out += _)
      out.result().mkString(" ")
    }

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
    def contents: WindowContents[String, String] = new AccumulatorContents[String, String](ValueCodec.string) {
      def createAccumulator(): String                = ""
      def add(all: String, element: String): String  = if (all.isEmpty) element else s"$all $element"
      def merge(kept: String, other: String): String = s"$kept $other"
    }

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
