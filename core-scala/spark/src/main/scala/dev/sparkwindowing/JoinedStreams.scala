package dev.sparkwindowing

import dev.sparkwindowing.assigners.WindowAssigner
import dev.sparkwindowing.spark.analysis.Analysis
import dev.sparkwindowing.spark.plan.{AssignedWindows, KeyedInput, WindowRules}
import org.apache.spark.sql.catalyst.InternalRow

/** Two keyed inputs whose rows of the same key and window are joined, made by [[SparkWindowing.join]]. */
final class JoinedStreams private[sparkwindowing] (input: KeyedInput) {

  /** Assigns the rows of both inputs to windows.
    *
    * Columns of the assigner, of a trigger and of an evictor see a row of either input: a struct for each input, one of
    * which is null.
    *
    * @throws java.lang.IllegalArgumentException
    *   as [[KeyedStream.window]]
    * @throws java.lang.UnsupportedOperationException
    *   for over windows, in which each row would meet its partners many times
    */
  def window(assigner: WindowAssigner[InternalRow]): JoinedWindows = {
    val rules = WindowRules(assigner)
    AssignedWindows.checkJoin(input, Analysis.windows(input, rules))
    new JoinedWindows(input, rules)
  }
}
