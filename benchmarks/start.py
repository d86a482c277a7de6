"""The first micro-batch of a query on an old checkpoint, beside silent keys: `make bench-start`.

    make bench-start
    make bench-start OPTIONS="--works aggregates --keys 5000000 --stores rocksdb,changelog --rounds 3"
    make bench-start OPTIONS="--works rows,chunks --kept-keys 40000 --stores rocksdb"

A query with windows of a day gets rows of all keys, and stops. Its state is unloaded, and it starts again
on its checkpoint, with rows of 20 other keys in each micro-batch. A small query runs and starts before, so
that code is compiled; a process of its own takes some seconds more for that. The files are in the cache of
the system.

The queries are `aggregates`, and two that keep rows: `rows` has one short row of each key, and `chunks` as
many rows of each of the same keys as `--kept` says, all of which are in chunks beside the keys. Each starts
in three ways: the state says that no key is due, so none is read; it does not say so, so the first
micro-batch reads all keys; there is no index of timers either, so each micro-batch reads all keys.

The table has medians of all rounds, in seconds: the first micro-batch, what the state store took of it to
load its files and to commit, the scan of the keys, and the rest, which any micro-batch takes; then the
median of the micro-batches that follow. Load, scan and commit are means over the cores. The ratios are
those of `chunks` to `rows`. The load is `rocksdbLoadLatencyMs` of the progress, and what the state store in
memory logs; the scan is `allRemovalsTimeMs`.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import statistics
import sys
import tempfile
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from pyspark.sql import functions as F

import spark_windowing as sw
from local_session import local_session
from works import ROCKSDB

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.streaming import StreamingQuery

STORE = "spark.sql.streaming.stateStore"
CHANGELOG = {**ROCKSDB, f"{STORE}.rocksdb.changelogCheckpointing.enabled": "true"}
SOON = {f"{STORE}.minDeltasForSnapshot": "1", f"{STORE}.maintenanceInterval": "1s"}
NEVER = {f"{STORE}.minDeltasForSnapshot": "1000000", f"{STORE}.maintenanceInterval": "1h"}


class Store(NamedTuple):
    """A state store, and whether a snapshot has all keys before the query stops."""

    settings: dict[str, str]
    has_snapshot: bool


STORES = {
    "memory": Store(NEVER, has_snapshot=False),
    "memory-snapshot": Store(SOON, has_snapshot=True),
    "rocksdb": Store(ROCKSDB | SOON, has_snapshot=True),
    "changelog": Store(CHANGELOG | NEVER, has_snapshot=False),
    "changelog-snapshot": Store(CHANGELOG | SOON, has_snapshot=True),
}
WORKS = ("aggregates", "rows", "chunks")
CORES = 2
NOTE = 4096  # characters of a row in chunks
FEW = 1_000  # keys of the query that comes first
OTHERS = 20  # keys of the micro-batches of a start, some of them in each partition
INDEX = "spark.windowing.timerIndex.maxBytes"
SAVED = "spark.windowing.timerIndex.savedFromKeys"
WAYS = {  # which micro-batches read all keys
    "none": {SAVED: "1", INDEX: "128m"},
    "the first": {SAVED: "0", INDEX: "128m"},
    "all": {SAVED: "0", INDEX: "0"},
}
STATE_PACKAGE = "org.apache.spark.sql.execution.streaming.state"
WAIT = 600  # seconds for a snapshot
PAUSE = 2  # seconds: Spark waits five minutes for a maintenance that waits for it
LOADED = re.compile(r"Loading state for \d+ takes (\d+) ms")


@dataclass(frozen=True)
class Shape:
    """Content of a checkpoint.

    Attributes
    ----------
    work
        A name of `WORKS`.
    keys
        Number of silent keys.
    kept
        Rows of each of them.
    files
        Micro-batches that they come in.
    passes
        Number of times that all of them come.
    partitions
        Of the state.
    """

    work: str
    keys: int
    kept: int = 1
    files: int = 1
    passes: int = 1
    partitions: int = 2


@dataclass(frozen=True)
class Start:
    """Seconds of a start (parts as means over the cores), bytes of the index, tasks that read all keys."""

    first: float
    load: float
    replay: float
    scan: float
    commit: float
    later: float
    index: int
    reads: int

    @property
    def rest(self) -> float:
        """Seconds of all but the state store and the scan."""
        return self.first - self.load - self.scan - self.commit


class Log:
    """Standard error of the JVM, where the state store in memory tells how long it loads."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file = path.open("wb")
        self._seen = 0
        sys.stderr = os.fdopen(os.dup(2), "w")  # that of Python stays
        os.dup2(self._file.fileno(), 2)

    def loads(self) -> list[int]:
        """Give the milliseconds of the loads since the last call."""
        text = self._path.read_text(errors="replace")
        new = text[self._seen :]
        self._seen = len(text)
        return [int(millis) for millis in LOADED.findall(new)]


