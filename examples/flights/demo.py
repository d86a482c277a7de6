"""A year of flights, 336,776 of them, through three window queries at once: `make demo`."""

from __future__ import annotations

import argparse
import shutil
import time
from pathlib import Path
from typing import TYPE_CHECKING

from pyspark.sql import SparkSession

import spark_windowing as sw
from flights import all_flights, by_days, closing_row, replay, write_files
from progress import dropped, total, watch
from queries import departures_by_hour, last_hundred, working_stretches
from tables import print_carriers, print_hours, print_late, print_stretches

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyspark.sql import DataFrame
    from pyspark.sql.streaming import DataStreamWriter, StreamingQuery

DAYS_A_BATCH = 10
WATERMARK_DELAY = "1 hour"
FOLDERS = ("input", "checkpoints", "departures_by_hour", "late", "working_stretches", "last_hundred")


def main() -> None:
    """Replay the flights, wait for the queries, and print what they found."""
    out = output_folder()
    flights = all_flights()
    # The last piece moves the watermark past the windows of the last days, which would stay open without it.
    pieces = [*by_days(flights, DAYS_A_BATCH), closing_row(flights)]
    write_files(pieces, out / "input")
    print(f"{len(flights):,} flights and a closing row in {len(pieces)} files: a file is a micro-batch")

    spark = session()
    began = time.perf_counter()
    queries = start(replay(spark, out / "input", WATERMARK_DELAY), out)
    watch(queries)
    seconds = time.perf_counter() - began

    print_hours(spark.read.parquet(str(out / "departures_by_hour")))
    print_late(spark.read.parquet(str(out / "late")))
    print_stretches(spark.read.parquet(str(out / "working_stretches")))
    print(dropped(queries[1]))
    print_carriers(spark.read.parquet(str(out / "last_hundred")))
    rows = sum(total(query, "numInputRows") for query in queries)
    print(f"{rows:,} rows through {len(queries)} queries in {seconds:.0f} s: {rows / seconds:,.0f} rows/s")
    print(f"All results and late rows as Parquet files: {out}")
    spark.stop()


def start(flights: DataFrame, out: Path) -> list[StreamingQuery]:
    """Start the three queries. They run until they have taken every file there is now."""
    hours = departures_by_hour(flights)
    write_hours = sw.for_each_output(
        main=write_batch(out / "departures_by_hour"),
        late=write_batch(out / "late"),
    )

    def begin(name: str, writer: DataStreamWriter) -> StreamingQuery:
        checkpoint = str(out / "checkpoints" / name)
        named = writer.queryName(name).option("checkpointLocation", checkpoint)
        return named.trigger(availableNow=True).start()

    def begin_file_sink(name: str, result: DataFrame) -> StreamingQuery:
        return begin(name, result.writeStream.format("parquet").option("path", str(out / name)))

    return [
        begin("departures_by_hour", sw.all_outputs(hours).writeStream.foreachBatch(write_hours)),
        begin_file_sink("working_stretches", working_stretches(flights)),
        begin_file_sink("last_hundred", last_hundred(flights)),
    ]


def write_batch(folder: Path) -> Callable[[DataFrame, int], None]:
    """Return a function that writes a micro-batch to its own folder: written twice, it is there once."""

    def write(rows: DataFrame, batch: int) -> None:
        rows.coalesce(1).write.parquet(f"{folder}/batch={batch}", mode="overwrite")

    return write


def session() -> SparkSession:
    """Start Spark on this machine."""
    builder = SparkSession.builder.master("local[*]").appName("flights")
    for name, value in {
        "spark.driver.host": "127.0.0.1",
        "spark.log.level": "ERROR",
        "spark.sql.session.timeZone": "UTC",
        "spark.sql.shuffle.partitions": "2",
        "spark.sql.streaming.numRecentProgressUpdates": "1000",  # progress.py adds them up
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
    }.items():
        builder = builder.config(name, value)
    return sw.configure(builder).getOrCreate()


def output_folder() -> Path:
    """Return the folder of ``--out`` without what an earlier run left in it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("target/flights"), help="default: %(default)s")
    out = parser.parse_args().out.resolve()
    if others := sorted({path.name for path in out.glob("*")} - set(FOLDERS)):
        parser.error(f"--out {out} holds {', '.join(others)}: name a new folder, or one of an earlier run")
    for name in FOLDERS:
        shutil.rmtree(out / name, ignore_errors=True)
    return out


if __name__ == "__main__":
    main()
