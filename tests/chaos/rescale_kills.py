"""Kills in the middle of a rescale: `make chaos-rescale`.

A query with state of many keys stops. `python -m spark_windowing rescale` is begun on its checkpoint and ended by
SIGKILL at random moments. After each kill the old checkpoint must have the same bytes, and the new one must be refused
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

    def results(self, checkpoint):
        """Take what is new to a checkpoint; return the number of rows that are put out, and a sum over them."""
        put_out = []
        rows = self._spark.readStream.schema("key long, second long").parquet(str(self._folder / "in"))
        timed = rows.withColumn("ts", F.timestamp_seconds("second")).withWatermark("ts", "0 seconds")
        sums = sw.key_by(timed, "key").time_window("1 minute").aggregate(F.sum("second").alias("sum"))
        totals = [F.count("*"), F.sum(F.hash(F.struct("*")).cast("long"))]
        writer = sums.writeStream.foreachBatch(lambda batch, _: put_out.extend(batch.agg(*totals).collect()))
        writer.option("checkpointLocation", str(checkpoint)).trigger(
            availableNow=True
        ).start().awaitTermination()
        return sum(row[0] for row in put_out), sum(row[1] or 0 for row in put_out)


def begin(old, new):
    """Start a rescale in a process group of its own."""
    command = [
        sys.executable,
        "-m",
        "spark_windowing",
        "rescale",
        str(old),
        str(new),
        "--partitions",
        PARTITIONS,
    ]
    return subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, start_new_session=True
    )


def seconds(old, new):
    """Let a rescale end; return what it says, and the seconds from its first file to its end."""
    process = begin(old, new)
    wait_for(new, process)
    first = time.monotonic()
    said, _ = process.communicate(timeout=PATIENCE)
    return said.strip(), time.monotonic() - first


def wait_for(new, process):
    """Wait until there is something of the new checkpoint, or the process has ended."""
    end = time.monotonic() + PATIENCE
    while not new.exists() and process.poll() is None and time.monotonic() < end:
        time.sleep(0.01)


def kill(old, new, after, query):
    """Begin a rescale and kill it so many seconds after its first file; return what there is of the new checkpoint."""
    process = begin(old, new)
    wait_for(new, process)
    time.sleep(after)
    if process.poll() is None:
        kill_group(process.pid)
        process.wait()
    if not (new / "_window_unfinished").exists():
        return "complete" if (new / "metadata").exists() else "not begun"
    files = sum(path.is_file() for path in new.rglob("*"))
    try:
        query.results(new)
    except Exception as error:
        if f"{new} is half-written: rescale of file:{old} did not end, or still runs" in str(error):
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


def run(store, options, chance):
    """Kill rescales of a checkpoint in this store, and print what there was after each."""
    spark = session(store)
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        query, old = Query(spark, folder, options.keys), folder / "old"
        before = digest(old)
        last = folder / "last"
        said, life = seconds(old, last)
        print(f"{store}: {said}; {life:.1f} seconds", flush=True)
        for number in range(options.kills):
            new, after = folder / f"new {number}", chance.uniform(0, life)
            print(
                f"{store}, kill {number + 1} after {after:.1f} s: {kill(old, new, after, query)}", flush=True
            )
            if digest(old) != before:
                raise SystemExit(f"{old} has changed")
            shutil.rmtree(new, ignore_errors=True)
        query.end()
        results = [query.results(checkpoint) for checkpoint in (last, old)]
        if results[0] != results[1] or results[0][0] != options.keys:
            raise SystemExit(f"the new and the old checkpoint go on with other results: {results}")
        print(f"{store}: both checkpoints go on, with the same {options.keys:,} results")
    spark.stop()


def main():
    """Run both state stores."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=10, help="for each state store")
    parser.add_argument("--keys", type=int, default=200_000)
    parser.add_argument("--seed", type=int, default=7)
    options = parser.parse_args()
    chance = random.Random(options.seed)
    for store in ("memory", "rocksdb"):
        run(store, options, chance)


if __name__ == "__main__":
    main()