def write(spark: SparkSession, folder: Path, name: str, first: int, keys: int, kept: int = 1) -> None:
    """Write a file with rows of successive keys."""
    ids = spark.range(first * kept, (first + keys) * kept, 1, 1)
    key = F.floor(F.col("id") / kept).alias("key")
    ids.select(key, (F.col("id") % kept).cast("int").alias("part")).write.parquet(str(folder / "in" / name))


def started(spark: SparkSession, folder: Path, work: str) -> StreamingQuery:
    """Start the query. It makes the notes, which no codec makes much smaller."""
    reader = spark.readStream.schema("key long, part int").option("maxFilesPerTrigger", 1)
    digits = [F.sha2(F.concat_ws("-", "key", "part", F.lit(i)), 512) for i in range(NOTE // 128)]
    rows = reader.parquet(f"{folder}/in/*").select(
        "key",
        F.timestamp_millis(F.lit(0)).alias("ts"),
        (F.concat(*digits) if work == "chunks" else F.lit("")).alias("note"),
    )
    windows = sw.key_by(rows.withWatermark("ts", "1 day"), "key").time_window("1 day")
    if work != "aggregates":
        windows = windows.evictor(sw.CountEvictor.of(1 << 30))
    result: DataFrame = windows.aggregate(F.count("*").alias("n"), F.max("note").alias("note"))
    return result.writeStream.format("noop").option("checkpointLocation", f"{folder}/checkpoint").start()


def with_rows(query: StreamingQuery) -> list[dict[str, Any]]:
    """Wait for all rows; give the progress of the micro-batches that had some."""
    query.processAllAvailable()
    return [progress for progress in query.recentProgress if progress["numInputRows"]]


def unload(spark: SparkSession, query: StreamingQuery) -> None:
    """Stop the query and drop its state from memory; the next one has a maintenance of its own."""
    query.stop()
    package = spark._jvm.org.apache.spark.sql.execution.streaming.state  # type: ignore[union-attr]
    stores = getattr(getattr(package, "StateStore$"), "MODULE$")
    stores.unloadAll()
    time.sleep(PAUSE)
    stores.stop()


def snapshots(folder: Path, partitions: int) -> int:
    """Give the version of which all partitions have a snapshot."""
    parts = [folder / "checkpoint" / "state" / "0" / str(i) for i in range(partitions)]
    found = [[*part.glob("[0-9]*.zip"), *part.glob("[0-9]*.snapshot")] for part in parts]
    return min(max((int(file.stem) for file in files), default=0) for files in found)


def fill(spark: SparkSession, folder: Path, shape: Shape, *, has_snapshot: bool) -> int:
    """Fill the checkpoint; give the bytes of the state."""
    size = -(-shape.keys // shape.files)
    count = shape.files * shape.passes
    for i in range(count):
        first = i % shape.files * size
        write(spark, folder, f"{i:05}", first, min(size, shape.keys - first), shape.kept)
    for i in range(2):
        write(spark, folder, f"few{i}", -OTHERS, OTHERS)
    query = started(spark, folder, shape.work)
    last = with_rows(query)[-1]
    until = time.monotonic() + WAIT
    while has_snapshot and snapshots(folder, shape.partitions) < count:
        if time.monotonic() > until:
            sys.exit(f"no snapshot in {WAIT} seconds")
        time.sleep(0.5)
    unload(spark, query)
    return int(last["stateOperators"][0]["customMetrics"]["stateBytes"])


def start(spark: SparkSession, folder: Path, shape: Shape, batches: int, log: Log) -> Start:
    """Start the query on the checkpoint, and run micro-batches with rows of other keys."""
    name = f"start{time.time_ns()}"
    for i in range(1 + batches):
        write(spark, folder, f"{name}-{i:03}", -OTHERS, OTHERS)
    log.loads()
    query = started(spark, folder, shape.work)
    first, *others = with_rows(query)
    unload(spark, query)
    operator = first["stateOperators"][0]
    metrics = operator["customMetrics"]

    def of_cores(millis: float) -> float:
        return millis / 1000 / min(CORES, shape.partitions)

    return Start(
        first=first["durationMs"]["triggerExecution"] / 1000,
        load=of_cores(metrics.get("rocksdbLoadLatencyMs", sum(log.loads()))),
        replay=of_cores(metrics.get("rocksdbReplayChangeLogLatencyMs", 0)),
        scan=of_cores(operator["allRemovalsTimeMs"]),
        commit=of_cores(operator["commitTimeMs"]),
        later=statistics.median(p["durationMs"]["triggerExecution"] for p in others) / 1000,
        index=metrics["timerIndexBytes"],
        reads=metrics["timerIndexRebuilds"],
    )


def median(starts: list[Start]) -> Start:
    """Give the median of each figure."""
    return Start(**{name: statistics.median(asdict(s)[name] for s in starts) for name in asdict(starts[0])})


def arguments(given: list[str]) -> argparse.Namespace:
    """Return what the command line says."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--works", default=",".join(WORKS), help="works (default: %(default)s)")
    parser.add_argument("--stores", default=",".join(STORES), help="state stores (default: %(default)s)")
    parser.add_argument(
        "--keys", type=int, default=1_000_000, help="keys of aggregates (default: %(default)s)"
    )
    parser.add_argument(
        "--kept-keys", type=int, default=4_000, help="keys of rows and chunks (default: %(default)s)"
    )
    parser.add_argument(
        "--kept", type=int, default=60, help="rows of 4 KiB of each key in chunks (default: %(default)s)"
    )
    parser.add_argument(
        "--files", type=int, default=1, help="micro-batches that keys come in (default: %(default)s)"
    )
    parser.add_argument("--passes", type=int, default=1, help="how often all keys come (default: 1)")
    parser.add_argument("--partitions", type=int, default=2, help="partitions of the state (default: 2)")
    parser.add_argument("--batches", type=int, default=6, help="micro-batches after the first (default: 6)")
    parser.add_argument("--rounds", type=int, default=1, help="starts of each (default: 1)")
    parser.add_argument("--memory", default="6g", help="heap (default: %(default)s)")
    parser.add_argument(
        "--conf", action="append", default=[], metavar="NAME=VALUE", help="a setting of Spark"
    )
    parser.add_argument("--json", help="write all figures to this file, too")
    return parser.parse_args(given)


def session_of(spark: SparkSession, store: Store, conf: list[str]) -> SparkSession:
    """Give a session with the settings of a state store."""
    session = spark.newSession()
    for name, value in store.settings.items():
        session.conf.set(name, value)
    for setting in conf:
        session.conf.set(*setting.split("=", 1))
    return session


COLUMNS = [
    "state store",
    "query",
    "reads all keys",
    "keys",
    "MB of files",
    "first micro-batch",
    "load",
    "of which replay",
    "scan",
    "commit",
    "rest",
    "later micro-batch",
    "ratio of first",
    "ratio of later",
]


def line(store: str, shape: Shape, way: str, megabytes: float, s: Start, base: Start | None) -> str:
    """Give a line of the table."""
    texts = [store, shape.work, way, f"{shape.keys:,}", f"{megabytes:,.0f}"]
    seconds = (s.first, s.load, s.replay, s.scan, s.commit, s.rest, s.later)
    ratios = (s.first / base.first, s.later / base.later) if base else ()
    cells = [*texts, *(f"{cell:.2f}" for cell in (*seconds, *ratios))]
    return f"| {' | '.join([*cells, *[''] * (len(COLUMNS) - len(cells))])} |"


def use(spark: SparkSession, way: str) -> None:
    """Set how starts read keys."""
    for name, value in WAYS[way].items():
        spark.conf.set(name, value)


def measure(
    spark: SparkSession, folder: Path, name: str, options: argparse.Namespace, log: Log
) -> list[dict[str, Any]]:
    """Print the lines of a state store."""
    store = STORES[name]
    bases: dict[str, Start] = {}
    figures = []
    for work in options.works.split(","):
        use(spark, "none")
        few = Shape(work, FEW, partitions=options.partitions)
        fill(spark, folder / "few", few, has_snapshot=False)
        for _ in range(2):
            start(spark, folder / "few", few, options.batches, log)
        shape = Shape(
            work,
            options.keys if work == "aggregates" else options.kept_keys,
            options.kept if work == "chunks" else 1,
            options.files,
            options.passes,
            options.partitions,
        )
        fill(spark, folder / work, shape, has_snapshot=store.has_snapshot)
        files = [f.stat().st_size for f in (folder / work / "checkpoint" / "state").rglob("*") if f.is_file()]
        for way in WAYS:
            use(spark, way)
            start(spark, folder / work, shape, 1, log)  # finds in the state what the way before has left
            starts = [start(spark, folder / work, shape, options.batches, log) for _ in range(options.rounds)]
            middle = median(starts)
            if work == "rows":
                bases[way] = middle
            base = bases.get(way) if work == "chunks" else None
            print(line(name, shape, way, sum(files) / 1e6, middle, base), flush=True)
            made = [asdict(s) for s in starts]
            figures.append({"store": name, **asdict(shape), "way": way, "starts": made})
        shutil.rmtree(folder)
    return figures


def main(given: list[str]) -> None:
    """Print the table."""
    options = arguments(given)
    figures = []
    print(f"| {' | '.join(COLUMNS)} |")
    print(f"| {' | '.join(['---'] * len(COLUMNS))} |", flush=True)
    with tempfile.TemporaryDirectory() as temporary:
        log = Log(Path(temporary) / "log")
        settings = {
            "spark.driver.extraJavaOptions": f"-Xms{options.memory}",
            "spark.sql.shuffle.partitions": str(options.partitions),
            "spark.sql.streaming.minBatchesToRetain": "2",
        }
        spark = local_session(options.memory, settings)
        loggers = spark._jvm.org.apache.logging.log4j  # type: ignore[union-attr]
        for name in options.stores.split(","):
            level = loggers.Level.DEBUG if name.startswith("memory") else loggers.Level.ERROR
            loggers.core.config.Configurator.setLevel(STATE_PACKAGE, level)
            session = session_of(spark, STORES[name], options.conf)
            figures += measure(session, Path(temporary) / name, name, options, log)
        spark.stop()
    if options.json:
        Path(options.json).write_text(json.dumps(figures, indent=1))
    shutil.rmtree("spark-warehouse", ignore_errors=True)


if __name__ == "__main__":
    main(sys.argv[1:])
