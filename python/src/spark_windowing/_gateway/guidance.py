"""Lines to type in place of names that users know from grouped DataFrames, Flink, Kafka Streams and Beam."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection


def other_name(name: str, known: Collection[str]) -> str | None:
    """Return the error text with the line to type in place of a name, None if there is none.

    Parameters
    ----------
    name
        The name that is missing.
    known
        The names that are there: one of them may be the missing one in Python's spelling.
    """
    if name.startswith("_"):  # of Python and of notebooks, which only ask
        return None
    for system, names in OTHER_NAMES.items():
        if name in names:
            ours, line = names[name]
            return f"{name} is {system} name for {ours}: {line}"
    snake = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()
    return f"{name} is written {snake} in Python" if snake != name and snake in known else None


def missing_window(name: str, known: Collection[str] = ()) -> str:
    """Return the error text for an attribute that a `KeyedStream` with the `known` ones does not have."""
    if name in _SPARK_STATE:
        return keyed_process(f"a KeyedStream has no {name}()")
    if name in _AGGREGATES:
        line = f"{_TUMBLING}.aggregate({_AGGREGATES[name]})"
        return f"a KeyedStream has no {name}(): declare a window, then aggregate: {line}"
    if name in _AFTER_WINDOW:
        return f"a KeyedStream has no {name}(): declare a window first: {_TUMBLING}.{name}(..)"
    return other_name(name, known) or f"'KeyedStream' object has no attribute {name!r}"


def missing_aggregate(name: str, known: Collection[str] = ()) -> str:
    """Return the error text for an attribute that a `WindowedStream` with the `known` ones does not have."""
    if name in _AGGREGATES:
        return f"a WindowedStream has no {name}(): write .aggregate({_AGGREGATES[name]})"
    return other_name(name, known) or f"'WindowedStream' object has no attribute {name!r}"


def missing_join(name: str, known: Collection[str] = ()) -> str:
    """Return the error text for an attribute that `JoinedWindows` with the `known` ones do not have."""
    if name in _AGGREGATES or name in ("aggregate", "agg", "process", "apply", "reduce"):
        return (
            f"a join has no {name}(): it ends in inner(), left(), right() or full(). For a computation over "
            "the rows of both inputs: sw.co_group(clicks=.., orders=..)"
        )
    return other_name(name, known) or f"'JoinedWindows' object has no attribute {name!r}"


def keyed_process(refusal: str) -> str:
    """Return the error text for a Python function over the rows of a key; it begins with the `refusal`."""
    return (
        f"{refusal}. A Python function takes the rows of a window: {_TUMBLING}.process(function, schema). "
        "State and timers of a key are columns: .process(sw.ColumnProcess.of(state=.., on_element=lambda "
        'row, state: sw.Do(..))), or a class of a jar: .process(sw.jvm("com.acme.MyProcess"), schema). '
        'For any Python with timers use Spark\'s own df.groupBy("key").transformWithStateInPandas(..) beside '
        "windows"
    )


def query_trigger(settings: dict[str, object]) -> str:
    """Return the error text for the settings of a query's trigger given to a window."""
    written = ", ".join(f"{name}={value!r}" for name, value in settings.items())
    return (
        f"trigger({written}) is the query's trigger, the rhythm of its micro-batches: write "
        f"result.writeStream.trigger({written}). A window trigger says when a window fires: "
        ".trigger(sw.CountTrigger.of(100))"
    )


_AGGREGATES = {
    "count": 'F.count("*").alias("count")',
    "sum": 'F.sum("price").alias("sum")',
    "min": 'F.min("price").alias("min")',
    "max": 'F.max("price").alias("max")',
    "avg": 'F.avg("price").alias("avg")',
    "mean": 'F.avg("price").alias("mean")',
}
_AFTER_WINDOW = (
    "aggregate",
    "agg",
    "trigger",
    "evictor",
    "allowed_lateness",
    "side_output_late_data",
)
_SPARK_STATE = (
    "apply",
    "applyInPandas",
    "applyInPandasWithState",
    "transformWithState",
    "transformWithStateInPandas",
)
_KEY_BY = 'sw.key_by(df, "user", time="ts")'
_TUMBLING = '.window(sw.TumblingEventTimeWindows.of("5 minutes"))'
_SLIDING = '.window(sw.SlidingEventTimeWindows.of("1 hour", "5 minutes"))'
_SESSIONS = '.window(sw.EventTimeSessionWindows.with_gap("30 minutes"))'
_LATENESS = '.allowed_lateness("1 hour")'
_ONCE = ".trigger(sw.OnceTrigger.of(sw.EventTimeTrigger.create()))"
_FUNCTION = '.apply(function, "n long")'
_PROCESS = 'sw.key_by(df, "user").process(sw.ColumnProcess.of(on_element=sw.Do(emit="struct(row.price)")))'

