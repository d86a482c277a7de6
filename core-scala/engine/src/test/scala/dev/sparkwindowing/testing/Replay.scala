package dev.sparkwindowing.testing

import dev.sparkwindowing.operator.{KeyedOperator, WindowOutput}

/** A way to cut a scenario into calls of a host. The results must be the same in all of them. */
sealed abstract class Replay(val name: String) {
  import Replay.Over

  /** The positions of the steps, in groups that are played together. */
  def groups(steps: IndexedSeq[ScenarioStep]): Seq[Seq[Int]]

  def player[C <: AnyRef](over: Over[C], kept: Kept[C], shown: Shown): Player
}

object Replay {

  /** Makes the operator over an output. */
  type Over[C <: AnyRef] = WindowOutput[String, C] => KeyedOperator[String]

  case object Steadily extends Replay("with the key kept open") {
    def groups(steps: IndexedSeq[ScenarioStep]): Seq[Seq[Int]]                  = steps.indices.map(Seq(_))
    def player[C <: AnyRef](over: Over[C], kept: Kept[C], shown: Shown): Player =
      new SteadyPlayer(over, kept, shown, false)
  }

  case object AlwaysRestored extends Replay("with a snapshot and a restore after every step") {
    def groups(steps: IndexedSeq[ScenarioStep]): Seq[Seq[Int]]                  = steps.indices.map(Seq(_))
    def player[C <: AnyRef](over: Over[C], kept: Kept[C], shown: Shown): Player =
      new SteadyPlayer(over, kept, shown, true)
  }

  case object EventByEvent extends Replay("with the block opened and closed around every event") {
    def groups(steps: IndexedSeq[ScenarioStep]): Seq[Seq[Int]]                  = steps.indices.map(Seq(_))
    def player[C <: AnyRef](over: Over[C], kept: Kept[C], shown: Shown): Player =
      new BatchPlayer(over, kept, shown, false)
  }

  /** A change of time, then the rows that follow it, at most `size`. */
  final case class Batches(size: Int)
      extends Replay(
        if (size == Int.MaxValue) "in batches of all rows between two changes of time"
        else s"in batches of at most $size rows"
      ) {
    def groups(steps: IndexedSeq[ScenarioStep]): Seq[Seq[Int]] =
      steps.indices.foldLeft(Vector.empty[Vector[Int]]) { (groups, i) =>
        def rows = groups.last.count(j => isRow(steps(j)))
        if (groups.isEmpty || !isRow(steps(i)) || rows == size) groups :+ Vector(i)
        else groups.init :+ (groups.last :+ i)
      }

    def player[C <: AnyRef](over: Over[C], kept: Kept[C], shown: Shown): Player =
      new BatchPlayer(over, kept, shown, false)
  }

  /** All rows, then the watermark that follows them: the operator behind another stateful one. */
  case object RowsFirst extends Replay("in batches whose rows come before their watermark") {
    def groups(steps: IndexedSeq[ScenarioStep]): Seq[Seq[Int]] =
      steps.indices.foldLeft(Vector.empty[Vector[Int]]) { (groups, i) =>
        val fits = isRow(steps(i)) || steps(i).event.isInstanceOf[ScenarioEvent.Watermark]
        if (groups.isEmpty || !fits || !isRow(steps(groups.last.last))) groups :+ Vector(i)
        else groups.init :+ (groups.last :+ i)
      }

    def player[C <: AnyRef](over: Over[C], kept: Kept[C], shown: Shown): Player =
      new BatchPlayer(over, kept, shown, true)
  }

  /** Every way in which a scenario must give its results. */
  def allFor(s: Scenario): Seq[Replay] =
    // To collapse the firings of a step needs a host that says where a step begins.
    (if (s.collapseFirings) Seq(AlwaysRestored) else Seq(Steadily, AlwaysRestored)) ++
      (if (s.isCompound) Seq(EventByEvent)
       else if (s.sameInBatches) Seq(EventByEvent, Batches(1), Batches(2), Batches(Int.MaxValue), RowsFirst)
       else Nil)

  private def isRow(step: ScenarioStep): Boolean = step.event.isInstanceOf[ScenarioEvent.Row]
}
