"""Every kind of operator over a change of its partitions, on each state store: `make rescale-table`.

    make rescale-table
    make rescale-table ON=3.5.8 OPTIONS="--kinds sessions,portable --stores rocksdb"

A query takes half of its files with three partitions, its checkpoint is written anew with seven, then with two, and it takes
the other half. Its results and the state at its end must be those of a query that was not moved. The table has a line for each
kind, and a mark for each store that was equal in both; the end says what was not.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from collections import Counter
from pathlib import Path

import pandas as pd
import pyspark
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F

import spark_windowing as sw

BEFORE, MOVES = 3, (7, 2)
FILES, ROWS = 6, 1500
LARGE = 1000  # rows of a file that are of one key, 400 bytes each: more than fit beside its block
STORE = "spark.sql.streaming.stateStore"
ROCKSDB = {
    f"{STORE}.providerClass": "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"
}
CHANGELOG = {f"{STORE}.rocksdb.changelogCheckpointing.enabled": "true"}
FORMAT_2 = {f"{STORE}.checkpointFormatVersion": "2"}
STORES = {
    "memory": {},
    "rocksdb": ROCKSDB,
    "changelog": {**ROCKSDB, **CHANGELOG},
    "rocksdb-2": {**ROCKSDB, **FORMAT_2},
    "changelog-2": {**ROCKSDB, **CHANGELOG, **FORMAT_2},
}


def counted() -> tuple[Column, Column]:
    return F.count("*").alias("n"), F.sum("second").alias("sum")


def timed(rows: DataFrame) -> DataFrame:
    return rows.withWatermark("ts", "10 seconds")


def by_user(rows: DataFrame) -> sw.KeyedStream:
    return sw.key_by(timed(rows), "user")


def sums(rows: DataFrame) -> DataFrame:
    return by_user(rows).time_window("10 seconds").allowed_lateness("5 seconds").aggregate(*counted())


def sessions(rows: DataFrame) -> DataFrame:
    return by_user(rows).window(sw.EventTimeSessionWindows.with_gap("7 seconds")).aggregate(*counted())


def slices(rows: DataFrame) -> DataFrame:
    return by_user(rows).time_window("60 seconds", "10 seconds").aggregate(*counted())


def pieces(rows: DataFrame) -> DataFrame:
    kept = by_user(rows).time_window("3 minutes").evictor(sw.CountEvictor.of(4000))
    return kept.aggregate(*counted(), F.max("text").alias("text"))


def pages(rows: DataFrame) -> DataFrame:
    """Return windows that stay for two minutes, of which a key has six hundred a minute."""
    finer = rows.withColumn("ts", F.expr("ts + INTERVAL 100 MILLISECONDS * (int(text) DIV 60 % 10)"))
    windows = sw.key_by(finer.withWatermark("ts", "2 minutes"), "user").time_window("100 milliseconds")
    return windows.aggregate(*counted())


def python_function(rows: DataFrame) -> DataFrame:
    def span(_key: tuple, _context: object, rows: pd.DataFrame) -> pd.DataFrame:
        return pd.DataFrame({"first": [rows["second"].min()], "last": [rows["second"].max()]})

    return by_user(rows).time_window("10 seconds").process(span, "first long, last long")


def column_process(rows: DataFrame) -> DataFrame:
    counting = sw.ColumnProcess.of(
        state="struct(0 AS n)",
        on_element=sw.Do(state="struct(state.n + 1 AS n)", event_timer="row.ts + INTERVAL 15 SECONDS"),
        on_event_timer=sw.Do(emit="struct(state.n AS n, time AS at)", state=None),
    )
    return by_user(rows).process(counting)


def over(rows: DataFrame) -> DataFrame:
    return (
        by_user(rows).window(sw.OverEventTimeWindows.preceding("20 seconds")).with_row().aggregate(*counted())
    )


def per_partition(rows: DataFrame) -> DataFrame:
    strategy = sw.WatermarkStrategy.for_bounded_out_of_orderness("10 seconds")
    assigned = sw.assign_timestamps_and_watermarks(rows, strategy, time="ts", per_partition="area")
    return sw.key_by(assigned, "user").time_window("10 seconds").aggregate(*counted())


def chain(rows: DataFrame) -> DataFrame:
    first = by_user(rows).time_window("10 seconds").aggregate(*counted())
    return (
        sw.key_by(first, "user")
        .time_window("1 minute")
        .aggregate(F.sum("n").alias("n"), F.sum("sum").alias("sum"))
    )


KINDS = {
    "aggregate": sums,
    "sessions": sessions,
    "slices": slices,
    "kept rows in pieces": pieces,
    "windows in pages": pages,
    "Python function": python_function,
    "ColumnProcess with timers": column_process,
    "over windows": over,
    "per partition": per_partition,
    "chain of two": chain,
    "portable: aggregate": sums,
    "portable: sessions": sessions,
}


class Query:
    """One kind of query over files, in a folder of its own."""

    def __init__(self, spark: SparkSession, kind: str, folder: Path) -> None:
        self._spark, self._kind, self._folder = spark, kind, folder
        self._checkpoint = folder / "checkpoint-0"
        self.results: Counter[str] = Counter()
        spark.conf.set("spark.sql.shuffle.partitions", BEFORE)
        spark.conf.set(
            "spark.sql.windowing.operator", "portable" if kind.startswith("portable") else "native"
        )
        (folder / "in").mkdir(parents=True)

    def run(self, files: range) -> None:
        """Add files, and take them, one in a micro-batch."""
        for number in files:
            path = self._folder / "in" / f"{number}.json"
            path.write_text("\n".join(json.dumps(row) for row in rows_of(number)))
            os.utime(path, (number + 1,) * 2)  # Spark takes files by age
        reader = self._spark.readStream.schema("user string, area string, second long, text string")
        rows = reader.option("maxFilesPerTrigger", 1).json(str(self._folder / "in"))
        result = KINDS[self._kind](rows.withColumn("ts", F.timestamp_seconds("second")))
        writer = result.writeStream.foreachBatch(
            lambda batch, _: self.results.update(map(repr, batch.collect()))
        )
        query = writer.option("checkpointLocation", str(self._checkpoint)).trigger(availableNow=True).start()
        query.awaitTermination()

    def move(self, partitions: int) -> None:
        """Go on from a checkpoint with another number of partitions."""
        to = self._folder / f"checkpoint-{partitions}"
        sw.rescale(self._spark, self._checkpoint, to, partitions)
        self._checkpoint = to

    def state(self) -> Counter[str]:
        """Return what is in the state; of the portable operator how many keys, since nobody reads it."""
        if self._kind.startswith("portable"):
            to = self._folder / "counted"
            return Counter(
                str((o.rows, o.checksum)) for o in sw.rescale(self._spark, self._checkpoint, to, 1)
            )
        operators = [path.name for path in (self._checkpoint / "state").iterdir() if path.name.isdigit()]
        return Counter(
            f"{operator} {row}"
            for operator in operators
            for row in sw.read_state(self._spark, self._checkpoint, operator_id=int(operator)).collect()
        )


def rows_of(number: int) -> list[dict[str, object]]:
    """Return the rows of a file, most of a minute of their own; the last one closes what it can."""
    start = 60 * number
    rows = [
        {
            "user": f"u{n % 97}",
            "area": "north" if n % 2 else "south",
            "second": start + n * 7 % 60,
            "text": f"{n}",
        }
        for n in range(ROWS)
    ]
    large = [
        {"user": "large", "area": "north", "second": start + n % 60, "text": f"{n:0400}"}
        for n in range(LARGE)
    ]
    return rows + large


def compared(spark: SparkSession, kind: str, folder: Path) -> list[str]:
    """Return what is not equal after moves to what it is without."""
    still, moved = Query(spark, kind, folder / "still"), Query(spark, kind, folder / "moved")
    still.run(range(FILES))
    end = still.state()
    moved.run(range(FILES // 2))
    for partitions in MOVES:
        spark.conf.set("spark.sql.shuffle.partitions", partitions)
        moved.move(partitions)
    moved.run(range(FILES // 2, FILES))
    if not still.results or not end:
        return ["nothing to compare"]
    return [
        f"{what}: {len(expected - found)} missing, {len(found - expected)} more"
        for what, expected, found in (
            ("results", still.results, moved.results),
            ("state", end, moved.state()),
        )
        if expected != found
    ]


def session(store: str, folder: Path) -> SparkSession:
    builder = SparkSession.builder.master("local[2]").appName("rescale-table")
    settings = {
        "spark.driver.memory": "2g",
        # For a few rows compiling, and planning again behind each stage, takes longer than they do.
        "spark.driver.defaultJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
        "spark.sql.adaptive.enabled": "false",
        "spark.sql.codegen.wholeStage": "false",
        "spark.log.level": "ERROR",
        "spark.sql.session.timeZone": "UTC",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.sql.warehouse.dir": str(folder / "warehouse"),
        **STORES[store],
    }
    for name, value in settings.items():
        builder = builder.config(name, value)
    return sw.configure(builder).getOrCreate()


def stores() -> list[str]:
    """Return the stores of this Spark: checkpoint format 2 came with Spark 4.0."""
    return [store for store in STORES if not (store.endswith("-2") and pyspark.__version__.startswith("3."))]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--kinds", default=",".join(KINDS))
    parser.add_argument("--stores", default=",".join(stores()))
    options = parser.parse_args()
    kinds = options.kinds.split(",")
    wrong = []
    marks = {kind: [] for kind in kinds}
    with tempfile.TemporaryDirectory() as folder:
        for store in options.stores.split(","):
            spark = session(store, Path(folder))
            for number, kind in enumerate(kinds):
                found = compared(spark, kind, Path(folder) / store / str(number))
                wrong += [f"{kind}, {store}: {what}" for what in found]
                marks[kind].append("NOT EQUAL" if found else "equal")
            spark.stop()
    print(f"Spark {pyspark.__version__}, {BEFORE} partitions, then {' and '.join(map(str, MOVES))}\n")
    print("| operator | " + " | ".join(options.stores.split(",")) + " |")
    print("| --- |" + " --- |" * len(options.stores.split(",")))
    for kind, cells in marks.items():
        print(f"| {kind} | " + " | ".join(cells) + " |")
    sys.exit("\n".join(["", *wrong]) if wrong else 0)


if __name__ == "__main__":
    main()
