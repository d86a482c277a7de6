"""One key whose window keeps a gigabyte of rows, in a small heap: what reads all of them, or removes some.

    make large-key
    make large-key OPTIONS="--rows 1000000 --heap 512m --plan python"
    make large-key OPTIONS="--store memory --heap 4g --plan scala"

A window of a day is filled in many micro-batches. It fires at its end, and again for a late row.
Each plan prints the seconds of both firings, the greatest size of the JVM and of a Python worker, as Linux
tells it, and the results are checked.
"""

from __future__ import annotations

import argparse
import resource
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator  # noqa: TC003  (the hint is read)
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import pandas as pd
from pyspark.sql import functions as F

import spark_windowing as sw
from jvm import ROOT
from local_session import local_session
from works import STORES

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

DAY = 24 * 60 * 60 * 1000
COLUMNS = "key string, ts timestamp, value long, note string"
EVICTED = 1_000  # rows that the evictor leaves
LATE = "late"
CLASSES = ROOT / "core-scala" / "bench" / "target" / "scala-2.13" / "classes"


class Fired(NamedTuple):
    """Micro-batch that fires: its seconds, rows and total of the window, and kilobytes of the worker."""

    seconds: float
    n: int
    total: int
    worker: int


def write_rows(spark: SparkSession, folder: Path, rows: int, batches: int) -> None:
    """Write a file a micro-batch, all of one key, then two that end the day, then a late row."""

    def write(name: str, ids: DataFrame, key: str, millis: object, value: object, note: object) -> None:
        at = F.timestamp_millis(millis.cast("long"))
        columns = (F.lit(key).alias("key"), at.alias("ts"), value.alias("value"), note.alias("note"))
        ids.select(*columns).write.parquet(str(folder / name))

    size = rows // batches
    number = F.col("id")
    for i in range(batches):
        ids = spark.range(i * size, (i + 1) * size, 1, 1)
        write(f"{i:04}", ids, "k", number * DAY / rows, number, F.md5(number.cast("string")))
    one = spark.range(0, 1, 1, 1)
    write("end", one, "end", F.lit(5 * DAY), number, F.lit(""))
    write("next", one, "end", F.lit(5 * DAY), number, F.lit(""))  # a join fires in the next micro-batch
    write("late", one, "k", F.lit(DAY - 1), number, F.lit(LATE))


def source(spark: SparkSession, folder: Path) -> DataFrame:
    """Read the files, one a micro-batch."""
    reader = spark.readStream.schema(COLUMNS).option("maxFilesPerTrigger", 1)
    return reader.parquet(f"{folder}/*").withWatermark("ts", "2 days")


def windows(spark: SparkSession, folder: Path) -> sw.WindowedStream:
    """Give windows of a day that wait for late rows."""
    keyed = sw.key_by(source(spark, folder), "key", time="ts")
    return keyed.time_window("1 day").allowed_lateness("30 days")


def in_parts(_key: tuple, _window: object, parts: Iterator[pd.DataFrame]) -> pd.DataFrame:
    """Go through all rows once; tell the greatest size of this process."""
    n = total = 0
    for part in parts:
        n += len(part)
        total += int(part.value.sum())
    return pd.DataFrame(
        {"n": [n], "total": [total], "worker": [resource.getrusage(resource.RUSAGE_SELF).ru_maxrss]}
    )


def python(spark: SparkSession, folder: Path) -> DataFrame:
    """Call a function in Python with an iterator."""
    return windows(spark, folder).apply(in_parts, "n long, total long, worker long")


def scala(spark: SparkSession, folder: Path) -> DataFrame:
    """Call a function in Scala."""
    from pyspark.sql import DataFrame

    rows = source(spark, folder)._jdf
    return DataFrame(spark._jvm.dev.sparkwindowing.bench.streams.AllRows.counted(rows), spark)


def evictor(spark: SparkSession, folder: Path) -> DataFrame:
    """Leave a few rows of all."""
    evicted = windows(spark, folder).evictor(sw.CountEvictor.of(EVICTED))
    return evicted.aggregate(F.count("*").alias("n"), F.sum("value").alias("total"))


def aggregates(spark: SparkSession, folder: Path) -> DataFrame:
    """Leave all rows to aggregates."""
    kept = windows(spark, folder).evictor(sw.CountEvictor.of(1 << 30))
    return kept.aggregate(F.count("*").alias("n"), F.sum("value").alias("total"))


