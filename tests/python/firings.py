"""Windows of visits, user and second, whose results are written to a table with one row per key and window.

A micro-batch is a list of visits, or a line of firings: user, start and end in seconds, number, count, replaced sessions.
"""

import json
import os
from datetime import datetime, timezone

from pyspark.sql import functions as F

import spark_windowing as sw

EACH = sw.CountTrigger.of(1)
EACH_AND_END = sw.AnyTrigger.of(EACH, sw.EventTimeTrigger.create())


def counted(windows):
    return windows.with_pane().aggregate(F.count("*").alias("n"))


def tumbling(rows):
    windows = sw.key_by(rows, "user", time="ts").time_window("10 seconds").trigger(EACH_AND_END)
    return counted(windows.allowed_lateness("10 seconds").side_output_late_data("late"))


def sessions(rows):
    gap = sw.EventTimeSessionWindows.with_gap("10 seconds")
    return counted(sw.key_by(rows, "user", time="ts").window(gap).trigger(EACH).allowed_lateness("1 hour"))


def visits(spark, folder, *batches):
    """A stream of visits whose watermark has no delay; each list is a micro-batch."""
    folder.mkdir()
    for number, batch in enumerate(batches):
        path = folder / f"{number:04}.json"
        rows = [json.dumps({"user": user, "second": second}) for user, second in batch]
        path.write_text("\n".join(rows), encoding="utf-8")
        os.utime(path, (number, number))
    reader = spark.readStream.schema("user string, second int").option("maxFilesPerTrigger", 1)
    rows = reader.json(str(folder)).withColumn("ts", F.timestamp_seconds("second"))
    return rows.withWatermark("ts", "0 seconds")


def run(frame, write, checkpoint):
    """Take what there is, a list a micro-batch."""
    writer = frame.writeStream.foreachBatch(write).trigger(availableNow=True)
    query = writer.option("checkpointLocation", str(checkpoint)).start()
    query.awaitTermination()
    return query


def micro_batch(spark, schema, *lines):
    def window(start, end):
        return tuple(datetime.fromtimestamp(bound, timezone.utc) for bound in (start, end))

    rows = [
        (user, window(start, end), ("early", index, False, None, [window(*w) for w in replaced]), n)
        for user, start, end, index, n, *replaced in lines
    ]
    return spark.createDataFrame(rows, schema)
