"""Mistakes in triggers."""

from mistakes.mutant import Mutant

RESUMED = "engine/testOnly *ResumeSpec"

MUTANTS = [
    Mutant(
        2,
        "triggers/EventTimeTrigger.scala",
        "maxTimestamp <= ctx",
        "maxTimestamp < ctx",
    ),
    Mutant(
        0,
        "triggers/AfterWatermark.scala",
        "      ctx.setNumber(Pending, 1)\n      startTimer(early, ctx)",
        "      startTimer(early, ctx)",
        RESUMED,
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
        "if (ctx.currentWatermark == Long.MaxValue) time else",
        "if (ctx.currentWatermark != Long.MaxValue) math.max(time, ctx.currentWatermark) else",
    ),
    Mutant(
        8,
        "triggers/ContinuousEventTimeTrigger.scala",
        "setNext(next, ctx)",
        "setNext(window.maxTimestamp, ctx)",
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
    Mutant(
        7,
        "triggers/ContinuousTrigger.scala",
        "TriggerContext.MaxTimerCalls.toLong) < 0",
        "TriggerContext.MaxTimerCalls.toLong) <= 0",
        "engine/testOnly *LongOutageSpec",
    ),
    Mutant(
        7,
        "triggers/ContinuousTrigger.scala",
        "if (last == window.maxTimestamp) jumped - 1 else jumped",
        "jumped",
        "engine/testOnly *LongOutageSpec",
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
        "if (MergedNumbers.any(fired, ctx)) ctx.setNumber(fired, 1)",
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
        "triggers/ContinuousEventTimeTrigger.scala",
        "val next = math.min(least, window.maxTimestamp)",
        "val next = least",
    ),
    Mutant(
        0,
        "triggers/ContinuousProcessingTimeTrigger.scala",
        "math.min(least, window.maxTimestamp)",
        "least",
    ),
    Mutant(
        0,
        "triggers/VotingTrigger.scala",
        "if (!fired(i)) nested(i).restart",
        "if (fired(i)) nested(i).restart",
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
        "triggers/ContinuousTrigger.scala",
        "math.max(next, after(now(ctx), window))",
        "after(math.min(now(ctx), next), window)",
        "engine/testOnly *NaiveTriggersSpec",
    ),
]
