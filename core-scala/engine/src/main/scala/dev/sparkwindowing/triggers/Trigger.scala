package dev.sparkwindowing.triggers

import dev.sparkwindowing.declaration.{InsideLine, Part}
import dev.sparkwindowing.functions.TimeDomain
import dev.sparkwindowing.windows.Window

import scala.annotation.unchecked.uncheckedVariance

/** Determines when a window fires and when its contents are purged.
  *
  * A trigger is an immutable value. Its state for a window consists of the numbers and values that [[memory]] declares.
  * The context gives access to them, and they are checkpointed with the window. Implement this trait for a custom
  * trigger, as the built-in ones do.
  *
  * A trigger that nests others overrides [[nested]] and [[withNested]]. Then columns inside it are bound, nested
  * triggers that would never end are refused, and its tree is compared with that of a checkpoint.
  *
  * A call concerns one window of one key. The clean-up of a window is a timer like any other: the trigger is called for
  * it too and may fire a last time.
  */
trait Trigger[-E] extends Part {

  /** Called for an element that was added to `window`.
    *
    * @param timestamp
    *   its event time in milliseconds, `Long.MinValue` if it has none
    */
  def onElement(element: E, timestamp: Long, window: Window, ctx: TriggerContext): TriggerResult

  /** Called when the watermark passes an event-time timer of the window registered for `time`. */
  def onEventTime(time: Long, window: Window, ctx: TriggerContext): TriggerResult

  /** Called when processing time passes a processing-time timer of the window registered for `time`. */
  def onProcessingTime(time: Long, window: Window, ctx: TriggerContext): TriggerResult

  /** True if the trigger fires after the elements of a micro-batch: then [[onMicroBatch]] is called. A trigger that
    * nests such a one must say so too, and pass the call on.
    */
  def firesByMicroBatch: Boolean = false

  /** Called after the elements of a micro-batch for each window that got one, if [[firesByMicroBatch]]. To fire has no
    * effect if the window has fired since its last element.
    */
  def onMicroBatch(window: Window, ctx: TriggerContext): TriggerResult = TriggerResult.Continue

  /** True if the answers may depend on how many elements of a window come between two other events, or on their
    * properties. If false, the elements of a window may be aggregated before the operator.
    *
    * @param allowedLateness
    *   milliseconds; without it no element comes after the end of its window
    */
  private[sparkwindowing] def needsEachElement(allowedLateness: Long): Boolean = true

  /** True if the trigger can be used where windows merge. */
  def canMerge: Boolean = false

  /** Called when several windows were merged into `window`. Carries over their state and registers the timers of
    * `window`.
    *
    * Each of the merged windows is cleared afterwards.
    */
  def onMerge(window: Window, ctx: OnMergeContext): Unit =
    throw new UnsupportedOperationException(s"$this cannot merge windows")

  /** Called when the window is removed. Deletes the timers and the state that the trigger set for it. */
  def clear(window: Window, ctx: TriggerContext): Unit

  /** Starts anew after a firing that another trigger caused, as [[AnyTrigger]] does with its parts: forgets the
    * elements so far. Timers at the end of the window stay. By default [[clear]], without deleting these timers.
    *
    * A trigger that nests others passes the call on.
    */
  def restart(window: Window, ctx: TriggerContext): Unit = clear(window, new EndTimersKept(ctx, window.maxTimestamp))

  /** Called for a window that had another trigger so far, whose memory and timers are gone. Registers the timers that
    * the elements of the window would have registered. Both triggers are `forgettable`.
    *
    * @param mayWait
    *   true if elements may wait for a firing although the window has ended. A trigger that fires at the end registers
    *   its timer even if that has passed: it fires with the next advance of its clock
    */
  private[sparkwindowing] def resume(window: Window, mayWait: Boolean, ctx: TriggerContext): Unit = ()

  /** Declares the state of a window: at most 64 numbers and 64 values, including those of nested triggers. By default
    * that of the nested triggers, in order.
    */
  def memory: TriggerMemory = nested.foldLeft(TriggerMemory.None)((all, trigger) => all ++ trigger.memory)

  /** The nested triggers, in order. */
  def nested: Seq[Trigger[E]] = Nil

  /** A copy with other nested triggers: as many as `nested`, in that order. */
  def withNested(nested: Seq[Trigger[E @uncheckedVariance]]): Trigger[E] =
    if (nested.isEmpty) this
    else throw new UnsupportedOperationException(s"${getClass.getName} nests triggers: override withNested")

  override def children: Seq[Part] = nested

  private[sparkwindowing] override def insideLine: InsideLine = InsideLine(
    "nested and withNested",
    "override def nested: Seq[Trigger[Row]] = Seq(inner)",
    "public Seq<Trigger<Row>> nested() { return CollectionConverters.asScala(List.of(inner)).toSeq(); }"
  )

  // Returns what the base does: a class in Java gets no bridge from a trait.
  override def withChildren(children: Seq[Part]): Part =
    withNested(children.collect { case trigger: Trigger[E @unchecked] => trigger })

  /** True if the trigger sets timers of that clock, itself or by a nested trigger. An operator with timers of one clock
    * asks. A user's trigger that sets timers of another clock than its windows, or on the global window, must override
    * it.
    */
  def setsTimers(clock: TimeDomain): Boolean = nested.exists(_.setsTimers(clock))

  /** True if the trigger may purge, itself or by a nested trigger. Rows that take back earlier ones cannot be taken
    * from contents that are gone: such a trigger is refused with them. A user's trigger that purges must override it.
    */
  def purges: Boolean = nested.exists(_.purges)

  /** True if the trigger fires only at the end of the input. Such a trigger is refused on a stream, which has no end.
    */
  def needsEndOfInput: Boolean = false

  /** True if the trigger fires at intervals of event time as long as its window lasts. Such a trigger is refused on the
    * global window of a static DataFrame, where the last watermark is the end of time.
    */
  def firesToEndOfTime: Boolean = false
}
