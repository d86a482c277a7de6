"""The three queries of the job: tumbling windows, sessions and count windows, each with two outputs."""

from pathlib import Path
from typing import NamedTuple

import pandas as pd
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

import input_files
import spark_windowing as sw

TUMBLING = 10_000  # milliseconds of a window
GAP = 8_000  # milliseconds between sessions
COUNT = 5  # events of a count window


class Query(NamedTuple):
    """A result, and for each output in SQL what is written of it: what does not depend on the micro-batch."""

    result: DataFrame
    outputs: dict


TIMED = {
    "main": ["key", "unix_millis(window.start) as start", "unix_millis(window.end) as end", "n", "total"],
    "late": ["id", "key", "late_reason", "unix_millis(missed_window.start) as start"],
}


def queries(spark, folder: Path):
    """Each query by its name, over the files of one folder."""
    stream = (
        spark.readStream.schema(input_files.SCHEMA).option("maxFilesPerTrigger", 1).json(str(folder))
    ).withColumn("ts", F.timestamp_millis("ms"))
    rows = stream.withWatermark("ts", f"{input_files.DELAY} milliseconds")
    return {"tumbling": tumbling(rows), "session": session(rows), "count": count(rows)}


def tumbling(rows):
    return timed(rows, sw.TumblingEventTimeWindows.of(f"{TUMBLING} milliseconds"))


def session(rows):
    return timed(rows, sw.EventTimeSessionWindows.with_gap(f"{GAP} milliseconds"))


def timed(rows, assigner):
    windows = sw.key_by(rows, "key", time="ts").window(assigner).side_output_late_data("late")
    return Query(windows.aggregate(F.count("*").alias("n"), F.sum("value").alias("total")), TIMED)


def count(rows):
    """A Python function with an output of its own and state of the key; ids in order of arrival."""

    def report(key, context, elements):
        ids = " ".join(map(str, elements["id"]))
        yield pd.DataFrame({"ids": [ids], "before": [context.global_state["n"]]})
        yield sw.Tagged("last", elements.tail(1)[["id", "value"]])

    result = (
        sw.key_by(rows, "key", "lane")
        .count_window(COUNT)
        .process(
            report,
            "ids string, before long",
            side_outputs={"last": "id long, value long"},
            global_state=sw.ColumnState.of("struct(0L as n)", "struct(state.n + 1 as n)"),
        )
    )
    return Query(result, {"main": ["key", "lane", "ids", "before"], "last": ["id", "value"]})
