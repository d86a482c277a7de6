"""Rows a second of upserts, beside a plain append and a MERGE that is written by hand.

    make venv && .venv/bin/python benchmarks/upserts.py
    .venv/bin/python benchmarks/upserts.py --rows 200000 --keys 20000 --stores delta

A query reads the rows in ten micro-batches, windows of a minute fire in each (`MicroBatchTrigger`), and each
of the ways writes the same firings. An append keeps all of them, the MERGE the newest of a key and window.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from pyspark.sql import Window
from pyspark.sql import functions as F

import spark_windowing as sw

sys.path.append(str(Path(__file__).parents[1] / "tests" / "upserts"))
from postgres_server import PostgresServer
from upsert_session import STORES, session

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyspark.sql import DataFrame, SparkSession

BATCHES = 10
NAMES = {"delta": "t_{}", "iceberg": "lake.shop.t_{}", "postgres": "t_{}"}


def write_rows(spark: SparkSession, rows: int, keys: int, folder: Path) -> None:
    """Write the rows, a file a micro-batch: each key has a row in each minute."""
    for batch in range(BATCHES):
        ids = spark.range(batch * rows // BATCHES, (batch + 1) * rows // BATCHES, 1, 1)
        # Times go on by the keys, so that a window gets rows in two micro-batches.
        seconds = F.col("id") * 60 / keys * 0.75
        frame = ids.select(
            (F.col("id") % keys).alias("key"), F.timestamp_millis((seconds * 1000).cast("long")).alias("ts")
        )
        frame.write.parquet(str(folder / f"{batch:02}"))


def firings(spark: SparkSession, folder: Path) -> DataFrame:
    """Return the stream of firings."""
    reader = spark.readStream.schema("key long, ts timestamp").option("maxFilesPerTrigger", 1)
    rows = reader.parquet(str(folder / "*")).withWatermark("ts", "1 minute")
    windows = sw.key_by(rows, "key").time_window("1 minute").trigger(sw.MicroBatchTrigger.create())
    return windows.with_pane().aggregate(F.count("*").alias("n"))


def by_hand(result: DataFrame, store: str, table: str) -> Callable[[DataFrame, int], None]:
    """Return a function with a MERGE as a user writes it: no deletes, batch ids and conditions on time."""
    spark = result.sparkSession
    spark.sql(f"CREATE TABLE {table} ({result._jdf.schema().toDDL()}) USING {store}")

    def merge(batch: DataFrame, _: int) -> None:
        newest = Window.partitionBy("key", "window").orderBy(F.desc("pane.number"))
        rows = batch.withColumn("place", F.row_number().over(newest)).where("place = 1").drop("place")
        rows.createOrReplaceTempView("newest")
        batch.sparkSession.sql(
            f"MERGE INTO {table} t USING newest s ON t.key = s.key AND t.window = s.window "
            "WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *"
        )

    return merge


def ways(result: DataFrame, store: str, url: str | None) -> dict[str, Callable[[DataFrame, int], None]]:
    """Return the functions to compare."""
    names = {way: NAMES[store].format(way.replace(" ", "_")) for way in ("append", "MERGE by hand", "upsert")}
    if store == "postgres":
        assert url is not None
        properties = {"user": "postgres", "reWriteBatchedInserts": "true", "driver": "org.postgresql.Driver"}

        def append(batch: DataFrame, _: int) -> None:
            plain = batch.selectExpr(
                "key", "window.start AS s", "window.end AS e", "pane.number AS number", "n"
            )
            plain.write.jdbc(url, names["append"], "append", properties)

        upsert = sw.upsert_to_postgres(result, names["upsert"], url=url, properties={"user": "postgres"})
        return {"append": append, "upsert": upsert}
    function = {"delta": sw.upsert_to_delta, "iceberg": sw.upsert_to_iceberg}[store]
    return {
        "append": lambda batch, _: batch.write.saveAsTable(names["append"], format=store, mode="append"),
        "MERGE by hand": by_hand(result, store, names["MERGE by hand"]),
        "upsert": function(result, names["upsert"]),
    }


def measure(result: DataFrame, write: Callable[[DataFrame, int], None], checkpoint: Path) -> float:
    """Run the query; return the seconds of its micro-batches but the first two, as the JVM warms up."""
    query = (
        result.writeStream.foreachBatch(write)
        .option("checkpointLocation", str(checkpoint))
        .trigger(availableNow=True)
        .start()
    )
    query.awaitTermination()
    times = [p["durationMs"]["triggerExecution"] for p in query.recentProgress if p["numInputRows"]]
    return sum(times[2:]) / 1000


def main() -> None:
    """Print rows a second of each way and store."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--keys", type=int, default=100_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--stores", nargs="+", default=STORES, choices=STORES)
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as name, tempfile.TemporaryDirectory() as data:
        folder = Path(name)
        spark = session(folder, chosen.stores)
        for setting in ("spark.sql.adaptive.enabled", "spark.sql.codegen.wholeStage"):
            spark.conf.unset(setting)
        if "iceberg" in chosen.stores:
            spark.sql("CREATE NAMESPACE lake.shop")
        write_rows(spark, chosen.rows, chosen.keys, folder / "in")
        measured = chosen.rows * (BATCHES - 2) // BATCHES
        for store in chosen.stores:
            if store == "postgres":
                with PostgresServer(Path(data)) as server:
                    url = f"jdbc:postgresql://127.0.0.1:{server.port}/postgres"
                    compare(spark, folder, store, url, chosen.rounds, measured)
            else:
                compare(spark, folder, store, None, chosen.rounds, measured)
        spark.stop()


def compare(spark: SparkSession, folder: Path, store: str, url: str | None, rounds: int, rows: int) -> None:
    """Print the rows a second of the ways to a store, which take turns."""
    result = firings(spark, folder / "in")
    functions = ways(result, store, url)
    seconds: dict[str, list[float]] = {way: [] for way in functions}
    for number in range(rounds):
        for way, write in functions.items():
            seconds[way].append(measure(result, write, folder / f"{store} {way} {number}"))
    least = {way: min(times) for way, times in seconds.items()}
    for way, times in seconds.items():
        middle = statistics.median(times)
        print(
            f"{store:9} {way:14} {rows / middle:9,.0f} rows/s (median of {rounds}), "
            f"{least['append'] / least[way]:.2f} of the append (best of each)"
        )


if __name__ == "__main__":
    main()
