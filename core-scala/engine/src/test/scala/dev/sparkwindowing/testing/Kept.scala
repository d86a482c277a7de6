package dev.sparkwindowing.testing

import dev.sparkwindowing.assigners.WindowAssigner
import dev.sparkwindowing.codec.ValueCodec
import dev.sparkwindowing.contents.{AccumulatorContents, CopyableContents, ElementList, ListContents, WindowContents}
import dev.sparkwindowing.evictors.Evictor
import dev.sparkwindowing.operator.{KeyedOperator, KeyedPlan, WindowHost, WindowOutput}
import dev.sparkwindowing.triggers.Trigger

/** Window contents of a test stream of strings: all elements, or one accumulator that concatenates them. */
sealed abstract class Kept[C <: AnyRef](val name: String, mergesInAnyOrder: Boolean) {
  def contents: WindowContents[String, C]

  /** The elements, in order, between blanks. */
  def show(contents: C): String

  /** An output of lists of elements, where windows can have such. */
  protected def ofElements(out: WindowOutput[String, C]): WindowOutput[String, ElementList[String]]

  /** The operator of a scenario, over an output. */
  def operator(s: Scenario): WindowOutput[String, C] => KeyedOperator[String] = {
    val assigner = s.window()
    val trigger  = s.trigger.fold[Trigger[String]](assigner.defaultTrigger)(_.apply())
    operator(assigner, trigger, s.evictor.map(_.apply()), s.allowedLateness, s.withPane, s.fillEmpty, showsNames = true)
  }

  /** The operator of windows, over an output. */
  def operator(
      assigner: WindowAssigner[String],
      trigger: Trigger[String],
      evictor: Option[Evictor[String]],
      lateness: Long,
      panes: Boolean,
      fillEmpty: Option[Long] = None,
      showsNames: Boolean = false
  ): WindowOutput[String, C] => KeyedOperator[String] = {
    val plan = Kept.plan(assigner, trigger, evictor, lateness, panes, mergesInAnyOrder, fillEmpty)
    out =>
      plan.operator(new WindowHost[String, C] {
        def contents: WindowContents[String, C]                                         = Kept.this.contents
        def elements: ListContents[String]                                              = Kept.AsList.contents
        def output: WindowOutput[String, C]                                             = out
        def outputOf(name: String): WindowOutput[String, C]                             = named(name)
        def outputOfElements: WindowOutput[String, ElementList[String]]                 = ofElements(out)
        def outputOfElementsOf(name: String): WindowOutput[String, ElementList[String]] = ofElements(named(name))

        private[this] def named(name: String): WindowOutput[String, C] = out match {
          case written: Outputs[C] if showsNames => written.named(name)
          case _                                 => out
        }
      })
  }
}

object Kept {

  /** The plan of windows, whose results depend on the order of elements. */
  def plan[E](
      assigner: WindowAssigner[E],
      trigger: Trigger[E],
      evictor: Option[Evictor[E]] = None,
      lateness: Long = 0,
      panes: Boolean = false,
      mergesInAnyOrder: Boolean = false,
      fillEmpty: Option[Long] = None
  ): KeyedPlan.Windowed[E] = KeyedPlan.of(
    assigner,
    trigger,
    evictor,
    lateness,
    panes,
    showsElement = true,
    mergesInAnyOrder = mergesInAnyOrder,
    isOrderInsensitive = false,
    fillEmpty = fillEmpty
  )

  object AsList extends Kept[ElementList[String]]("list", mergesInAnyOrder = false) {
    def contents: ListContents[String] = new ListContents[String](ValueCodec.string, identity)

    def show(contents: ElementList[String]): String = {
      val out = Seq.newBuilder[String]
      contents.foreach(out += _)
      out.result().mkString(" ")
    }

    protected def ofElements(
        out: WindowOutput[String, ElementList[String]]
    ): WindowOutput[String, ElementList[String]] = out
  }

  object AsAccumulator extends Kept[String]("accumulator", mergesInAnyOrder = true) {
    def contents: CopyableContents[String, String] =
      new AccumulatorContents[String, String](ValueCodec.string) with CopyableContents[String, String] {
        def createAccumulator(): String                = ""
        def add(all: String, element: String): String  = if (all.isEmpty) element else s"$all $element"
        def merge(kept: String, other: String): String = s"$kept $other"
        def copy(all: String): String                  = all
      }

    def show(contents: String): String = contents

    protected def ofElements(out: WindowOutput[String, String]): WindowOutput[String, ElementList[String]] =
      throw new IllegalStateException("an accumulator holds no elements")
  }

  /** An evictor needs all elements. */
  def allFor(s: Scenario): Seq[Kept[_ <: AnyRef]] = if (s.evictor.isEmpty) Seq(AsList, AsAccumulator) else Seq(AsList)
}
