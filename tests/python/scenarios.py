"""Reads tests/scenarios/*.yaml: scenarios as plain dicts, their parts as values of the package."""

from __future__ import annotations

from pathlib import Path

import yaml

import spark_windowing as sw
from spark_windowing._builders.durations import duration, millis

FOLDER = Path(__file__).parents[1] / "scenarios"
# Durations are timedeltas in Python: at most 999,999,999 days, where the engine takes any Long of milliseconds.
LONGEST = 999_999_999 * 86_400_000


FACTORIES = {
    "NamedWindows": lambda *named: {
        name: make_part(*windows) for of in named for name, windows in of.items()
    },
    "TumblingEventTimeWindows": lambda *values: tumbling(sw.TumblingEventTimeWindows, *values),
    "TumblingProcessingTimeWindows": lambda *values: tumbling(sw.TumblingProcessingTimeWindows, *values),
    "SlidingEventTimeWindows": lambda *times: sw.SlidingEventTimeWindows.of(*map(text, times)),
    "SlidingProcessingTimeWindows": lambda *times: sw.SlidingProcessingTimeWindows.of(*map(text, times)),
    "CumulativeEventTimeWindows": lambda *times: sw.CumulativeEventTimeWindows.of(*map(text, times)),
    "CalendarWindows.days": sw.CalendarWindows.days,
    "CalendarWindows.weeks": sw.CalendarWindows.weeks,
    "CalendarWindows.months": sw.CalendarWindows.months,
    "CalendarWindows.quarters": sw.CalendarWindows.quarters,
    "CalendarWindows.years": sw.CalendarWindows.years,
    "EventTimeSessionWindows": lambda gap, *limits: sw.EventTimeSessionWindows.with_gap(
        text(gap), *limits_of(*limits)
    ),
    "EventTimeSessionWindows.withDynamicGap": lambda value, *limits: (
        sw.EventTimeSessionWindows.with_dynamic_gap(gap_of(value), *limits_of(*limits))
    ),
    "ProcessingTimeSessionWindows": lambda gap, *limits: sw.ProcessingTimeSessionWindows.with_gap(
        text(gap), *limits_of(*limits)
    ),
    "ProcessingTimeSessionWindows.withDynamicGap": lambda value, *limits: (
        sw.ProcessingTimeSessionWindows.with_dynamic_gap(gap_of(value), *limits_of(*limits))
    ),
    "OverEventTimeWindows.preceding": lambda length: sw.OverEventTimeWindows.preceding(text(length)),
    "OverEventTimeWindows.precedingRows": sw.OverEventTimeWindows.preceding_rows,
    "CountWindows": sw.CountWindows.of,
    "GlobalWindows": sw.GlobalWindows.create,
    "GlobalWindows.createWithEndOfStreamTrigger": sw.GlobalWindows.create_with_end_of_stream_trigger,
    "EventTimeTrigger": sw.EventTimeTrigger.create,
    "ProcessingTimeTrigger": sw.ProcessingTimeTrigger.create,
    "NeverTrigger": sw.NeverTrigger.create,
    "EndOfStreamTrigger": sw.EndOfStreamTrigger.create,
    "CountTrigger": sw.CountTrigger.of,
    "ContinuousEventTimeTrigger": lambda interval: sw.ContinuousEventTimeTrigger.of(text(interval)),
    "ContinuousProcessingTimeTrigger": lambda interval: sw.ContinuousProcessingTimeTrigger.of(text(interval)),
    "DeltaTrigger": lambda threshold, value: sw.DeltaTrigger.of(threshold, delta_of(value)),
    "ProcessingTimeoutTrigger": lambda nested, timeout, reset=False, clear=True: (
        sw.ProcessingTimeoutTrigger.of(
            make_part(nested), text(timeout), reset_timer_on_new_record=reset, should_clear_on_timeout=clear
        )
    ),
    "PurgingTrigger": lambda nested: sw.PurgingTrigger.of(make_part(nested)),
    "OnceTrigger": lambda nested: sw.OnceTrigger.of(make_part(nested)),
    "AnyTrigger": lambda *parts: several(sw.AnyTrigger, *parts),
    "AllTrigger": lambda *parts: several(sw.AllTrigger, *parts),
    "MicroBatchTrigger": sw.MicroBatchTrigger.create,
    "AfterWatermark": lambda early, late: sw.AfterWatermark.of(early=phase_of(early), late=phase_of(late)),
    "WatermarkStrategy.forBoundedOutOfOrderness": lambda delay: (
        sw.WatermarkStrategy.for_bounded_out_of_orderness(text(delay))
    ),
    "WatermarkStrategy.withIdleness": lambda timeout: sw.WatermarkStrategy.no_watermarks().with_idleness(
        text(timeout)
    ),
    "withClock": lambda every: sw.with_clock(None, text(every)),  # told before the rows are looked at
    "WatermarkStrategy.withMaxAheadOfClock": lambda allowance: (
        sw.WatermarkStrategy.no_watermarks().with_max_ahead_of_clock(text(allowance))
    ),
    "CountEvictor": lambda n, after=False: sw.CountEvictor.of(n, do_evict_after=after),
    "TimeEvictor": lambda size, after=False: sw.TimeEvictor.of(text(size), do_evict_after=after),
    "DeltaEvictor": lambda threshold, value, after=False: sw.DeltaEvictor.of(
        threshold, delta_of(value), do_evict_after=after
    ),
}


