"""A static and a streaming window, and one with a Python function: first_window.py WAY FOLDER [NAME=VALUE ..].

WAY says how the jar comes into the session: "spark.jars" by that setting alone, "ADD JAR" by that statement, "submit"
by spark-submit --jars. NAME=VALUE are settings of Spark.
The rows that the windows put out are written to FOLDER/rows.json, the id of the application to FOLDER/application.
"""

import json
import sys
from importlib import import_module
from pathlib import Path

import pandas as pd
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

import spark_windowing as sw
from spark_windowing import Tagged
from spark_windowing._gateway import classic

SCHEMA = "user string, price int, ts timestamp"
CLICKS = [("a", 3, 1), ("a", 4, 4), ("b", 1, 100), ("a", 9, 6)]


def sessions(clicks):
    return (
        sw.key_by(clicks, "user", time="ts")
        .window(sw.EventTimeSessionWindows.with_gap("10 seconds"))
        .side_output_late_data("late")
        .aggregate(F.count("*").alias("n"), F.sum("price").alias("spent"))
    )


def rows(frame):
    """The rows as sorted lists, with the bounds of the window in seconds."""
    start, end = F.unix_seconds("window.start"), F.unix_seconds("window.end")
    return sorted(list(row) for row in frame.select("user", start, end, "n", "spent").collect())


def static(clicks):
    return rows(sessions(clicks))


def function(clicks):
    """The rows of a Python function and of its side output, and whether its processes could import the package."""

    def has_package():
        try:
            import_module("spark_windowing")
        except ImportError:
            return False
        return True

    def dearest(key, context, elements):
        yield pd.DataFrame({"dearest": [elements["price"].max()], "package": [has_package()]})
        yield Tagged("cheap", elements[elements["price"] < 4][["price"]])

    windows = sw.key_by(clicks, "user", time="ts").time_window("10 seconds")
    result = windows.process(dearest, "dearest int, package boolean", side_outputs={"cheap": "price int"})
    rows = result.select("user", "dearest", "package").collect()
    cheap = sw.side_output(result, "cheap").collect()
    return {
        "main": sorted([row.user, row.dearest] for row in rows),
        "cheap": sorted(row.price for row in cheap),
        "package": any(row.package for row in rows),
    }


def streaming(spark, clicks, folder):
    """One row a micro-batch: the last one is late."""
    clicks.coalesce(1).write.option("maxRecordsPerFile", 1).json(str(folder / "in"))
    source = spark.readStream.schema(SCHEMA).option("maxFilesPerTrigger", 1).json(str(folder / "in"))
    found = {"main": [], "late": []}
    write = sw.for_each_output(
        main=lambda batch, _: found["main"].extend(rows(batch)),
        late=lambda batch, _: found["late"].extend(row.price for row in batch.collect()),
    )
    result = sessions(source.withWatermark("ts", "0 seconds"))
    query = (
        sw.all_outputs(result)
        .writeStream.foreachBatch(write)
        .option("checkpointLocation", str(folder / "checkpoint"))
        .trigger(availableNow=True)
        .start()
    )
    query.awaitTermination()
    return found


def refuse(spark):
    raise AssertionError("the jar should have been there from the start")


def main(way, folder, settings):
    builder = SparkSession.builder.config("spark.ui.enabled", "false")
    builder = builder.config("spark.sql.shuffle.partitions", "2").config("spark.sql.session.timeZone", "UTC")
    for name, value in settings.items():
        builder = builder.config(name, value)
    if way == "spark.jars":
        builder = builder.config("spark.jars", sw.jar_path())
    classic._add_jar = refuse
    spark = builder.getOrCreate()
    (folder / "application").write_text(spark.sparkContext.applicationId)
    if way == "ADD JAR":
        spark.sql(f"ADD JAR '{sw.jar_path()}'")
    clicks = spark.createDataFrame(CLICKS, "user string, price int, second int").select(
        "user", "price", F.timestamp_seconds("second").alias("ts")
    )
    found = {
        "static": static(clicks),
        "streaming": streaming(spark, clicks, folder),
        "function": function(clicks),
    }
    report = sw.doctor(spark)
    assert report.ok, report
    (folder / "rows.json").write_text(json.dumps(found))
    spark.stop()


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), dict(setting.split("=", 1) for setting in sys.argv[3:]))
