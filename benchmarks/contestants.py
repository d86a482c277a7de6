"""Who computes the works: each can time one, and give the figures by which results are compared."""

from __future__ import annotations

import shutil
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, fields, replace
from functools import reduce
from typing import TYPE_CHECKING, Any, Protocol

import pandas as pd
from pyspark.sql import GroupedData
from pyspark.sql import functions as F

import sessions
import spark_windowing as sw
import transform_with_state
from events import DELAY, Events, Files
from works import FUNCTIONS, ZONE, Work

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyspark.sql import Column, DataFrame, SparkSession
    from pyspark.sql.streaming import DataStreamWriter, StreamingQuery

    from jvm import Jvm

Digest = dict[str, Any]
NOTHING: Digest = {"rows": 0, "a": 0.0, "b": 0.0, "hash": 0}
PROCESSORS = "transform", "transform_scala"
MISSING = () if hasattr(GroupedData, "transformWithState") else PROCESSORS  # in this Spark


@dataclass(frozen=True)
class State:
    """What a query had in its state when that was largest."""

    rows: int
    memory: int
    current: int | None  # without older versions that are kept too; only the store in memory says so
    own: int | None  # this project's count of the bytes of its rows


class Contestant(Protocol):
    """One column of the table."""

    title: str

    def events(self, events: Events) -> Events:
        """Return the events that it gets of those of a work."""

    def time(self, work: Work, files: Files) -> tuple[float, State | None]:
        """Run the work into nothing; the seconds, and the state."""

    def digest(self, work: Work, files: Files) -> Digest:
        """Run the work and return the figures of its results."""


class Flink:
    """Flink's DataStream API in a JVM of its own. It makes the events itself, as it goes."""

    title = "Flink"

    def __init__(self, jvm: Jvm) -> None:
        self._jvm = jvm

    def events(self, events: Events) -> Events:
        """Take all."""
        return events

    def time(self, work: Work, files: Files) -> tuple[float, None]:
        """Run the work; from the submission until the last row has come."""
        answer = self._jvm.ask("time", events=asdict(files.events), work=work.flink())
        return answer["seconds"], None

    def digest(self, work: Work, files: Files) -> Digest:
        """Run the work with the figures of its results in accumulators."""
        ordered = work.windows == "count"
        fields = {"events": asdict(files.events), "work": work.flink()}
        return self._jvm.ask("digest", **fields, cutoff=files.cutoff, ordered=ordered)


class OnSpark:
    """A streaming query over the files."""

    def __init__(
        self,
        spark: SparkSession,
        title: str,
        result: Callable[[Work, DataFrame, bool], DataFrame],
        share: int = 1,
        mode: str = "append",
        operator: str | None = None,
    ) -> None:
        self._spark = spark
        self.title = title
        self._result = result
        self._share = share
        self._mode = mode
        self._conf = {} if operator is None else {"spark.windowing.operator": operator}

    def events(self, events: Events) -> Events:
        """Take all, or few if it is slow."""
        return events if self._share == 1 else events.few()

    def time(self, work: Work, files: Files) -> tuple[float, State | None]:
        """Run the query; from its start to its end."""
        writer = self._result(work, self._stream(files), False).writeStream.format("noop")  # noqa: FBT003
        self._spark._jvm.System.gc()  # type: ignore[union-attr]
        start = time.perf_counter()
        query = self._run(work, writer)
        return time.perf_counter() - start, largest_state(query)

    def digest(self, work: Work, files: Files) -> Digest:
        """Run the query and add the figures of each micro-batch."""
        digest = dict(NOTHING)

        def add(rows: DataFrame, _: int) -> None:
            # Not before: Spark moves a condition on the end of a session to the elements, another result.
            digest.update(added(digest, figures(to_compare(work, rows, files.cutoff))))

        result = self._result(work, self._stream(files), True)  # noqa: FBT003
        self._run(work, result.writeStream.foreachBatch(add))
        return digest

    def _stream(self, files: Files) -> DataFrame:
        reader = self._spark.readStream.schema("key BIGINT, ts TIMESTAMP, value DOUBLE")
        reader = reader.option("maxFilesPerTrigger", 1)
        return reader.parquet(str(files.folder)).withWatermark("ts", f"{DELAY} milliseconds")

    def _run(self, work: Work, writer: DataStreamWriter) -> StreamingQuery:
        checkpoint = tempfile.mkdtemp()
        conf = {**work.conf, **self._conf}
        for name, value in conf.items():
            self._spark.conf.set(name, value)
        try:
            writer = writer.outputMode(self._mode).option("checkpointLocation", checkpoint)
            query = writer.trigger(availableNow=True).start()
            query.awaitTermination()
        finally:
            for name in conf:
                self._spark.conf.unset(name)
            shutil.rmtree(checkpoint)
        return query