STRATEGIES = {
    "forBoundedOutOfOrderness": lambda delay: sw.WatermarkStrategy.for_bounded_out_of_orderness(text(delay)),
    "forMonotonousTimestamps": sw.WatermarkStrategy.for_monotonous_timestamps,
    "forGenerator": lambda: sw.WatermarkStrategy.for_generator("proves"),
    "noWatermarks": sw.WatermarkStrategy.no_watermarks,
    "ingestionTime": sw.WatermarkStrategy.ingestion_time,
}


def make_strategy(written):
    """Make the watermark strategy of a scenario, None if it has none."""
    if written is None:
        return None
    ((name, values),) = ((name, values) for name, values in written.items() if name in STRATEGIES)
    strategy = STRATEGIES[name](*values)
    if "withIdleness" in written:
        strategy = strategy.with_idleness(text(*written["withIdleness"]))
    if "withMaxAheadOfClock" in written:
        strategy = strategy.with_max_ahead_of_clock(text(*written["withMaxAheadOfClock"]))
    return strategy


def tumbling(assigner, size, offset=0, *stagger):
    named = {"stagger": stagger[0]} if stagger else {}
    return assigner.of(text(size), text(offset), **named)


def several(trigger, *parts):
    named = {"restart_on_fire": parts[-1]} if parts and isinstance(parts[-1], bool) else {}
    return trigger.of(*map(make_part, parts[: len(parts) - len(named)]), **named)


def phase_of(value):
    return make_part(value) if isinstance(value, dict) else text(value)


def gap_of(value):
    """Name the column of the gap, which is the value of a row in seconds."""
    return None if value is None else "gap"


def limits_of(max_length=None, ends_at=None):
    """Greatest length and end of sessions: a row with a negative value ends its session."""
    return text(max_length), None if ends_at is None else "value < 0"


def delta_of(value):
    """Measure `value`: of a trigger new less remembered, of an evictor last less element."""
    return None if value is None else (lambda old, new: new["value"] - old["value"])


def scenarios():
    """Every scenario of every file but arguments.yaml."""
    files = sorted(path for path in FOLDER.glob("*.yaml") if path.name != "arguments.yaml")
    return [{"file": path.stem, **case} for path in files for case in read(path)]


def arguments():
    """The factory calls of arguments.yaml."""
    return read(FOLDER / "arguments.yaml")


def read(path):
    return yaml.safe_load(path.read_text(encoding="utf-8"))


def make_part(written):
    """Make the value written as ``{class: arguments}``; None is one that is left out."""
    if written is None:
        return None
    ((name, values),) = written.items()
    return FACTORIES[name](*values)


def too_long(scenario):
    """Whether the lateness of a scenario is no duration in Python."""
    lateness = scenario.get("allowed_lateness", 0)
    return isinstance(lateness, int) and lateness > LONGEST


def declared(keyed, scenario):
    """Declare the windows of a scenario."""
    windows = make_part(scenario["window"])
    stream = keyed.windows(**windows) if isinstance(windows, dict) else keyed.window(windows)
    if "trigger" in scenario:
        stream = stream.trigger(make_part(scenario["trigger"]))
    if "evictor" in scenario:
        stream = stream.evictor(make_part(scenario["evictor"]))
    if "allowed_lateness" in scenario:
        stream = stream.allowed_lateness(text(scenario["allowed_lateness"]))
    if "fill_empty" in scenario:
        stream = stream.fill_empty(for_at_most=text(scenario["fill_empty"]))
    if scenario.get("with_pane"):
        stream = stream.with_pane()
    if scenario.get("collapse_firings"):
        stream = stream.collapse_firings()
    return stream.side_output_late_data("late")


def text(value):
    """Write a time of a scenario as a duration of the package: a number counts milliseconds, None is none."""
    return f"{value} ms" if isinstance(value, int) else value


def moment(value):
    """Read a time of a scenario as epoch milliseconds."""
    return millis(duration("time", text(value)))
