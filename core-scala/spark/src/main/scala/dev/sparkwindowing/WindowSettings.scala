package dev.sparkwindowing

import dev.sparkwindowing.evictors.Evictor
import dev.sparkwindowing.spark.analysis.Analysis
import dev.sparkwindowing.spark.plan.{KeyedInput, WindowRules}
import dev.sparkwindowing.triggers.Trigger
import dev.sparkwindowing.windows.Millis
import org.apache.spark.sql.catalyst.InternalRow

import java.time.Duration
import java.util.Objects

/** Trigger, evictor, allowed lateness and outputs of windows. Immutable: each call returns a new value, and the order
  * of the calls does not matter.
  *
  * @tparam S
  *   the class of that value
  */
abstract class WindowSettings[S] private[sparkwindowing] {
  private[sparkwindowing] def input: KeyedInput
  private[sparkwindowing] def rules: WindowRules
  private[sparkwindowing] def withRules(rules: WindowRules): S

  private[sparkwindowing] final def set(rules: WindowRules): S = {
    Analysis.windows(input, rules)
    withRules(rules)
  }

  /** Sets the trigger that fires the windows, in place of the assigner's default.
    *
    * @throws java.lang.UnsupportedOperationException
    *   for a trigger that cannot merge, on windows that merge
    */
  def trigger(trigger: Trigger[InternalRow]): S = set(rules.copy(chosenTrigger = Some(trigger)))

  /** Sets the evictor, which removes elements from a window when it fires. All elements are then kept, for any
    * function.
    */
  def evictor(evictor: Evictor[InternalRow]): S = set(rules.copy(evictor = Some(evictor)))

  /** Sets how far the watermark may be past the end of an event-time window before its state is removed: until then the
    * window takes elements and fires for them. Default: 0.
    *
    * @throws java.lang.IllegalArgumentException
    *   if negative
    */
  def allowedLateness(lateness: Duration): S = set(
    rules.copy(allowedLateness = Millis.of("lateness", lateness))
  )

  /** Writes late rows to a side output, read with [[SparkWindowing.sideOutput]]. By default they are dropped and
    * counted.
    */
  def sideOutputLateData(tag: String): S = {
    Objects.requireNonNull(tag, "the tag of the late side output must not be null")
    set(rules.copy(lateTag = Some(tag)))
  }

  /** Adds a column `pane` after `window`, which tells the firings of a window apart.
    *
    *   - `timing`: `early` before the watermark passes the window's end, `on_time` for the firing at that moment,
    *     `late` for every other one from then on, which a late element causes; `on_time` for windows that do not end in
    *     event time
    *   - `number`: the number of earlier firings; a merged session counts those of its parts
    *   - `is_last`: whether the timer that fired the window also cleans it up
    *   - `fired_at`: processing time of the micro-batch; null where processing time does not advance
    *   - `replaced`: the sessions that had fired and were merged into this one since its last firing
    *
    * The number of firings is stored with the window until it is cleaned up.
    */
  def withPane(): S = set(rules.copy(pane = true))

  /** Emits only the last of several firings of a window in one micro-batch if their contents are equal. */
  def collapseFirings(): S = set(rules.copy(collapsesFirings = true))

  /** Lets the query start on the checkpoint of a query that differs only in what is safe: a longer allowed lateness;
    * another trigger; another gap of sessions; panes; other functions of rows that are kept. The page on the state
    * format has a table of what is safe, and what it does to open windows. Other differences are still refused.
    *
    * Meant for one start: remove it after the first micro-batch. Windows that were cleaned up are not restored: a row
    * that is no longer late for one of them starts it anew.
    */
  def allowStateChange(): S = set(rules.copy(allowsStateChange = true))
}
