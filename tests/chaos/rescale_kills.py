"""Kills in the middle of a rescale and of a migrate: `make chaos-rescale`.

A query with state of many keys stops. `python -m spark_windowing rescale`, or a program that calls `migrate`, is begun on its
checkpoint and ended by SIGKILL at random moments. After each kill the old checkpoint must have the same bytes, and the new one must be refused
by a query, unless it is complete or was not begun. At the end both checkpoints go on, with the same results.
"""

import argparse
import hashlib
import random
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

import spark_windowing as sw
from processes import kill_group

ROCKSDB = "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"
PARTITIONS = "7"
PATIENCE = 300  # seconds in which a rescale ends


def digest(folder):
    """Digest of the names and bytes of all files."""
    whole = hashlib.sha256()
    for file in sorted(path for path in folder.rglob("*") if path.is_file()):
        whole.update(str(file.relative_to(folder)).encode())
        whole.update(file.read_bytes())
    return whole.hexdigest()


class Query:
    """Sums of a minute by key over files, in a folder of its own."""

    def __init__(self, spark, folder, keys):
        self._spark, self._folder = spark, folder
        self._add(spark.range(keys).selectExpr("id AS key", "id % 50 AS second"))
        self.results(folder / "old")

    def _add(self, rows):
        rows.coalesce(1).write.mode("append").parquet(str(self._folder / "in"))

    def end(self):
        """Add a row that closes all windows."""
        self._add(self._spark.sql("SELECT -1L AS key, 100000L AS second"))

    def results(self, checkpoint, *, more=False):
        """Take what is new to a checkpoint; return the number of rows that are put out, and a sum over them."""
        put_out = []
        sums = sums_of(self._spark, self._folder, more=more).select("key", "window", "sum")
        totals = [F.count("*"), F.sum(F.hash(F.struct("*")).cast("long"))]
        writer = sums.writeStream.foreachBatch(lambda batch, _: put_out.extend(batch.agg(*totals).collect()))
        writer.option("checkpointLocation", str(checkpoint)).trigger(
            availableNow=True
        ).start().awaitTermination()
        return sum(row[0] for row in put_out), sum(row[1] or 0 for row in put_out)


def sums_of(spark, folder, *, more):
    """Return the sums of a minute, with one aggregate more if that is asked for."""
    rows = spark.readStream.schema("key long, second long").parquet(str(folder / "in"))
    timed = rows.withColumn("ts", F.timestamp_seconds("second")).withWatermark("ts", "0 seconds")
    further = [F.max("second").alias("most")] if more else []
    return sw.key_by(timed, "key").time_window("1 minute").aggregate(*further, F.sum("second").alias("sum"))


def migrate(old, new):
    """Write the checkpoint for the query with one aggregate more; in a process of its own."""
    spark = session("memory")
    for operator in sw.migrate(old, sums_of(spark, Path(old).parent, more=True), new):
        print(operator)
    spark.stop()


def begin(call, old, new):
    """Start a rescale or a migrate in a process group of its own."""
    rescale = [
        sys.executable,
        "-m",
        "spark_windowing",
        "rescale",
        str(old),
        str(new),
        "--partitions",
        PARTITIONS,
    ]
    command = rescale if call == "rescale" else [sys.executable, __file__, "--migrate", str(old), str(new)]
    return subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, start_new_session=True
    )


def seconds(call, old, new):
    """Let one end; return what it says, and the seconds from its first file to its end."""
    process = begin(call, old, new)
    wait_for(new, process)
    first = time.monotonic()
    said, _ = process.communicate(timeout=PATIENCE)
    return said.strip(), time.monotonic() - first


def wait_for(new, process):
    """Wait until there is something of the new checkpoint, or the process has ended."""
    end = time.monotonic() + PATIENCE
    while not new.exists() and process.poll() is None and time.monotonic() < end:
        time.sleep(0.01)


def kill(call, old, new, after, query):
    """Begin one and kill it so many seconds after its first file; return what there is of the new checkpoint."""
    process = begin(call, old, new)
    wait_for(new, process)
    time.sleep(after)
    if process.poll() is None:
        kill_group(process.pid)
        process.wait()
    if not (new / "_window_unfinished").exists():
        return "complete" if (new / "metadata").exists() else "not begun"
    files = sum(path.is_file() for path in new.rglob("*"))
    try:
        query.results(new, more=call == "migrate")
    except Exception as error:
        if f"{new} is half-written: {call} of file:{old} did not end, or still runs" in str(error):
            return f"half-written, {files} files, refused"
        raise
    raise SystemExit(f"a query went on from {new}, which is half-written")


def session(store):
    """Start a session with a state store."""
    builder = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
    builder = builder.config("spark.sql.shuffle.partitions", "3").config("spark.log.level", "OFF")
    if store == "rocksdb":
        builder = builder.config("spark.sql.streaming.stateStore.providerClass", ROCKSDB)
    return sw.configure(builder).getOrCreate()


def run(call, store, options, chance):
    """Kill calls on a checkpoint in this store, and print what there was after each."""
    spark = session(store)
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        query, old = Query(spark, folder, options.keys), folder / "old"
        before = digest(old)
        last = folder / "last"
        said, life = seconds(call, old, last)
        print(f"{call}, {store}: {said}; {life:.1f} seconds", flush=True)
        for number in range(options.kills):
            new, after = folder / f"new {number}", chance.uniform(0, life)
            print(
                f"{call}, {store}, kill {number + 1} after {after:.1f} s: {kill(call, old, new, after, query)}",
                flush=True,
            )
            if digest(old) != before:
                raise SystemExit(f"{old} has changed")
            shutil.rmtree(new, ignore_errors=True)
        query.end()
        results = [query.results(last, more=call == "migrate"), query.results(old)]
        if results[0] != results[1] or results[0][0] != options.keys:
            raise SystemExit(f"the new and the old checkpoint go on with other results: {results}")
        print(f"{call}, {store}: both checkpoints go on, with the same {options.keys:,} results")
    spark.stop()


def main():
    """Run both calls on both state stores."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=10, help="for each call and state store")
    parser.add_argument("--keys", type=int, default=200_000)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--migrate", nargs=2, metavar=("OLD", "NEW"), help="do only that")
    options = parser.parse_args()
    if options.migrate:
        migrate(*options.migrate)
        return
    chance = random.Random(options.seed)
    for call in ("rescale", "migrate"):
        for store in ("memory", "rocksdb"):
            run(call, store, options, chance)


if __name__ == "__main__":
    main()
