"""Mistakes that are easily made: what stands in the code, and what is written instead."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

ENGINE = Path("core-scala/engine/src/main/scala/dev/sparkwindowing")
SPARK = Path("core-scala/spark/src/main/scala/dev/sparkwindowing")


class Mutant(NamedTuple):
    """A mistake: which one, where, what stands there, and what is written instead."""

    number: int
    file: str
    before: str
    after: str
    tests: str = "engine/testOnly *ScenarioSpec"

    def path(self, checkout):
        """Say where the file lies: one without tests of its own is the engine's."""
        return checkout / (SPARK if self.tests.startswith("spark/") else ENGINE) / self.file


MUTANTS = [
    Mutant(
        1,
        "operator/MergingWindowSet.scala",
        "state.record(until).start <= end",
        "state.record(until).start < end",
    ),
    Mutant(
        1,
        "operator/MergingWindowSet.scala",
        "state.record(middle).end < start",
        "state.record(middle).end <= start",
    ),
    Mutant(
        2,
        "triggers/EventTimeTrigger.scala",
        "maxTimestamp <= ctx",
        "maxTimestamp < ctx",
    ),
    Mutant(
        2,
        "operator/WindowOperator.scala",
        "Millis.cleanupOf(maxTimestamp, lateness) <= ctx.",
        "Millis.cleanupOf(maxTimestamp, lateness) < ctx.",
    ),
    Mutant(
        3,
        "operator/WindowOperator.scala",
        "isLate(WindowCollector.maxTimestamp(if (live == null) start else live.start, if (live == null) end else live.end))",
        "isLate(WindowCollector.maxTimestamp(start, end))",
    ),
    Mutant(
        4,
        "operator/WindowOperator.scala",
        "timestamp + lateness <= ctx",
        "timestamp + lateness < ctx",
    ),
    Mutant(
        4,
        "operator/WindowOperator.scala",
        "if (skipped && isEventTime &&",
        "if (isEventTime &&",
    ),
    Mutant(
        5,
        "operator/WindowOperator.scala",
        "    handleResult(r, answer, if (isEventTimer) time else PaneTiming.NoTimer, isCleanup)\n",
        "    if (!isCleanup || time == r.maxTimestamp) handleResult(r, answer, PaneTiming.NoTimer, isCleanup)\n",
    ),
    Mutant(
        0,
        "operator/MergingWindowSet.scala",
        "if (r.hasFired) result.replace",
        "if (r.firings > 0) result.replace",
    ),
    Mutant(
        0,
        "operator/WindowOperator.scala",
        "r.markFired(unchanged = elements.size == shown)",
        "r.markFired(unchanged = true)",
    ),
    Mutant(
        0,
        "operator/RepeatedFirings.scala",
        "if (found >= 0 && before.timing == PaneTiming.OnTime)",
        "if (false)",
    ),
    Mutant(
        6,
        "operator/WindowOperator.scala",
        "    r.dropContents()\n    state.changed = true\n  }\n\n  // `timer`",
        "    r.dropContents()\n    state.changed = true\n    if (isMerging) retire(r)\n  }\n\n  // `timer`",
    ),
    Mutant(
        7,
        "triggers/ContinuousEventTimeTrigger.scala",
        "timestamp - timestamp % interval",
        "Math.floorDiv(timestamp, interval) * interval",
    ),
    Mutant(
        7,
        "triggers/ContinuousEventTimeTrigger.scala",
        "setNext(if (watermark == Long.MaxValue) time else",
        "setNext(if (watermark != Long.MaxValue) math.max(time, watermark) else",
    ),
    Mutant(
        8,
        "triggers/ContinuousEventTimeTrigger.scala",
        "        ctx.setNumber(Next, next)\n        ctx.registerEventTimeTimer(next)\n",
        "        ctx.setNumber(Next, window.maxTimestamp)\n        ctx.registerEventTimeTimer(window.maxTimestamp)\n",
    ),
    Mutant(
        9,
        "triggers/ProcessingTimeTrigger.scala",
        "ctx: TriggerContext): TriggerResult = Fire",
        "ctx: TriggerContext): TriggerResult = if (time == window.maxTimestamp) Fire else Continue",
    ),
    Mutant(
        9,
        "triggers/EventTimeTrigger.scala",
        "if (time == window.maxTimestamp) Fire else Continue",
        "Fire",
    ),
    Mutant(
        10,
        "triggers/CountTrigger.scala",
        "def onEventTime(time: Long, window: Window, ctx: TriggerContext): TriggerResult      = Continue",
        "def onEventTime(time: Long, window: Window, ctx: TriggerContext): TriggerResult      = Fire",
    ),
    Mutant(
        11,
        "triggers/DeltaTrigger.scala",
        "element) > threshold",
        "element) >= threshold",
    ),
    Mutant(11, "evictors/DeltaEvictor.scala", ">= threshold)", "> threshold)"),
    Mutant(11, "evictors/DeltaEvictor.scala", "elements(elements.size - 1)", "elements(0)"),
    Mutant(
        12,
        "evictors/TimeEvictor.scala",
        "elements.timestamp(_) <= cutoff",
        "elements.timestamp(_) < cutoff",
    ),
    Mutant(12, "evictors/TimeEvictor.scala", "newest - size", "newest - size - 1"),
    Mutant(
        13,
        "operator/WindowOperator.scala",
        "      if (elements.isEmpty) r.dropContents()\n",
        "",
    ),
    Mutant(
        14,
        "assigners/GlobalWindows.scala",
        "def isEventTime: Boolean         = false",
        "def isEventTime: Boolean         = true",
    ),
    Mutant(
        15,
        "operator/Step.scala",
        "cell.watermark > cell.previousWatermark",
        "cell.watermark >= cell.previousWatermark",
    ),
    Mutant(
        0,
        "operator/Step.scala",
        "      advanceProcessingTime(cell)\n      take(rows)\n      operator.endMicroBatch()\n      advanceWatermark(cell)",
        "      take(rows)\n      operator.endMicroBatch()\n      advanceWatermark(cell)\n      advanceProcessingTime(cell)",
        "engine/testOnly *StepSpec",
    ),
    Mutant(
        7,
        "triggers/Multiples.scala",
        "(until - time, reach) < 0",
        "(until - time, reach) <= 0",
        "engine/testOnly *LongOutageSpec",
    ),
    Mutant(
        7,
        "triggers/Multiples.scala",
        "if (last == window.maxTimestamp) jumped - 1 else jumped",
        "jumped",
        "engine/testOnly *LongOutageSpec",
    ),
    Mutant(
        7,
        "operator/WindowOperator.scala",
        "if (time > r.calledAt && limit",
        "if (r.timerCalls < 0 && limit",
        "engine/testOnly *LongOutageSpec",
    ),
    Mutant(
        16,
        "operator/WindowOperator.scala",
        "    out.cleared(r.window)\n",
        '    out.cleared(r.window)\n    state.functions.remove(FunctionState.OfWindow(r.start, r.end), "firings")\n',
    ),
    Mutant(
        18,
        "spark/functions/FieldReduction.scala",
        "replaced(schema, field, greatest(a(field), b(field)))",
        "by(field, true, b(field) > a(field))",
        "spark/testOnly *FieldReductionSpec",
    ),
    Mutant(
        0,
        "spark/expressions/RowFunction.scala",
        "project == null || first.numFields != width",
        "project == null",
        "spark/testOnly *ChangedInputSpec -- -z compares",
    ),
    Mutant(
        0,
        "spark/task/StoreTask.scala",
        "firedUpTo(previous, Long.MinValue)",
        "firedUpTo(batch.watermark, batch.dueProcessingTime)",
        "spark/testOnly *StateChangeSpec -- -z timers",
    ),
    Mutant(
        20,
        "KeyedStream.scala",
        "CountTrigger.of(slide, if (onlyFull) size else 0)",
        "CountTrigger.of(slide, size)",
        "spark/testOnly *CountWindowSpec",
    ),
    Mutant(
        17,
        "operator/MergingWindowSet.scala",
        "        if (!result.hasContents) {",
        "        if (!result.hasContents && until > from + 1) {",
    ),
    Mutant(
        19,
        "windows/WindowCollector.scala",
        "Long.MaxValue else end - 1",
        "Long.MaxValue else end",
    ),
    Mutant(
        0,
        "windows/Window.scala",
        "Math.floorMod(timestamp - offset, size)",
        "(timestamp - offset) % size",
    ),
    Mutant(
        0,
        "triggers/ProcessingTimeoutTrigger.scala",
        "if (shouldClearOnTimeout) clear",
        "if (!shouldClearOnTimeout) clear",
    ),
    Mutant(
        0,
        "triggers/AfterWatermark.scala",
        "    } else firePending(ctx) // the",
        "    } else Continue // the",
    ),
    Mutant(
        0,
        "triggers/OnceTrigger.scala",
        "if (Merged.any(fired, ctx)) ctx.setNumber(fired, 1)",
        "",
    ),
    Mutant(
        0,
        "triggers/PurgingTrigger.scala",
        "if (answer eq Fire) FireAndPurge else answer",
        "if (answer eq FireAndPurge) Fire else answer",
    ),
    Mutant(
        0,
        "triggers/CountTrigger.scala",
        "sum += ctx.mergedNumber(w, 0)",
        "sum = ctx.mergedNumber(w, 0)",
    ),
    Mutant(
        0,
        "watermarks/BoundedOutOfOrderness.scala",
        "highest - delay - 1",
        "highest - delay",
    ),
    Mutant(
        0,
        "watermarks/Idleness.scala",
        "clock() - start > timeout",
        "clock() - start >= timeout",
    ),
    Mutant(
        0,
        "watermarks/QuietInput.scala",
        "foundNothing && last <= now)",
        "foundNothing && last <= now).map(_ => now)",
        "engine/testOnly *QuietInputSpec",
    ),
    Mutant(
        0,
        "watermarks/QuietInput.scala",
        "until - since < timeout",
        "until - since <= timeout",
        "engine/testOnly *QuietInputSpec",
    ),
    Mutant(
        0,
        "watermarks/RisingWatermarks.scala",
        "      markActive()\n",
        "",
    ),
    Mutant(
        0,
        "watermarks/WatermarkValve.scala",
        "if (watermark >= last) caughtUp",
        "if (watermark > last) caughtUp",
    ),
    Mutant(
        0,
        "watermarks/WatermarkValve.scala",
        "if (watermarks(input) == last) emit(watermarks.max)",
        "emit(watermarks.max)",
    ),
    Mutant(
        0,
        "spark/plan/WindowNode.scala",
        "    program.onCopy.copied()\n",
        "",
        "spark/testOnly *CheckpointCheckSpec -- -z changed",
    ),
    Mutant(
        0,
        "spark/checkpoint/Specification.scala",
        "Spec.Sql(k, Some(t.catalogString))",
        "Spec.Sql(k.take(0), Some(t.catalogString))",
        "spark/testOnly *StateChangeSpec -- -z keys",
    ),
    Mutant(
        0,
        "columns/RowParts.scala",
        "InnerTrigger.of(bound, spec)",
        "bound",
        "spark/testOnly *NestedPartsSpec",
    ),
    Mutant(
        0,
        "declaration/Difference.scala",
        "now.mayGrow && is >= was",
        "now.mayGrow && is != was",
        "engine/testOnly *SpecSpec",
    ),
    Mutant(
        0,
        "operator/Step.scala",
        "if (cell.nextWatermark > cell.watermark)",
        "if (cell.nextWatermark > cell.watermark + 9)",
        "engine/testOnly *StepSpec",
    ),
    Mutant(
        0,
        "spark/task/StreamBatch.scala",
        "if (nextWatermark > watermark) nextWatermark else ",
        "",
        "spark/testOnly *WatermarkTimingSpec -- -z complete",
    ),
    Mutant(
        0,
        "spark/task/StoreTask.scala",
        "if (hasFired) batch.watermark else batch.previousWatermark",
        "if (hasFired) batch.previousWatermark else batch.previousWatermark",
        'spark/testOnly *StateChangeSpec -- -z "has fired"',
    ),
    Mutant(
        0,
        "spark/task/TimerIndex.scala",
        "if (StateRow.eventTimer(after) < StateRow.eventTimer(before))",
        "if (StateRow.eventTimer(after) > StateRow.eventTimer(before))",
        'spark/testOnly *TimerIndexSpec -- -z "earlier time"',
    ),
    Mutant(
        0,
        "spark/task/StoreTask.scala",
        "if (cell.current != null) addAgain(key)",
        "if (cell.current == null) addAgain(key)",
        "spark/testOnly *TimerIndexSpec -- -z figures",
    ),
    Mutant(
        0,
        "operator/WindowOperator.scala",
        "if (answer.isFire && r.isUnfired && r.hasContents) fire",
        "if (answer.isFire && r.hasContents) fire",
        "engine/testOnly *ScenarioSpec",
    ),
    Mutant(
        0,
        "operator/WindowOperator.scala",
        "registerCleanup(r) // which a trigger that clears itself has deleted",
        "",
        "engine/testOnly *ScenarioSpec",
    ),
    Mutant(
        0,
        "spark/plan/PreAggregation.scala",
        "rules.trigger.needsEachElement(rules.allowedLateness),",
        "rules.trigger.needsEachElement(0),",
        'spark/testOnly *FastPathSpec -- -z "explain says"',
    ),
    Mutant(
        0,
        "operator/LimitedSessionSet.scala",
        "(ended && r.end <= start) || (isEnded && r.start >= resultEnd)",
        "isEnded && r.start >= resultEnd",
    ),
    Mutant(
        0,
        "operator/LimitedSessionSet.scala",
        "(ended && r.end <= start) || (isEnded && r.start >= resultEnd)",
        "ended && r.end <= start",
    ),
    Mutant(
        0,
        "operator/WindowContext.scala",
        "val end = currentWatermark - lateness + 2",
        "val end = currentWatermark - lateness + 1",
    ),
    Mutant(
        0,
        "operator/LimitedSessionSet.scala",
        "if (!hasEnds || !hasLast(r)) r.end else r.numbers(lastAt) + 1",
        "r.end",
    ),
    Mutant(
        0,
        "operator/LimitedSessionSet.scala",
        "      last = i\n",
        "      if (last < 0) last = i\n",
    ),
    Mutant(
        0,
        "triggers/ContinuousEventTimeTrigger.scala",
        "val next = math.min(least, window.maxTimestamp)",
        "val next = least",
    ),
    Mutant(
        0,
        "windows/CalendarSlices.scala",
        "while (midnight(next) <= time) {",
        "while (midnight(next) <= time - 3600000) {",
    ),
    Mutant(
        0,
        "windows/CumulativeSlices.scala",
        "def nextStart(end: Long): Long    = startOf(end, maxSize)",
        "def nextStart(end: Long): Long    = startOf(end - 1, maxSize)",
        "engine/testOnly *SlicesAgainstWindowsSpec",
    ),
    Mutant(
        0,
        "operator/LimitedSessionSet.scala",
        "state.eventTimers.removeAll(part.start, part.end)",
        "",
        "engine/testOnly *LimitedSessionsSpec -- -z timers",
    ),
    Mutant(
        0,
        "triggers/ContinuousProcessingTimeTrigger.scala",
        "val next = math.min(least, window.maxTimestamp)",
        "val next = least",
    ),
    Mutant(
        0,
        "triggers/VotingTrigger.scala",
        "if (!fired(i)) nested(i).restart",
        "nested(i).restart",
        "engine/testOnly *ScenarioSpec",
    ),
    Mutant(
        0,
        "triggers/Trigger.scala",
        "clear(window, new EndTimersKept(ctx, window.maxTimestamp))",
        "clear(window, ctx)",
        "engine/testOnly *ScenarioSpec",
    ),
    Mutant(
        0,
        "triggers/Multiples.scala",
        "math.max(next, this.next(now, window))",
        "this.next(now, window)",
        "engine/testOnly *NaiveTriggersSpec",
    ),
    Mutant(
        0,
        "operator/PaneInfo.scala",
        "else if (timer == maxTimestamp && timer > risenFrom) OnTime",
        "else if (timer == maxTimestamp) OnTime",
        "engine/testOnly *PaneTimingSpec",
    ),
    Mutant(
        0,
        "operator/PaneInfo.scala",
        "math.max(timer, risenFrom)",
        "watermark",
        "engine/testOnly *ScenarioSpec",
    ),
    Mutant(
        0,
        "functions/JoinKind.scala",
        "if (keepsRight && !(matches && hasLeft))",
        "if (keepsRight && !hasLeft)",
        "engine/testOnly *JoinKindSpec",
    ),
    Mutant(
        0,
        "functions/JoinKind.scala",
        "if (matches && count > 0) pairs",
        "if (matches) pairs",
        "engine/testOnly *JoinKindSpec",
    ),
]
