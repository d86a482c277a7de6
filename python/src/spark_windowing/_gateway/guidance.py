"""Replacements for methods that users of grouped DataFrames expect."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spark_windowing._gateway.other_names import other_name

if TYPE_CHECKING:
    from collections.abc import Collection

_AGGREGATES = {
    "count": 'F.count("*").alias("count")',
    "sum": 'F.sum("price").alias("sum")',
    "min": 'F.min("price").alias("min")',
    "max": 'F.max("price").alias("max")',
    "avg": 'F.avg("price").alias("avg")',
    "mean": 'F.avg("price").alias("mean")',
}
_WINDOW = '.window(sw.TumblingEventTimeWindows.of("5 minutes"))'
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


def keyed_process(refusal: str) -> str:
    """Return the error text for a Python function over the rows of a key, after what is refused."""
    return (
        f"{refusal}. A Python function takes the rows of a window: {_WINDOW}.process(function, schema). "
        "State and timers of a key are columns: .process(sw.ColumnProcess.of(state=.., on_element=lambda "
        'row, state: sw.Do(..))), or a class of a jar: .process(sw.jvm("com.acme.MyProcess"), schema). '
        'For any Python with timers use Spark\'s own df.groupBy("key").transformWithStateInPandas(..) beside '
        "windows"
    )


def missing_window(name: str, known: Collection[str] = (), owner: str = "KeyedStream") -> str:
    """Return the error text for an attribute that is not among the `known` ones."""
    if name in _SPARK_STATE:
        return keyed_process(f"a KeyedStream has no {name}()")
    if name in _AGGREGATES:
        line = f"{_WINDOW}.aggregate({_AGGREGATES[name]})"
        return f"a KeyedStream has no {name}(): declare a window, then aggregate: {line}"
    if name in _AFTER_WINDOW:
        return f"a KeyedStream has no {name}(): declare a window first: {_WINDOW}.{name}(..)"
    return other_name(name, known) or f"{owner!r} object has no attribute {name!r}"


def missing_aggregate(name: str, known: Collection[str] = (), owner: str = "WindowedStream") -> str:
    """Return the error text for an attribute that is not among the `known` ones."""
    if name in _AGGREGATES:
        return f"a WindowedStream has no {name}(): write .aggregate({_AGGREGATES[name]})"
    return other_name(name, known) or f"{owner!r} object has no attribute {name!r}"


def missing_join(name: str, known: Collection[str] = ()) -> str:
    """Return the error text for an attribute that is not among the `known` ones."""
    if name in _AGGREGATES or name in ("aggregate", "agg", "process", "apply", "reduce"):
        return (
            f"a join has no {name}(): it ends in inner(), left(), right() or full(). For a computation over "
            "the rows of both inputs: sw.co_group(clicks=.., orders=..)"
        )
    return other_name(name, known) or f"'JoinedWindows' object has no attribute {name!r}"


def query_trigger(settings: dict[str, object]) -> str:
    """Return the error text for the settings of a query's trigger given to a window."""
    written = ", ".join(f"{name}={value!r}" for name, value in settings.items())
    return (
        f"trigger({written}) is the query's trigger, the rhythm of its micro-batches: write "
        f"result.writeStream.trigger({written}). A window trigger says when a window fires: "
        ".trigger(sw.CountTrigger.of(100))"
    )