class OfEachSize:
    """A streaming query for each size of several windows, all at the same time."""

    def __init__(self, one: OnSpark, title: str) -> None:
        self._one = one
        self.title = title

    def events(self, events: Events) -> Events:
        """Take all."""
        return events

    def time(self, work: Work, files: Files) -> tuple[float, State | None]:
        """Run the queries; until the last has ended, and the state of all."""
        start = time.perf_counter()
        with ThreadPoolExecutor(len(work.sizes)) as pool:
            states = [state for _, state in pool.map(lambda one: self._one.time(one, files), _alone(work))]
        seconds = time.perf_counter() - start
        if None in states:
            return seconds, None
        sums = {f.name: sum(getattr(state, f.name) or 0 for state in states) for f in fields(State)}
        return seconds, State(**sums)

    def digest(self, work: Work, files: Files) -> Digest:
        """Run one query after the other and add their figures."""
        return reduce(added, (self._one.digest(one, files) for one in _alone(work)))


def _alone(work: Work) -> list[Work]:
    return [replace(work, windows="tumbling", size=size, sizes=()) for size in work.sizes]


def added(digest: Digest, more: Digest) -> Digest:
    """Return the figures of the rows of both."""
    return {n: f ^ more[n] if n == "hash" else f + more[n] for n, f in digest.items()}


def largest_state(query: StreamingQuery) -> State | None:
    """Return the state of the micro-batch that had the most of it, None without stateful operator."""
    states = []
    for progress in query.recentProgress:
        operators = progress["stateOperators"]
        if operators:
            custom = operators[0]["customMetrics"]
            states.append(
                State(
                    rows=sum(o["numRowsTotal"] for o in operators),
                    memory=sum(o["memoryUsedBytes"] for o in operators),
                    current=custom.get("stateOnCurrentVersionSizeBytes"),
                    own=custom.get("stateBytes"),
                )
            )
    if not states:
        return None
    # Memory holds a version before too: it may be largest in the micro-batch after that with the most state.
    most = max(states, key=lambda state: (state.rows, state.current or state.memory))
    return replace(most, memory=max(state.memory for state in states))


def to_compare(work: Work, result: DataFrame, cutoff: int) -> DataFrame:
    """Return the rows of a result that are compared: key, bounds in microseconds, both figures."""
    functions = FUNCTIONS[work.functions]
    start, end = (F.coalesce(F.unix_micros(f"window.{bound}"), F.lit(0)) for bound in ("start", "end"))
    # Which elements are in a count window follows from their order.
    b = F.lit(0.0) if work.windows == "count" else F.expr(functions.b)
    if "pane" in result.columns:  # early results depend on the order of elements
        result = result.where("pane.timing = 'on_time'")
    rows = result.select(
        "key",
        start.alias("start"),
        end.alias("end"),
        F.expr(functions.a).cast("double").alias("a"),
        b.cast("double").alias("b"),
    )
    return rows.where(F.col("end") <= cutoff * 1000)


def figures(rows: DataFrame) -> Digest:
    """Return the digest of some rows, as `Digest` in core-scala/bench makes it."""
    numbers = [
        F.count("*").alias("rows"),
        F.coalesce(F.sum("a"), F.lit(0.0)).alias("a"),
        F.coalesce(F.sum("b"), F.lit(0.0)).alias("b"),
        F.coalesce(F.bit_xor(F.xxhash64("key", "start", "end", "a", "b")), F.lit(0)).alias("hash"),
    ]
    return rows.agg(*numbers).head().asDict()  # type: ignore[union-attr]


def scan(_work: Work, events: DataFrame, _compare: bool) -> DataFrame:  # noqa: FBT001
    """Read the files and do nothing."""
    return events


def ours(work: Work, events: DataFrame, compare: bool) -> DataFrame:  # noqa: FBT001
    """Compute the work with this project."""
    return our_windows(work, events, compare).aggregate(*FUNCTIONS[work.functions].columns())


def our_windows(work: Work, events: DataFrame, compare: bool) -> sw.WindowedStream:  # noqa: FBT001
    """Return the windows of the work; to compare early results with their pane."""
    keyed = sw.key_by(events, "key")
    size, slide = (f"{millis} milliseconds" for millis in (work.size, work.slide))
    if work.windows == "count":
        return keyed.count_window(work.size)
    if work.windows == "several":
        sizes = {f"w{ms}": sw.TumblingEventTimeWindows.of(f"{ms} milliseconds") for ms in work.sizes}
        return keyed.windows(**sizes)
    if work.windows == "session":
        windows = keyed.window(sw.EventTimeSessionWindows.with_gap(size))
    else:
        windows = keyed.time_window(size, slide if work.slide else None)
    if work.early:
        windows = windows.trigger(
            sw.AnyTrigger.of(
                sw.EventTimeTrigger.create(), sw.CountTrigger.of(work.early), restart_on_fire=False
            )
        )
        windows = windows.with_pane() if compare else windows
    if work.by_micro_batch:
        windows = windows.trigger(sw.AfterWatermark.of(early="micro-batch"))
        windows = windows.with_pane() if compare else windows
    return windows.allowed_lateness(f"{work.lateness} milliseconds") if work.lateness else windows


