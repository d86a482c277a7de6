"""A stream through a Python function of windows, started twice on one checkpoint: stream_of_functions.py FOLDER [NAME=VALUE ..].

NAME=VALUE are settings of Spark. FOLDER/found.json gets the rows of the function, those of its side output and the late
ones of each of the two runs, the number of executors, whether their Python could import this package, and where it lies.
"""

import json
import sys
from importlib import import_module
from pathlib import Path

import pandas as pd
from pyspark.sql import SparkSession

import spark_windowing as sw
from spark_windowing import Tagged

SCHEMA = "user string, price int, ts timestamp"
RUNS = (
    [[("a", 3, 1), ("a", 4, 4), ("b", 7, 3)], [("a", 9, 30)]],  # the watermark passes the first sessions
    [
        [("a", 1, 36), ("b", 2, 2)],
        [("b", 5, 100)],
    ],  # a's second session goes on, a row is late, and a's session ends
)


def bill(key, context, elements):
    """The price of a session, and its cheapest rows aside."""
    try:
        import_module("spark_windowing")
        has_package = True
    except ImportError:
        has_package = False
    yield pd.DataFrame({"spent": [elements["price"].sum()], "package": [has_package], "python": [sys.prefix]})
    yield Tagged("cheap", elements[elements["price"] < 4][["price"]])


def write(folder, number, rows):
    """One file for one micro-batch."""
    lines = [
        json.dumps({"user": u, "price": p, "ts": f"1970-01-01T00:{s // 60:02}:{s % 60:02}Z"})
        for u, p, s in rows
    ]
    folder.mkdir(exist_ok=True)
    (folder / f"{number}.json").write_text("\n".join(lines), encoding="utf-8")


def run(spark, folder):
    """Everything that the query puts out until its input is used up."""
    found, workers = {"main": [], "cheap": [], "late": []}, []

    def main(batch, _):
        rows = batch.collect()
        found["main"].extend([row.user, row.spent] for row in rows)
        workers.extend((row.package, row.python) for row in rows)

    source = spark.readStream.schema(SCHEMA).option("maxFilesPerTrigger", 1).json(str(folder / "in"))
    windows = sw.key_by(source.withWatermark("ts", "0 seconds"), "user").window(
        sw.EventTimeSessionWindows.with_gap("10 seconds")
    )
    result = windows.side_output_late_data("late").process(
        bill, "spent long, package boolean, python string", side_outputs={"cheap": "price int"}
    )
    handlers = sw.for_each_output(
        main=main,
        cheap=lambda batch, _: found["cheap"].extend(row.price for row in batch.collect()),
        late=lambda batch, _: found["late"].extend(row.price for row in batch.collect()),
    )
    writer = sw.all_outputs(result).writeStream.foreachBatch(handlers).trigger(availableNow=True)
    query = writer.option("checkpointLocation", str(folder / "checkpoint")).start()
    query.awaitTermination()
    return {name: sorted(values) for name, values in found.items()}, workers


def main(folder, settings):
    builder = SparkSession.builder.config("spark.ui.enabled", "false")
    builder = builder.config("spark.sql.shuffle.partitions", "2").config("spark.sql.session.timeZone", "UTC")
    for name, value in settings.items():
        builder = builder.config(name, value)
    spark = builder.getOrCreate()
    (folder / "application").write_text(spark.sparkContext.applicationId, encoding="utf-8")
    found, workers, number = {"runs": []}, [], 0
    for files in RUNS:
        for rows in files:
            write(folder / "in", number := number + 1, rows)
        rows, of_run = run(spark, folder)
        found["runs"].append(rows)
        workers += of_run
    found["package"] = any(has_package for has_package, _ in workers)
    found["pythons"] = sorted({python for _, python in workers})
    hosts = spark.sparkContext._jsc.sc().getExecutorMemoryStatus().size()
    found["executors"] = hosts - 1  # without the driver
    (folder / "found.json").write_text(json.dumps(found), encoding="utf-8")
    spark.stop()


if __name__ == "__main__":
    main(Path(sys.argv[1]), dict(setting.split("=", 1) for setting in sys.argv[2:]))
