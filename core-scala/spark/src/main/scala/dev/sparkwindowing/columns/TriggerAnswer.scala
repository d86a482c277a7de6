package dev.sparkwindowing.columns

import org.apache.spark.sql.Column

/** What a trigger that is written in columns answers when it is asked: whether it fires or purges, the state that it
  * remembers, and timers. Made by [[TriggerAnswer.of]].
  */
final class TriggerAnswer private (
    private[columns] val fire: Option[Column],
    private[columns] val purge: Option[Column],
    private[columns] val state: Option[Column],
    private[columns] val timers: Seq[Option[Column]]
)

object TriggerAnswer {

  /** In all of them null is what it is when left out. Timers are deleted before others are set.
    *
    * @param fire
    *   whether the window fires; false unless said
    * @param purge
    *   whether its contents are dropped, after the firing; false unless said
    * @param state
    *   the new state, a struct; as it was unless said
    * @param eventTimer
    *   the time of an event-time timer to set, or an array of times
    * @param processingTimer
    *   the same for timers of the clock
    * @param deleteEventTimer
    *   the time of an event-time timer to delete, or an array of times; one that is not set does no harm
    * @param deleteProcessingTimer
    *   the same for timers of the clock
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
