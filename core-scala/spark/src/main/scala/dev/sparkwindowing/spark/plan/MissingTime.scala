package dev.sparkwindowing.spark.plan

import dev.sparkwindowing.spark.advice.Code

/** Handling of a row without event time in an event-time window. */
sealed abstract class MissingTime(val name: String) extends Product with Serializable

object MissingTime {

  /** The row goes to the late side output; dropped and counted if there is none. */
  case object Late extends MissingTime("late")

  /** The row is dropped and counted. */
  case object Drop extends MissingTime("drop")

  /** The row stops the query. */
  case object Fail extends MissingTime("fail")

  def of(name: String): MissingTime =
    Seq(Late, Drop, Fail).find(_.name == name).getOrElse {
      throw new IllegalArgumentException(
        s"${Code.name("on_missing_time")} must be one of 'late', 'drop', 'fail', got '$name'"
      )
    }
}
