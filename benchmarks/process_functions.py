"""A process function of keys as columns, beside the same one in Python by `transformWithStateInPandas`.

    make bench-process
    make bench-process OPTIONS="--events 2000000 --keys 100000"

Each key counts its events until it is silent for five seconds, by state and one timer of event time. The
events are in order, a file a micro-batch; both keep their state in RocksDB. The rows of both must be equal.
The table has the fastest round of each, and the ratio.
"""

from __future__ import annotations

import argparse
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd
from pyspark.sql import functions as F
from pyspark.sql.streaming.stateful_processor import StatefulProcessor

import spark_windowing as sw
from local_session import local_session
from over_windows import rows_of, run_stream, seconds_of
from works import ROCKSDB

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql import DataFrame, SparkSession

FILES = 4
SILENCE = 5_000  # milliseconds
RESULT = "key long, n int, last long"


def write_events(spark: SparkSession, count: int, keys: int, folder: Path) -> None:
    """Write events in order; a key has one in each second of three, then it is silent for six."""
    for i in range(FILES):
        ids = spark.range(i * count // FILES, (i + 1) * count // FILES, 1, 1)
        turn = (F.col("id") / keys).cast("long")
        at = (turn / 3).cast("long") * 9_000 + turn % 3 * 1_000 + F.col("id") % keys * 1_000 / keys
        events = ids.select(
            (F.col("id") % keys).alias("key"), F.timestamp_millis(at.cast("long") + 1_000).alias("ts")
        )
        events.write.parquet(str(folder / f"{i}"))


def ours(events: DataFrame) -> DataFrame:
    """Count with a process function of this project."""
    silence = F.expr(f"INTERVAL {SILENCE // 1000} SECONDS")

    def on_element(row: Any, state: Any) -> sw.Do:
        over = row.ts >= state["last"] + silence
        return sw.Do(
            state=F.struct(F.when(over, 1).otherwise(state["n"] + 1).alias("n"), row.ts.alias("last")),
            emit=F.when(over, state),
            event_timer=row.ts + silence,
        )

    visits = sw.ColumnProcess.of(
        state="struct(0 AS n, timestamp(NULL) AS last)",
        on_element=on_element,
        on_event_timer=lambda state: sw.Do(emit=state, state=None),
    )
    return sw.key_by(events, "key").process(visits).select("key", "n", F.unix_millis("last").alias("last"))


def by_hand(events: DataFrame) -> DataFrame:
    """Count with a stateful processor in Python."""
    return events.groupBy("key").transformWithStateInPandas(processor(), RESULT, "append", "eventTime")


def processor() -> StatefulProcessor:
    """Return the processor of a key."""
    # All that it needs is within: Python workers do not find this module.
    silence = SILENCE

    class Visits(StatefulProcessor):
        def init(self, handle: Any) -> None:
            self._handle = handle
            self._state = handle.getValueState("visit", "n int, last long")

        def handleInputRows(  # noqa: N802
            self,
            key: Any,
            rows: Iterator[pd.DataFrame],
            timerValues: Any,  # noqa: ARG002, N803
        ) -> Iterator[pd.DataFrame]:
            n, last = self._state.get() if self._state.exists() else (0, None)
            before, ended = last, []
            for frame in rows:
                for at in sorted(frame.ts.astype("datetime64[ms]").astype("int64")):
                    if last is not None and at >= last + silence:
                        ended.append((key[0], n, last))
                        n = 0
                    n, last = n + 1, at
            if before is not None:
                self._handle.deleteTimer(before + silence)
            self._handle.registerTimer(int(last) + silence)
            self._state.update((n, int(last)))
            yield pd.DataFrame(ended, columns=["key", "n", "last"])

        def handleExpiredTimer(  # noqa: N802
            self,
            key: Any,
            timerValues: Any,  # noqa: ARG002, N803
            expiredTimerInfo: Any,  # noqa: ARG002, N803
        ) -> Iterator[pd.DataFrame]:
            n, last = self._state.get()
            self._state.clear()
            yield pd.DataFrame([(key[0], n, last)], columns=["key", "n", "last"])

        def close(self) -> None:
            pass

    return Visits()


def stream(spark: SparkSession, folder: Path) -> DataFrame:
    """Read the files as a stream."""
    reader = spark.readStream.schema("key BIGINT, ts TIMESTAMP").option("maxFilesPerTrigger", 1)
    return reader.parquet(f"{folder}/*").withWatermark("ts", "0 seconds")


def check_equal(spark: SparkSession, folder: Path) -> int:
    """Stop if the rows differ; return their number.

    Raises
    ------
    SystemExit
        With the figures.
    """
    found, expected = (rows_of(f(stream(spark, folder))) for f in (ours, by_hand))
    digests = [
        tuple(rows.agg(F.count("*"), F.bit_xor(F.xxhash64(*rows.columns))).head())  # type: ignore[arg-type]
        for rows in (found, expected)
    ]
    if digests[0] != digests[1]:
        raise SystemExit(f"{digests[0]} by columns, {digests[1]} in Python")
    return int(digests[0][0])


def main() -> None:
    """Print one line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--events", type=int, default=1_000_000)
    parser.add_argument("--keys", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    spark = local_session("4g", ROCKSDB)
    folder = Path(tempfile.mkdtemp())
    try:
        write_events(spark, options.events, options.keys, folder / "events")
        rows = check_equal(spark, folder / "events")
        times = [
            seconds_of(lambda: run_stream(f(stream(spark, folder / "events"))), options.rounds)  # noqa: B023
            for f in (ours, by_hand)
        ]
        print("| events | keys | results | ColumnProcess, s | transformWithStateInPandas, s | ratio |")
        print("| ---: | ---: | ---: | ---: | ---: | ---: |")
        shown = f"{times[0]:.1f} | {times[1]:.1f} | {times[1] / times[0]:.0f}"
        print(f"| {options.events} | {options.keys} | {rows} | {shown} |")
    finally:
        shutil.rmtree(folder)
        spark.stop()


if __name__ == "__main__":
    main()
