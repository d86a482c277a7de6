package dev.sparkwindowing.operator

import dev.sparkwindowing.assigners.{LimitedSessionWindows, StaggeredWindowAssigner}
import dev.sparkwindowing.contents.ElementList
import dev.sparkwindowing.declaration.Forgettable
import dev.sparkwindowing.pieces.PieceStore
import dev.sparkwindowing.state.{TimerSet, WindowRecord}
import dev.sparkwindowing.triggers.{TriggerContext, TriggerResult}
import dev.sparkwindowing.windows.{Millis, Window, WindowCollector}

/** Flink's window operator for one key at a time: takes elements, watermarks and processing time, and emits firings.
  *
  * A deterministic state machine that does not read the time itself. A host opens it on the block of a key, passes the
  * key's events in order, and closes it into the next block. One instance per task; not thread-safe.
  *
  * Timers of one time domain fire in the order of (time, window start, window end). The rules are in docs/semantics.md.
  */
final class WindowOperator[E, C <: AnyRef](rules: OperatorRules[E, C], out: WindowOutput[E, C])
    extends KeyStateOperator[E, C](rules.contents, rules.memory.numbers.size, rules.memory.values.map(_.codec)) {
  import WindowOperator.Firing

  private[this] var assigner     = rules.assigner
  private[this] var hasStarted   = false
  private[this] val trigger      = rules.trigger
  private[this] val contents     = rules.contents
  private[this] val isEventTime  = assigner.isEventTime
  private[this] val lateness     = rules.allowedLateness
  private[this] val isMerging    = rules.assigner.isMerging
  private[this] val evictor      = rules.evictor.orNull
  private[this] val panes        = rules.panes
  private[this] val pane         = new PaneInfo
  private[this] val ctx          = new WindowContext[C](state, out, isEventTime, lateness)
  private[this] val ofRecords    = new RecordTimers[C](state, ctx)
  private[this] val assigned     = new WindowCollector
  private[this] val liveSessions = new MergingWindowSet[E, C](state, ctx, trigger, contents, isEventTime, lateness)
  // Null for sessions without limits.
  private[this] val limitedSessions = assigner match {
    case limited: LimitedSessionWindows[E] =>
      new LimitedSessionSet[E, C](limited, liveSessions, state, ctx, trigger.memory.numbers.size)
    case _ => null
  }

  // Null if no window fires without elements.
  private[this] val silence = rules.emptyWindows match {
    case Some(rule) => new Silence[E, C](rule, state, ctx, contents, out, panes)
    case None       => null
  }

  // The watermark before its last rise.
  private[this] var risenFrom = Long.MinValue

  // The kind of firing at work; its next record in a micro-batch; the limit of its timers, and whether any has fired.
  private[this] var firing   = Firing.Nothing
  private[this] var next     = 0
  private[this] var limit    = 0L
  private[this] var hasFired = false

  override def open(block: Array[Byte], pieces: PieceStore): Unit = {
    ctx.record = null
    if (firing != Firing.Nothing) endFiring(hasFired = false) // a failure has ended the last step
    super.open(block, pieces)
    if (silence != null) silence.open()
  }

  override def fillUpTo(lastTime: Long): Unit = if (silence != null) silence.lastTime = lastTime

  def setWatermark(watermark: Long): Unit = ctx.currentWatermark = watermark

  def currentWatermark: Long = ctx.currentWatermark

  override def setProcessingTime(time: Long): Unit = ctx.currentProcessingTime = time

  def processElement(element: E, timestamp: Long): Unit = {
    if (!hasStarted) start()
    ctx.record = null
    assigned.clear()
    assigner.assignWindows(element, timestamp, ctx.currentProcessingTime, assigned)
    var skipped = true
    var i       = 0
    while (i < assigned.size) {
      if (addToWindow(element, timestamp, assigned.start(i), assigned.end(i))) skipped = false
      i += 1
    }
    if (silence != null && !skipped) silence.added(assigned.end(0))
    // ts + lateness is not guarded against overflow, as in Flink.
    if (skipped && isEventTime && timestamp + lateness <= ctx.currentWatermark)
      out.late(element, timestamp, if (assigned.size == 0) None else Some(assigned.window(0)))
  }

  // Uses the shift of a staggered grid.
  private[this] def start(): Unit = {
    assigner match {
      case staggered: StaggeredWindowAssigner[E] if staggered.isStaggered =>
        assigner = staggered.shifted(staggered.drawShift(ctx.currentProcessingTime))
      case _ => ()
    }
    hasStarted = true
  }

  // False if the window is late.
  private[this] def addToWindow(element: E, timestamp: Long, start: Long, end: Long): Boolean = {
    val live =
      if (!isMerging) null
      else if (limitedSessions == null) liveSessions.add(start, end)
      else limitedSessions.add(element, start, end)
    if (
      isLate(WindowCollector.maxTimestamp(if (live == null) start else live.start, if (live == null) end else live.end))
    ) {
      if (live != null) retire(live)
      false
    } else {
      val r = if (live == null) recordOf(start, end) else live
      ctx.record = r
      ctx.isFirst = !r.hasContents
      r.keep(contents.add(if (ctx.isFirst) contents.empty() else state.contentsOf(r), element, timestamp))
      r.markChanged()
      state.changed = true
      handleResult(r, trigger.onElement(element, timestamp, r.window, ctx), PaneTiming.NoTimer, isLast = false)
      registerCleanup(r)
      dropIfBlank(r)
      true
    }
  }

  override def firesByMicroBatch: Boolean = trigger.firesByMicroBatch

  override def startEndOfMicroBatch(): Unit = {
    firing = Firing.MicroBatch
    next = 0
  }

  // The next window that has grown.
  private[this] def fireNextGrown(): Boolean = {
    var isFound = false
    while (next < state.size && !isFound) {
      val r = state.recordIfRead(next)
      if (r == null) next = state.endOf(state.unreadPage(next))
      else if (r.hasGrown) isFound = true
      else next += 1
    }
    val isLeft = next < state.size
    if (isLeft) {
      val r = state.record(next)
      r.hasGrown = false
      ctx.record = r
      val answer = trigger.onMicroBatch(r.window, ctx)
      if (answer.isFire && r.isUnfired && r.hasContents) fire(r, PaneTiming.NoTimer, isLast = false)
      if (answer.isPurge) purge(r)
      registerCleanup(r) // which a trigger that clears itself has deleted
      next += 1
    } else endFiring(hasFired = true)
    isLeft
  }

  /** Advances the watermark to `watermark` and fires the event-time timers up to it. */
  def advanceWatermark(watermark: Long): Unit = advanceWatermark(watermark, watermark)

  def startWatermark(watermark: Long, dueUntil: Long): Unit = {
    if (watermark > ctx.currentWatermark) risenFrom = ctx.currentWatermark
    ctx.currentWatermark = watermark
    ctx.eventDueLimit = dueUntil
    startTimers(Firing.EventTime, dueUntil)
  }

  override def startProcessingTime(now: Long, dueUntil: Long): Unit = {
    ctx.currentProcessingTime = now
    ctx.processingDueLimit = dueUntil
    startTimers(Firing.ProcessingTime, dueUntil)
  }

  def fireNext(): Boolean = firing match {
    case Firing.Nothing    => false
    case Firing.MicroBatch => fireNextGrown()
    case Firing.EventTime  => fireNextTimer(isEventTimer = true, state.eventTimers)
    case _                 => fireNextTimer(isEventTimer = false, state.processingTimers)
  }

  // A record that is blank stays until the last timer has fired: until then it counts the calls for its window.
  private[this] def endFiring(hasFired: Boolean): Unit = {
    firing = Firing.Nothing
    ctx.eventDueLimit = Long.MinValue
    ctx.processingDueLimit = Long.MinValue
    if (hasFired && !isMerging) state.removeBlanks()
  }

  override def resume(block: Array[Byte], pieces: PieceStore, forgotten: Option[Forgettable]): Unit = {
    val kept = forgotten.fold(0)(_ => trigger.memory.numbers.size)
    openForgetting(forgotten.fold(0)(_.numbers), kept)(block, pieces)(resumeWindows(forgotten))
  }

  private[this] def resumeWindows(forgotten: Option[Forgettable]): Unit = {
    // Another lateness changes the earliest timer, even if nothing else has changed.
    state.changed = true
    if (forgotten.isDefined) {
      state.eventTimers.clear()
      state.processingTimers.clear()
    }
    var i = 0
    while (i < state.size) {
      val r = state.record(i)
      ctx.record = r
      val endIsDue = (r.timers & WindowRecord.EventEnd) != 0
      // Without lateness the timer at the end is the clean-up.
      if (endIsDue) registerCleanup(r)
      state.eventTimers.remove(ctx.cleanupTime(r), r.start, r.end) // a trigger's own, which is the clean-up now
      if (forgotten.isDefined) {
        r.timers &= (if (!isEventTime) WindowRecord.ProcessingEnd
                     else if (lateness > 0) WindowRecord.EventCleanup
                     else WindowRecord.EventEnd)
        val window  = r.window
        val mayWait = forgotten.get.mayWait || endIsDue && window.maxTimestamp <= ctx.currentWatermark
        trigger.resume(window, mayWait, ctx)
      }
      i += 1
    }
    if (silence != null) silence.restore()
    if (!isMerging) state.removeBlanks()
  }

  override def close(): Array[Byte] = {
    ctx.record = null
    super.close()
  }

  protected def processedWindow: Option[Window] =
    Option(ctx.record).map(_.window).orElse(if (silence == null) None else Option(silence.firing))

  override def nextEventTimer: Long      = math.min(super.nextEventTimer, ofRecords.earliest(isEventTimer = true))
  override def nextProcessingTimer: Long =
    math.min(super.nextProcessingTimer, ofRecords.earliest(isEventTimer = false))

  override def eventTimerCount: Int      = super.eventTimerCount + ofRecords.count(isEventTimer = true)
  override def processingTimerCount: Int = super.processingTimerCount + ofRecords.count(isEventTimer = false)

  private[this] def isLate(maxTimestamp: Long): Boolean =
    isEventTime && Millis.cleanupOf(maxTimestamp, lateness) <= ctx.currentWatermark

  // Null for a merging window that is no longer live: its timer is ignored. Any other window gets a record: for a timer
  // the trigger is called even if its state is gone.
  private[this] def recordOf(start: Long, end: Long): WindowRecord[C] = {
    val at = state.search(start, end)
    if (at >= 0) state.record(at) else if (isMerging) null else state.insert(-at - 1, start, end)
  }

  // Timers of records are added to `due` first, so that both kinds fire in one order.
  private[this] def startTimers(clock: Int, dueUntil: Long): Unit = {
    firing = clock
    limit = dueUntil
    hasFired = false
    ofRecords.collectDue(isEventTimer = clock == Firing.EventTime, dueUntil)
  }

  private[this] def fireNextTimer(isEventTimer: Boolean, timers: TimerSet): Boolean = {
    val due    = ctx.due
    val isLeft = !due.isEmpty || (!timers.isEmpty && timers.headTime <= limit)
    if (isLeft) {
      val isOfRecord = !due.isEmpty && (timers.isEmpty || due.isBefore(timers))
      val next       = if (isOfRecord) due else timers
      val time       = next.headTime
      val start      = next.headStart
      val end        = next.headEnd
      next.removeHead()
      state.changed = true
      hasFired = true
      if (isEventTimer && !isOfRecord && time == end - 1 && isEventTime) fireSilence(time)
      else {
        val r = if (isOfRecord) ofRecords.remove(isEventTimer, time, start, end) else recordOf(start, end)
        if (r != null) onTimer(isEventTimer, time, r, limit)
      }
    } else endFiring(hasFired)
    isLeft
  }

  // The timer of a silent key, which another declaration may have left.
  private[this] def fireSilence(time: Long): Unit = if (silence != null) {
    ctx.record = null
    pane.timing = PaneTiming.of(isEventTime, time, ctx.currentWatermark, risenFrom, time)
    silence.fire(pane)
  }

  private[this] def onTimer(isEventTimer: Boolean, time: Long, r: WindowRecord[C], limit: Long): Unit = {
    if (time > r.calledAt && limit != Long.MaxValue) r.calledAt = time else countTimerCall(r)
    ctx.record = r
    val answer =
      if (isEventTimer) trigger.onEventTime(time, r.window, ctx) else trigger.onProcessingTime(time, r.window, ctx)
    // Only a timer of the assigner's own time domain cleans up.
    val isCleanup = isEventTime == isEventTimer && time == ctx.cleanupTime(r)
    handleResult(r, answer, if (isEventTimer) time else PaneTiming.NoTimer, isCleanup)
    // A trigger that clears itself has deleted it, and a window that was purged would be one that never had elements.
    if (isCleanup) cleanUp(r) else if (silence != null && !isLate(r.maxTimestamp)) registerCleanup(r)
  }

  private[this] def handleResult(r: WindowRecord[C], answer: TriggerResult, timer: Long, isLast: Boolean): Unit = {
    if (answer.isFire && r.hasContents) fire(r, timer, isLast)
    if (answer.isPurge) purge(r)
  }

  private[this] def purge(r: WindowRecord[C]): Unit = if (r.hasContents) {
    state.removeContents(r)
    state.changed = true
  }

  // `timer`: the event-time timer that fires the window.
  private[this] def fire(r: WindowRecord[C], timer: Long, isLast: Boolean): Unit = {
    pane.isLast = isLast
    pane.isEmpty = false
    pane.timing = PaneTiming.of(isEventTime, r.maxTimestamp, ctx.currentWatermark, risenFrom, timer)
    if (evictor == null) {
      if (panes) countFiring(r)
      pane.isRepeat = r.isUnchanged
      out.fire(r.window, state.lookAt(r), pane)
      r.markFired(unchanged = true)
    } else {
      val current = state.contentsOf(r)
      // OperatorRules allows an evictor only with a list of elements as contents.
      val elements = current.asInstanceOf[ElementList[E]]
      val before   = elements.size
      evictor.evictBefore(elements, r.window, ctx)
      val shown = elements.size
      if (shown < before && r.isReplacedShown) r.forgetReplaced() // the firing before had other contents
      if (panes) countFiring(r)
      pane.isRepeat = r.isUnchanged && shown == before
      out.fire(r.window, current, pane)
      evictor.evictAfter(elements, r.window, ctx)
      if (elements.isEmpty) r.dropContents()
      r.markFired(unchanged = elements.size == shown)
      state.changed = true
    }
  }

  private[this] def countFiring(r: WindowRecord[C]): Unit = {
    pane.number = r.firings
    pane.replaced = r.replaced
    pane.hasFired = r.hasFired
    pane.isReplacedShown = r.isReplacedShown
    r.firings += 1
    r.hasFired = true
    state.changed = true
  }

  private[this] def cleanUp(r: WindowRecord[C]): Unit = {
    state.removeContents(r)
    trigger.clear(r.window, ctx)
    if (r.replaced != null && !r.isReplacedShown)
      r.replaced.foreach((start, end) => out.forgotten(WindowCollector.window(start, end)))
    r.forgetPanes()
    state.changed = true
    out.cleared(r.window)
    if (isMerging) retire(r)
  }

  private[this] def registerCleanup(r: WindowRecord[C]): Unit = {
    val time = ctx.cleanupTime(r)
    if (time != Long.MaxValue)
      if (isEventTime) ctx.registerEventTimeTimer(time) else ctx.registerProcessingTimeTimer(time)
  }

  private[this] def retire(r: WindowRecord[C]): Unit = {
    state.remove(state.search(r.start, r.end))
    state.changed = true
  }

  // A session stays live without contents; any other window exists only through its contents, timers and state.
  private[this] def dropIfBlank(r: WindowRecord[C]): Unit = if (!isMerging && r.isBlank) retire(r)

  // Counts calls that do not advance in time, or that run up to the end of time: all others come to an end.
  private[this] def countTimerCall(r: WindowRecord[C]): Unit = {
    r.timerCalls += 1
    if (r.timerCalls > TriggerContext.MaxTimerCalls)
      throw new IllegalStateException(
        s"timers called $trigger more than ${TriggerContext.MaxTimerCalls} times for the window ${r.window} in one " +
          "step: it would fire without end. Set each timer for a later time, use a longer interval, or a window that " +
          "ends"
      )
  }
}

private object WindowOperator {

  /** Kinds of firings. */
  object Firing {
    final val Nothing        = 0
    final val MicroBatch     = 1
    final val EventTime      = 2
    final val ProcessingTime = 3
  }
}
