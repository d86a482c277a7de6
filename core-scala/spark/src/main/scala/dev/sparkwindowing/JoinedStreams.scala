package dev.sparkwindowing

import dev.sparkwindowing.assigners.{OverEventTimeWindows, WindowAssigner}
import dev.sparkwindowing.spark.advice.{Code, Face}
import dev.sparkwindowing.spark.plan.{AssignedWindows, KeyedInput}
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
    val rules = AssignedWindows.rules(input, assigner)
    (rules.assigner: Any) match {
      case over: OverEventTimeWindows =>
        throw new UnsupportedOperationException(
          s"$over cannot join: each row has a window of its own, so a pair would be in many. Aggregate the rows before " +
            s"each row, ${JoinedStreams.CoGroup}.window(..), or join rows that are some time apart with Spark's own " +
            "stream-stream join"
        )
      case _ => new JoinedWindows(input, rules)
    }
  }
}

private object JoinedStreams {
  private val CoGroup = Code {
    case Face.Scala => """coGroup("clicks" -> .., "orders" -> ..)"""
    case _          => "co_group(clicks=.., orders=..)"
  }
}
