package dev.sparkwindowing.conformance

import dev.sparkwindowing.windows.{TimeWindow, Window}

/** All that the comparison leaves out, by name.
  *
  * Two things more are left out in [[Comparison]], as Flink promises no order: that of timers of equal time, and that
  * of elements after live sessions joined.
  */
object LeftOut {

  /** Flink keeps the ends of both timeouts under one name, so that they overwrite each other. Not generated. */
  def timeoutWithinTimeout(trigger: TriggerSetup): Boolean = trigger.chain.count(_ == "timeout") > 1

  /** The global window ends at the end of time: a watermark of `Long.MaxValue` makes a continuous trigger fire for
    * every multiple until then. Not generated.
    */
  def endlessAtLastWatermark(setup: Setup): Boolean = setup.assigner.isGlobal && isContinuous(setup)

  /** Multiples from the beginning of time: the same for an element without timestamp in a window that does not come
    * from its timestamp. Not generated.
    */
  def endlessWithoutTimestamp(setup: Setup): Boolean = !setup.assigner.isEventTime && isContinuous(setup)

  private def isContinuous(setup: Setup): Boolean = setup.hasTrigger("continuous event time")

  /** The last watermark of all can find a session over that was never to be cleaned up. Flink then takes it off its
    * live set and leaves its contents and timers behind, here they go with it: for sessions it comes at the end only.
    */
  def lastWatermarkAmidSessions(setup: Setup): Boolean = setup.assigner.isMerging && setup.assigner.isEventTime

  /** Defect of Flink: an element whose own window equals a live session that was merged resets it; earlier contents are
    * lost. Only a dynamic gap makes such an element. The case ends before it.
    *
    * @param merged
    *   the windows of the key that merges led to
    */
  def identicalWindow(setup: Setup, element: Event.Element, clock: Long, merged: Window => Boolean): Boolean =
    setup.assigner match {
      case AssignerSetup.DynamicSession(gaps) =>
        merged(TimeWindow(element.timestamp, element.timestamp + gaps.of(element.value)))
      case AssignerSetup.DynamicProcessingTimeSession(gaps) => merged(TimeWindow(clock, clock + gaps.of(element.value)))
      case _                                                => false
    }

  /** A delta evictor looks at the last element, and which one that is is open after live sessions joined. The case ends
    * there.
    */
  def lastElementOpen(setup: Setup, joined: Boolean): Boolean = joined && (setup.evictor match {
    case Some(_: EvictorSetup.Delta) => true
    case _                           => false
  })

  /** The continuous triggers leave timers of a session behind: that of the next firing where it was merged away, that
    * of its end where it was merged away or cleaned up. They do nothing, as the session is no longer live: Flink may
    * have more timers.
    */
  def staleTimers(setup: Setup): Boolean =
    setup.assigner.isMerging && (isContinuous(setup) || setup.hasTrigger("continuous processing time"))
}