def join(spark: SparkSession, folder: Path) -> DataFrame:
    """Join all rows with one; the late row of each input fires."""

    def keyed(condition: str) -> sw.KeyedStream:
        return sw.key_by(source(spark, folder).where(condition), "key", time="ts")

    one = keyed(f"note = md5('0') OR key = 'end' OR note = '{LATE}'")
    days = sw.join(keyed("true"), one).window(sw.TumblingEventTimeWindows.of("1 day"))
    return days.allowed_lateness("30 days").inner()


PLANS = {plan.__name__: plan for plan in (scala, python, aggregates, evictor, join)}


def expected(plan: str, rows: int) -> list[tuple[int, int]]:
    """Give count and total of both firings; the late row has the value 0."""
    total = rows * (rows - 1) // 2
    if plan == "evictor":
        first = sum(range(rows - EVICTED, rows))
        return [(EVICTED, first), (EVICTED, first - (rows - EVICTED))]
    if plan == "join":
        return [(rows, total), (3 * (rows + 1), 3 * total)]
    return [(rows, total), (rows + 1, total)]


def run(plan: str, result: DataFrame, checkpoint: Path) -> tuple[list[Fired], float]:
    """Run a query over all files; give its firings and the seconds of all micro-batches."""
    fired: dict[int, tuple[int, int, int]] = {}

    def take(batch: DataFrame, number: int) -> None:
        total = "left.value" if plan == "join" else "total"
        n = F.count("*") if plan == "join" else F.sum("n")
        worker = F.max("worker") if "worker" in batch.columns else F.lit(0)
        found = batch.where("key = 'k'").agg(
            n.alias("n"), F.sum(total).alias("total"), worker.alias("worker")
        )
        row = found.first()
        if row.n:
            fired[number] = (row.n, row.total, row.worker)

    writer = result.writeStream.foreachBatch(take).option("checkpointLocation", str(checkpoint))
    query = writer.trigger(availableNow=True).start()
    query.awaitTermination()
    seconds = {p["batchId"]: p["durationMs"]["triggerExecution"] / 1000 for p in query.recentProgress}
    return [Fired(seconds[i], *told) for i, told in fired.items()], sum(seconds.values())


def largest(process: int) -> int:
    """Give the greatest size of a process in megabytes."""
    lines = Path(f"/proc/{process}/status").read_text(encoding="utf-8").splitlines()
    return int(next(line for line in lines if line.startswith("VmHWM")).split()[1]) // 1000


def main(arguments: list[str]) -> None:
    """Run a plan, or all, each in a process of its own."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rows", type=int, default=10_000_000, help="rows of the key (default %(default)s)")
    parser.add_argument(
        "--batches", type=int, default=50, help="micro-batches they come in (default %(default)s)"
    )
    parser.add_argument(
        "--heap", default="2g", help="heap of the JVM, driver and executor (default %(default)s)"
    )
    parser.add_argument(
        "--store", choices=STORES, default="rocksdb", help="state store (default %(default)s)"
    )
    parser.add_argument(
        "--plan", choices=PLANS, help="what reads the rows (default: all, one after the other)"
    )
    options = parser.parse_args(arguments)
    if options.rows % options.batches:
        parser.error(f"--rows: a multiple of --batches, got {options.rows} and {options.batches}")
    if options.plan is None:
        for plan in PLANS:
            subprocess.run([sys.executable, __file__, *arguments, "--plan", plan], check=True)
        return
    settings = {**STORES[options.store], "spark.sql.shuffle.partitions": "1"}
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        jar = shutil.make_archive(str(folder / "bench"), "zip", CLASSES)
        settings["spark.jars"] = str(Path(jar).rename(folder / "bench.jar"))
        spark = local_session(options.heap, settings)
        write_rows(spark, folder / "in", options.rows, options.batches)
        result = PLANS[options.plan](spark, folder / "in")
        fired, seconds = run(options.plan, result, folder / "checkpoint")
        jvm = largest(spark._jvm.java.lang.ProcessHandle.current().pid())
        spark.stop()
    if [(one.n, one.total) for one in fired] != expected(options.plan, options.rows):
        sys.exit(f"{options.plan} gave {fired}, not {expected(options.plan, options.rows)}")
    times = " and ".join(f"{one.seconds:.1f}" for one in fired)
    worker = max(one.worker for one in fired) // 1000
    print(
        f"{options.plan} on {options.store}: {options.rows:,} rows, {seconds:.0f} s in all, "
        f"firings in {times} s, "
        f"JVM {jvm:,} MB of which heap {options.heap}" + (f", worker {worker:,} MB" if worker else "")
    )


if __name__ == "__main__":
    main(sys.argv[1:])