def updates(work: Work, events: DataFrame, _compare: bool) -> DataFrame:  # noqa: FBT001
    """Put out each changed window once a micro-batch, as Spark's update mode does."""
    keyed = sw.key_by(events, "key")
    if work.windows == "days":
        windows = keyed.window(sw.CalendarWindows.days(time_zone=ZONE))
    else:
        windows = keyed.time_window(f"{work.size} milliseconds")
    return windows.trigger(sw.MicroBatchTrigger.create()).aggregate(*FUNCTIONS[work.functions].columns())


def process(work: Work, events: DataFrame, compare: bool) -> DataFrame:  # noqa: FBT001
    """Compute count and sum with a Python function of all elements."""

    def count_and_sum(_key: tuple[int], _context: sw.Context, elements: pd.DataFrame) -> pd.DataFrame:
        return pd.DataFrame({"n": [len(elements)], "total": [elements["value"].sum()]})

    return our_windows(work, events, compare).process(count_and_sum, "n long, total double")


def spark_own(work: Work, events: DataFrame, _compare: bool) -> DataFrame:  # noqa: FBT001
    """Compute the work with Spark's own windows."""
    return events.groupBy("key", spark_window(work).alias("window")).agg(*FUNCTIONS[work.functions].columns())


def spark_window(work: Work) -> Column:
    """Return the grouping that stands for a window."""
    size, slide = (f"{millis} milliseconds" for millis in (work.size, work.slide))
    if work.windows == "session":
        return F.session_window("ts", size)
    return F.window("ts", size, slide if work.slide else None)


def halves(events: DataFrame) -> tuple[DataFrame, DataFrame]:
    """Return two inputs for a join, each with about half of the events of a key."""
    side = F.pmod(F.xxhash64("ts", "value"), F.lit(2))
    return events.where(side == 0), events.where(side == 1)


def joined(work: Work, events: DataFrame, _compare: bool) -> DataFrame:  # noqa: FBT001
    """Join both halves by key and window with this project."""
    inputs = (sw.key_by(half, "key", time="ts") for half in halves(events))
    window = sw.TumblingEventTimeWindows.of(f"{work.size} milliseconds")
    return sw.join(*inputs).window(window).inner()


def spark_joined(work: Work, events: DataFrame, _compare: bool) -> DataFrame:  # noqa: FBT001
    """Join them with Spark's own stream-stream join on key and window."""
    left, right = (
        half.select("key", spark_window(work).alias("window"), F.struct("*").alias(name))
        for half, name in zip(halves(events), ("left", "right"), strict=True)
    )
    return left.join(right, ["key", "window"])


def spark_days(work: Work, events: DataFrame, _compare: bool) -> DataFrame:  # noqa: FBT001
    """Group by the local day, whose state is never removed: it has no watermark."""
    day = F.date_trunc("day", F.from_utc_timestamp("ts", ZONE)).alias("day")
    sums = events.groupBy("key", day).agg(*FUNCTIONS[work.functions].columns())
    next_day = F.col("day") + F.expr("INTERVAL 1 DAY")
    bounds = [
        F.to_utc_timestamp(at, ZONE).alias(name) for at, name in ((F.col("day"), "start"), (next_day, "end"))
    ]
    return sums.select("key", F.struct(*bounds).alias("window"), *sums.columns[2:])


def in_pandas(work: Work, events: DataFrame, _compare: bool) -> DataFrame:  # noqa: FBT001
    """Compute sessions as they are written by hand."""
    return sessions.by_hand(events, work.size)


def in_processor(work: Work, events: DataFrame, _compare: bool) -> DataFrame:  # noqa: FBT001
    """Compute sessions with a stateful processor in Python."""
    return transform_with_state.sessions(events, work.size)


def in_scala_processor(work: Work, events: DataFrame, _compare: bool) -> DataFrame:  # noqa: FBT001
    """Compute sessions with a stateful processor in Scala."""
    return transform_with_state.sessions_in_scala(events, work.size)


def contestants(spark: SparkSession, jvm: Jvm) -> dict[str, Contestant]:
    """Return all that this Spark has, by the names that `--contestants` takes."""
    all_ = {
        "scan": OnSpark(spark, "only scan", scan),
        "ours": OnSpark(spark, "this project", ours),
        "portable": OnSpark(spark, "this project, portable operator", ours, operator="portable"),
        "each": OfEachSize(OnSpark(spark, "this project", ours), "this project, a query for each size"),
        "spark": OnSpark(spark, "Spark's own", spark_own),
        "flink": Flink(jvm),
        "updates": OnSpark(spark, "this project", updates),
        "spark_updates": OnSpark(spark, "Spark's own, update mode", spark_own, mode="update"),
        "joined": OnSpark(spark, "this project", joined),
        "spark_joined": OnSpark(spark, "Spark's own join", spark_joined),
        "spark_days": OnSpark(spark, "Spark's own, date_trunc in update mode", spark_days, mode="update"),
        "pandas": OnSpark(spark, "applyInPandasWithState", in_pandas, share=20),
        "transform": OnSpark(spark, "transformWithState, Python", in_processor, share=20),
        "transform_scala": OnSpark(spark, "transformWithState, Scala", in_scala_processor, share=20),
        "process": OnSpark(spark, "process function", process),
    }
    return {name: contestant for name, contestant in all_.items() if name not in MISSING}
