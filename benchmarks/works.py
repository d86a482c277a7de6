"""What the contestants compute: the windows, and the functions over them."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

from pyspark.sql import functions as F

from events import DELAY, Events

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyspark.sql import Column

ROCKSDB = {
    "spark.sql.streaming.stateStore.providerClass": (
        "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"
    )
}


STORES = {"memory": {}, "rocksdb": ROCKSDB}


@dataclass(frozen=True)
class Functions:
    """The aggregates of a work, and the two figures of a result row that are compared."""

    columns: Callable[[], list[Column]]
    a: str
    b: str


def _eight() -> list[Column]:
    value = "value"
    return [
        F.sum(value).alias("sum"),
        F.avg(value).alias("avg"),
        F.min(value).alias("min"),
        F.max(value).alias("max"),
        F.stddev(value).alias("stddev"),
        F.approx_count_distinct(value).alias("distinct"),
        F.max_by("ts", value).alias("at_max"),
        F.first(value).alias("first"),
    ]


FUNCTIONS = {
    "count,sum": Functions(lambda: [F.count("*").alias("n"), F.sum("value").alias("total")], "n", "total"),
    "sum,max": Functions(
        lambda: [F.sum("value").alias("total"), F.max("value").alias("most")], "total", "most"
    ),
    # Of a join, which has no aggregates.
    "pair": Functions(list, "left.value", "right.value"),
    # Not compared are at_max and first, which depend on the order of equal values and of elements.
    "eight": Functions(_eight, "sum", "min + max + distinct + round(avg) + coalesce(round(stddev), 0)"),
}


@dataclass(frozen=True)
class Work:
    """One line of the table.

    Attributes
    ----------
    name
        For ``--works``.
    text
        For the table.
    contestants
        Who takes part. Ratios are of the first to each other.
    windows
        ``session``, ``tumbling``, ``sliding``, ``days``, ``count``, ``join`` (tumbling), ``several``
        (tumbling, of each of `sizes`) or ``none``.
    size
        Milliseconds of the window or the gap; elements of a count window.
    sizes
        Milliseconds of several windows.
    slide
        Milliseconds from one sliding window to the next.
    early
        Elements from one early firing to the next; 0 for none.
    by_micro_batch
        True if windows fire early by micro-batches.
    lateness
        Milliseconds of allowed lateness.
    functions
        A name of `FUNCTIONS`.
    events
        Makes the events of this work of those of the run.
    rows
        Rows of a file, which is a micro-batch.
    conf
        Settings of Spark.
    short
        Whether ``--short`` runs it.
    """

    name: str
    text: str
    contestants: tuple[str, ...]
    windows: str
    size: int = 0
    sizes: tuple[int, ...] = ()
    slide: int = 0
    early: int = 0
    by_micro_batch: bool = False
    lateness: int = 0
    functions: str = "count,sum"
    events: Callable[[Events], Events] = Events.main
    rows: int = 500_000
    conf: dict[str, str] = field(default_factory=dict)
    short: bool = True

    def flink(self) -> dict[str, object]:
        """Return the work as the JVM takes it."""
        names = ("windows", "size", "sizes", "slide", "early", "functions")
        work = {name: getattr(self, name) for name in names}
        return {**work, "early_millis": MICRO_BATCH if self.by_micro_batch else 0, "delay": DELAY}


ZONE = "Europe/Berlin"  # of calendar days
MICRO_BATCH = 500  # milliseconds: how often Flink, which has no micro-batches, fires instead
ALL = ("ours", "spark", "flink")
sliding = partial(Work, contestants=ALL, windows="sliding", size=60_000, slide=1_000)
sparse = partial(sliding, events=Events.sparse)
dense = partial(sliding, events=Events.dense)

WORKS = [
    Work("scan", "only scan", ("scan",), "none"),
    Work("session_500k", "session, gap 30 s", (*ALL, "portable", "pandas"), "session", 30_000),
    Work("session_2m", "session, gap 30 s", ALL, "session", 30_000, rows=2_000_000, short=False),
    Work(
        "session_rocksdb",
        "session, RocksDB",
        ("ours", "spark", "transform_scala", "transform"),
        "session",
        30_000,
        conf=ROCKSDB,
    ),
    Work("tumbling_500k", "tumbling, 10 s", (*ALL, "portable"), "tumbling", 10_000),
    Work("tumbling_2m", "tumbling, 10 s", ALL, "tumbling", 10_000, rows=2_000_000, short=False),
    sparse("sliding_sparse", "sliding, 60 s / 1 s, sparse", short=False),
    dense("sliding_dense", "sliding, 60 s / 1 s, dense", short=False),
    sparse("sliding_sparse_max", "the same, sum and max, sparse", functions="sum,max"),
    dense("sliding_dense_max", "the same, sum and max, dense", functions="sum,max"),
    Work(
        "session_eight", "session, eight aggregates", ("ours", "spark"), "session", 30_000, functions="eight"
    ),
    Work(
        "count_100",
        "count, 100 elements",
        ("ours", "flink", "portable"),
        "count",
        100,
        events=Events.fewer_keys,
    ),
    Work("session_early", "session, early every 2 elements", ("ours", "flink"), "session", 30_000, early=2),
    Work(
        "session_early_batch",
        "session, early every micro-batch",
        ("ours", "flink"),
        "session",
        30_000,
        by_micro_batch=True,
    ),
    Work(
        "tumbling_update",
        "tumbling, 10 s, changes every micro-batch",
        ("updates", "spark_updates"),
        "tumbling",
        10_000,
        by_micro_batch=True,
    ),
    Work(
        "join_500k",
        "inner join, tumbling, 10 s",
        ("joined", "spark_joined"),
        "join",
        10_000,
        functions="pair",
    ),
    Work(
        "several",
        "five sizes at once, 10 s to 1 h",
        ("ours", "each", "flink"),
        "several",
        sizes=(10_000, 60_000, 300_000, 900_000, 3_600_000),
        events=Events.dense,
    ),
    Work(
        "several_rocksdb",
        "the same, RocksDB",
        ("ours", "each"),
        "several",
        sizes=(10_000, 60_000, 300_000, 900_000, 3_600_000),
        events=Events.dense,
        conf=ROCKSDB,
        short=False,
    ),
    Work(
        "calendar_days",
        "days in Berlin, changes every micro-batch",
        ("updates", "spark_days"),
        "days",
        events=Events.hundred_days,
        by_micro_batch=True,
    ),
    Work(
        "late",
        "tumbling, 60 s, late elements",
        ("ours", "process"),
        "tumbling",
        60_000,
        lateness=3_600_000,
        events=Events.late,
        rows=50_000,
    ),
]