# By system, with its apostrophe, and name: what replaces the name, and the line to type. A line that begins
# with a dot follows ``sw.key_by(..)`` if it is ``.window(..)``, otherwise the windows.
OTHER_NAMES = {
    "Flink's": {
        "keyBy": ("key_by", _KEY_BY),
        "allowedLateness": ("allowed_lateness", _LATENESS),
        "sideOutputLateData": ("side_output_late_data", '.side_output_late_data("late")'),
        "getSideOutput": ("side_output", 'sw.side_output(result, "late")'),
        "OutputTag": ("the name of a side output", '.side_output_late_data("late")'),
        "Time": ("a duration, a text or a timedelta", _TUMBLING),
        "WindowFunction": ("a Python function of windows", _FUNCTION),
        "ProcessWindowFunction": ("a Python function", '.process(function, "n long")'),
        "KeyedProcessFunction": ("ColumnProcess", _PROCESS),
    },
    "Flink's old": {
        "TumblingTimeWindows": ("TumblingEventTimeWindows", _TUMBLING),
        "SlidingTimeWindows": ("SlidingEventTimeWindows", _SLIDING),
    },
    "Kafka Streams'": {
        "TimeWindows": ("TumblingEventTimeWindows", _TUMBLING),
        "SessionWindows": ("EventTimeSessionWindows", _SESSIONS),
        "UnlimitedWindows": (
            "GlobalWindows, with a trigger",
            ".window(sw.GlobalWindows.create()).trigger(sw.CountTrigger.of(1))",
        ),
        "groupByKey": ("key_by", _KEY_BY),
        "windowedBy": ("window", _TUMBLING),
        "advanceBy": ("sliding windows", _SLIDING),
        "grace": ("allowed_lateness, which counts from the watermark", _LATENESS),
        "suppress": ("one result, as without a lateness", _ONCE),
        "Suppressed": ("one result, as without a lateness", _ONCE),
        "EmitStrategy": ("a trigger", ".trigger(sw.MicroBatchTrigger.create())"),
    },
    "Beam's": {
        "WindowInto": ("window", _TUMBLING),
        "FixedWindows": ("TumblingEventTimeWindows", _TUMBLING),
        "SlidingWindows": (
            "SlidingEventTimeWindows (Kafka Streams' are sw.OverEventTimeWindows.preceding)",
            _SLIDING,
        ),
        "Sessions": ("EventTimeSessionWindows", _SESSIONS),
        "GroupByKey": ("key_by", _KEY_BY),
        "DefaultTrigger": ("EventTimeTrigger", ".trigger(sw.EventTimeTrigger.create())"),
        "Repeatedly": ("any trigger, all of which repeat", ".trigger(sw.CountTrigger.of(100))"),
        "AfterCount": ("CountTrigger, which repeats", ".trigger(sw.CountTrigger.of(100))"),
        "AfterProcessingTime": (
            "an interval of processing time",
            '.trigger(sw.AfterWatermark.of(early="10 seconds"))',
        ),
        "AfterEach": (
            "a trigger for each phase of a window",
            ".trigger(sw.AfterWatermark.of(early=sw.CountTrigger.of(100), late=sw.CountTrigger.of(1)))",
        ),
        "AfterAny": (
            "AnyTrigger",
            ".trigger(sw.AnyTrigger.of(sw.EventTimeTrigger.create(), sw.CountTrigger.of(100)))",
        ),
        "AfterAll": (
            "AllTrigger",
            ".trigger(sw.AllTrigger.of(sw.EventTimeTrigger.create(), sw.CountTrigger.of(100)))",
        ),
        "AccumulationMode": (
            "PurgingTrigger for DISCARDING, and no word for ACCUMULATING",
            ".trigger(sw.PurgingTrigger.of(sw.EventTimeTrigger.create()))",
        ),
    },
    "PySpark's": {
        "groupBy": ("key_by", _KEY_BY),
        "groupby": ("key_by", _KEY_BY),
        "session_window": ("an assigner", _SESSIONS),
        "window_time": ("the event time of a result, which key_by finds", 'sw.key_by(result, "user")'),
        "withWatermark": (
            "a watermark of the DataFrame",
            'sw.key_by(df.withWatermark("ts", "10 seconds"), "user")',
        ),
        "cogroup": (
            "co_group",
            'sw.co_group(a=sw.key_by(df, "user", time="ts"), b=sw.key_by(df, "user", time="ts"))',
        ),
        "applyInPandas": ("a Python function of windows", _FUNCTION),
        "applyInPandasWithState": ("state and timers of a key", _PROCESS),
        "transformWithState": ("state and timers of a key", _PROCESS),
        "transformWithStateInPandas": ("state and timers of a key", _PROCESS),
    },
    "another": {
        "TumblingWindows": ("TumblingEventTimeWindows", _TUMBLING),
        "HoppingWindows": ("SlidingEventTimeWindows", _SLIDING),
    },
}
