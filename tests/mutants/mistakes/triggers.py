"""Mistakes in triggers."""

from mistakes.mutant import Mutant

MUTANTS = [
    Mutant(
        2,
        "triggers/EventTimeTrigger.scala",
        "maxTimestamp <= ctx",
        "maxTimestamp < ctx",
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
        "triggers/ContinuousEventTimeTrigger.scala",
        "val next = math.min(least, window.maxTimestamp)",
        "val next = least",
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
        "triggers/Multiples.scala",
        "math.max(next, this.next(now, window))",
        "this.next(math.min(now, next), window)",
        "engine/testOnly *NaiveTriggersSpec",
    ),
]
