"""Three plans for large windows that report as they go: `make example-large-windows`.

Each keeps the totals of 13 weeks of a carrier and reports them every week. They differ in what they keep.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
from functools import reduce
from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

import spark_windowing as sw

sys.path.append(str(Path(__file__).resolve().parents[1] / "flights"))
from flights import all_flights, by_days, closing_row, replay, write_files

if TYPE_CHECKING:
    from pyspark.sql.streaming import StreamingQuery

    from spark_windowing import Context, WindowedStream

WINDOW = "91 days"
WATERMARK_DELAY = "2 days"  # no flight left so late
every_week = sw.ContinuousEventTimeTrigger.of("7 days")


def quarters(flights: DataFrame) -> WindowedStream:
    """Return the windows that all plans share: 13 weeks of each carrier, of the flights that departed."""
    departed = sw.key_by(flights, "carrier", time="departed", on_missing_time="drop")
    return departed.window(sw.TumblingEventTimeWindows.of(WINDOW))


def process_and_purge(flights: DataFrame) -> DataFrame:
    """Give a function the rows since the last report, then drop them: the window itself keeps totals only."""

    def totals(_key: tuple[str], context: Context, since: pd.DataFrame) -> pd.DataFrame:
        before = context.window_state
        return pd.DataFrame(
            {"flights": [before["flights"] + len(since)], "delay": [before["delay"] + since["delay"].sum()]}
        )

    state = sw.ColumnState.of(
        "struct(0L as flights, 0L as delay)",
        "struct(state.flights + size(result) as flights, "
        "aggregate(result, state.delay, (sum, flight) -> sum + flight.delay) as delay)",
    )
    weekly = quarters(flights).trigger(sw.PurgingTrigger.of(every_week))
    return weekly.process(totals, "flights long, delay long", window_state=state)


def aggregate_and_purge(flights: DataFrame) -> DataFrame:
    """Aggregate what came since the last report, and add it to the totals in the state of the window."""

    def totals(_key: tuple[str], context: Context, since: pd.DataFrame) -> pd.DataFrame:
        return since + pd.Series(context.window_state)

    state = sw.ColumnState.of(
        "struct(0L as flights, 0L as delay)",
        "struct(state.flights + result.flights as flights, state.delay + result.delay as delay)",
    )
    since = (F.count("*").alias("flights"), F.sum("delay").alias("delay"))
    weekly = quarters(flights).trigger(sw.PurgingTrigger.of(every_week))
    return weekly.aggregate(*since, process=totals, schema="flights long, delay long", window_state=state)


def aggregate_and_keep(flights: DataFrame) -> DataFrame:
    """Aggregate the window from its start, and never purge: the aggregates are the totals."""
    weekly = quarters(flights).trigger(every_week).collapse_firings()
    return weekly.aggregate(F.count("*").alias("flights"), F.sum("delay").alias("delay"))


PLANS = {plan.__name__: plan for plan in (process_and_purge, aggregate_and_purge, aggregate_and_keep)}


def run(spark: SparkSession, folder: Path) -> tuple[DataFrame, dict[str, int]]:
    """Run the plans side by side until they have taken all files of ``folder/input``.

    Returns
    -------
    tuple
        A row a window with a column for each plan: the totals (flights, delay) of its last report. And the
        most bytes that each plan had in its state.
    """
    queries = {}
    for name, plan in PLANS.items():
        reports = plan(replay(spark, folder / "input", WATERMARK_DELAY))
        writer = reports.writeStream.format("parquet").option("path", str(folder / name))
        writer = writer.option("checkpointLocation", str(folder / "checkpoints" / name))
        queries[name] = writer.queryName(name).trigger(availableNow=True).start()
    try:
        for query in queries.values():
            query.awaitTermination()
    finally:
        for query in queries.values():
            query.stop()
    reports = [spark.read.parquet(str(folder / name)).withColumn("plan", F.lit(name)) for name in PLANS]
    return last_reports(reduce(DataFrame.unionByName, reports)), {n: most_kept(q) for n, q in queries.items()}


def last_reports(reports: DataFrame) -> DataFrame:
    """Return the totals of each window by plan: those of its last report, which counts the most flights."""
    totals = F.struct("flights", "delay")
    of = {name: F.when(F.col("plan") == name, F.col("flights")) for name in PLANS}
    last = [F.max_by(totals, of[name]).alias(name) for name in PLANS]
    return reports.groupBy("carrier", "window").agg(*last)


def most_kept(query: StreamingQuery) -> int:
    """Return the most bytes that the window operator had in its state, of all keys."""
    operators = [
        progress["stateOperators"][0] for progress in query.recentProgress if progress["stateOperators"]
    ]
    return max(operator["customMetrics"]["stateBytes"] for operator in operators)


def main() -> None:
    """Run the plans over a year of flights, five days a micro-batch, and compare them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("target/large_windows"), help="default: %(default)s")
    out = parser.parse_args().out.resolve()
    for name in ("input", "checkpoints", *PLANS):
        shutil.rmtree(out / name, ignore_errors=True)
    flights = all_flights()
    # The last piece moves the watermark past the end of the last windows.
    write_files([*by_days(flights, 5), closing_row(flights)], out / "input")

    spark = session()
    totals, kept = run(spark, out)
    totals.persist()
    texts = [F.concat_ws(" / ", f"{name}.flights", f"{name}.delay").alias(name) for name in PLANS]
    largest = totals.orderBy(F.desc("aggregate_and_keep.flights"), "carrier")
    print("Flights / minutes of delay in the last report of each window, the largest")
    largest.select("carrier", F.to_date("window.start").alias("from"), *texts).show(8, truncate=False)
    a, b, c = (F.col(name) for name in PLANS)
    print(f"{totals.where((a == b) & (b == c)).count()} of {totals.count()} windows: all plans agree")
    print("The most that each plan kept in the state:")
    for name, size in kept.items():
        print(f"  {name:<20} {size:>12,} bytes")
    spark.stop()


def session() -> SparkSession:
    """Start Spark on this machine. spark_windowing brings its jar into it by itself."""
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)  # the functions need pandas: take this Python
    builder = SparkSession.builder.master("local[*]").appName("large windows")
    for name, value in {
        "spark.driver.host": "127.0.0.1",
        "spark.log.level": "ERROR",
        "spark.sql.session.timeZone": "UTC",
        "spark.sql.shuffle.partitions": "2",
        "spark.sql.streaming.numRecentProgressUpdates": "1000",  # most_kept looks at all of them
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
    }.items():
        builder = builder.config(name, value)
    return builder.getOrCreate()


if __name__ == "__main__":
    main()
