package dev.sparkwindowing.columns

import dev.sparkwindowing.functions.TimeDomain
import dev.sparkwindowing.spark.advice.Code
import dev.sparkwindowing.spark.computations.{ColumnProcessWork, KeyedWork, StateTtl}
import dev.sparkwindowing.spark.expressions.ColumnBinder
import org.apache.spark.sql.Column
import org.apache.spark.sql.types.StructField

import java.time.Duration
import java.util.Objects

/** Keyed process function written as columns, which run in the JVM: state of a key, a struct, and at most one timer of
  * each clock. Build it with [[ColumnProcess.of]].
  */
final class ColumnProcess private (
    private[columns] val state: Option[Column],
    private[columns] val onElement: Do,
    private[columns] val onEventTimer: Option[Do],
    private[columns] val onProcessingTimer: Option[Do],
    private[columns] val ttl: Option[StateTtl]
) {
  import ColumnProcess._

  checkTimers("event", onEventTimer, _.eventTimer)
  checkTimers("processing", onProcessingTimer, _.processingTimer)
  if (ttl.nonEmpty && state.isEmpty)
    throw new IllegalArgumentException(s"$Name: ttl is that of the state, and there is none: add state=, a struct")

  /** Part that needs the event time of the input, if there is one. */
  private[sparkwindowing] def eventTimeUse: Option[String] =
    if (onEventTimer.nonEmpty) Some(s"$Name: ${Code.name("event_timer")}")
    else if (ttl.exists(_.clock == TimeDomain.EventTime))
      Some(s"$Name: ttl in event time (${Code.named("ttl_clock", Code.text("processing_time"))} is the other clock)")
    else None

  /** The function over the rows of a query. */
  private[sparkwindowing] def bind(keys: Seq[StructField], binder: ColumnBinder): KeyedWork = {
    val bound = new ProcessColumns(this, keys, binder)
    new ColumnProcessWork(keys, binder.times, bound.state, bound.calls, bound.results, bound.sides, ttl)
  }

  private def answers: Seq[(String, Do)] =
    Seq("on_element" -> onElement) ++ onEventTimer.map("on_event_timer" -> _) ++
      onProcessingTimer.map("on_processing_timer" -> _)

  // The calls that happen: those of timers that a call which happens sets.
  private def called(from: Seq[(String, Do)]): Seq[(String, Do)] = {
    val timers = Map[String, Do => Option[Column]](
      "on_event_timer"      -> (_.eventTimer),
      "on_processing_timer" -> (_.processingTimer)
    )
    val more = answers.diff(from).filter { case (name, _) => from.exists(call => timers(name)(call._2).nonEmpty) }
    if (more.isEmpty) from else called(from ++ more)
  }

  private def checkTimers(clock: String, onTimer: Option[Do], timer: Do => Option[Column]): Unit = {
    val sets = called(answers.take(1)).find { case (_, answer) => timer(answer).nonEmpty }
    (sets, onTimer) match {
      case (Some((where, _)), None) =>
        throw new IllegalArgumentException(
          s"$Name: ${Code.name(where)} gives ${Code.name(s"${clock}_timer")}, and nothing is done when it fires: add " +
            Code.named(s"on_${clock}_timer", Code.call("sw.Do", Code.dots))
        )
      case (None, Some(_)) =>
        throw new IllegalArgumentException(
          s"$Name: ${Code.name(s"on_${clock}_timer")} is never called, as nothing sets the timer: give " +
            s"${Code.named(s"${clock}_timer", Code.dots)} in ${Code.name("on_element")}"
        )
      case _ => ()
    }
  }
}

object ColumnProcess {
  private[columns] val Name = "ColumnProcess"

  /** The columns may refer to `ctx`, a struct of `key` (a struct of the key columns), `watermark`, `processing_time`
    * and `timestamp` (the event time of the element or event-time timer), each null if there is none, and to `state`,
    * if there is one.
    *
    * @param onElement
    *   what an element does, also over the struct `row`
    * @param state
    *   initial state of a key, a struct of constants; null for none. Its fields are widened without loss to the types
    *   that the calls give
    * @param onEventTimer
    *   what the event-time timer of the key does, also over its `time`
    * @param onProcessingTimer
    *   what its processing-time timer does, likewise
    * @param ttl
    *   time after the last call that gave a state at which the key begins anew; null for never
    * @param ttlClock
    *   clock of `ttl`: "event_time" or "processing_time"
    * @throws java.lang.IllegalArgumentException
    *   if a timer is set and not answered or answered and not set, or `ttl` is not positive or has no state
    */
  def of(
      onElement: Do,
      state: Column = null,
      onEventTimer: Do = null,
      onProcessingTimer: Do = null,
      ttl: Duration = null,
      ttlClock: String = "event_time"
  ): ColumnProcess = new ColumnProcess(
    Option(state),
    Objects.requireNonNull(onElement, "onElement must not be null"),
    Option(onEventTimer),
    Option(onProcessingTimer),
    StateTtl.of(ttl, ttlClock, Name)
  )
}
