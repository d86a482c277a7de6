package dev.sparkwindowing.simulation

import dev.sparkwindowing.operator.KeyedPlan
import dev.sparkwindowing.spark.plan.WindowProgram
import org.apache.spark.sql.catalyst.InternalRow

/** The plans that answer why. */
private[simulation] object WhyPlan {

  /** @throws java.lang.UnsupportedOperationException
    *   for a function without windows, for windows of several names, and for windows whose bounds are drawn when a
    *   query starts
    */
  def of(program: WindowProgram): KeyedPlan.Windowed[InternalRow] = program.plan match {
    case _ if program.staggered.nonEmpty =>
      throw new UnsupportedOperationException(
        s"why cannot be asked of ${program.staggered.map(_._2).mkString}, whose shift a query draws when it starts: ask of the " +
          "same windows without stagger"
      )
    case _: KeyedPlan.SharedSlices[InternalRow] | _: KeyedPlan.Sections[InternalRow] =>
      throw new UnsupportedOperationException(
        "why is asked of windows of one kind, and the result has those of several names: ask of the windows of one name, " +
          "declared alone by .window(..)"
      )
    case windowed: KeyedPlan.Windowed[InternalRow] => windowed
    case _                                         =>
      throw new UnsupportedOperationException("why is asked of windows, and a function without windows has none")
  }
}
