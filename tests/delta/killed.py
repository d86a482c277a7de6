"""Sessions of the visits in FOLDER/in, written to the Delta table FOLDER/table: killed.py FOLDER."""

import sys
from pathlib import Path

from pyspark.sql import functions as F

import spark_windowing as sw
from delta_session import session

GAP = 10  # seconds
SCHEMA = "user string, second int"


def main(folder):
    spark = session(folder)
    reader = spark.readStream.schema(SCHEMA).option("maxFilesPerTrigger", 1).json(str(folder / "in"))
    visits = reader.withColumn("ts", F.timestamp_seconds("second")).withWatermark("ts", "1 day")
    result = (
        sw.key_by(visits, "user", time="ts")
        .window(sw.EventTimeSessionWindows.with_gap(f"{GAP} seconds"))
        .trigger(sw.CountTrigger.of(1))
        .with_pane()
        .aggregate(F.count("*").alias("n"))
    )
    write = sw.upsert_to_delta(result, f"delta.`{folder}/table`")
    writer = result.writeStream.foreachBatch(write).trigger(availableNow=True)
    writer.option("checkpointLocation", str(folder / "checkpoint")).start().awaitTermination()
    bounds = [f"unix_seconds(window.{bound}) AS {bound}" for bound in ("start", "end")]
    found = spark.sql(f"SELECT * FROM delta.`{folder}/table`").selectExpr("user", *bounds, "n")
    found.coalesce(1).write.json(str(folder / "found"), ignoreNullFields=False)
    spark.stop()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
