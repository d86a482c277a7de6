package dev.sparkwindowing.columns

import dev.sparkwindowing.functions.TimeDomain
import org.apache.spark.sql.Column

/** Answer of a trigger written as columns: firing, purge, new state and timers. Build it with [[TriggerAnswer.of]]. */
final class TriggerAnswer private (
    private[columns] val fire: Option[Column],
    private[columns] val purge: Option[Column],
    private[columns] val state: Option[Column],
    private[columns] val timers: Seq[Option[Column]]
) {

  /** Time of a timer to set. */
  private[columns] def timerOf(clock: TimeDomain): Option[Column] = {
    val Seq(_, _, event, processing) = timers
    if (clock == TimeDomain.EventTime) event else processing
  }
}

object TriggerAnswer {

  /** An answer. A null value counts as an omitted argument. Timers are deleted before new ones are set.
    *
    * @param fire
    *   whether the window fires; false by default
    * @param purge
    *   whether its contents are purged, after the firing; false by default
    * @param state
    *   the new state, a struct; unchanged by default
    * @param eventTimer
    *   time of an event-time timer to set, or an array of times, of the type of the event time
    * @param processingTimer
    *   the same for processing-time timers, TIMESTAMP
    * @param deleteEventTimer
    *   time of an event-time timer to delete, or an array of times; a missing timer has no effect
    * @param deleteProcessingTimer
    *   the same for processing-time timers
    */
  def of(
      fire: Column = null,
      purge: Column = null,
      state: Column = null,
      eventTimer: Column = null,
      processingTimer: Column = null,
      deleteEventTimer: Column = null,
      deleteProcessingTimer: Column = null
  ): TriggerAnswer = new TriggerAnswer(
    Option(fire),
    Option(purge),
    Option(state),
    Seq(deleteEventTimer, deleteProcessingTimer, eventTimer, processingTimer).map(Option(_))
  )
}
