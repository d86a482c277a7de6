"""Sessions of the visits in FOLDER/in, written to a table, which is then printed to FOLDER/found: killed.py FOLDER STORE WAY [PORT].

WAY is "function", for foreachBatch, or "sink".
"""

import json
import sys
from pathlib import Path

from pyspark.sql import functions as F

import spark_windowing as sw
from upsert_session import session

GAP = 10  # seconds
SCHEMA = "user string, second int"


def options(store, folder, port):
    if store == "postgres":
        url = f"jdbc:postgresql://127.0.0.1:{port}/shop"
        return {"store": store, "table": "visits", "url": url, "user": "postgres"}
    return {
        "store": store,
        "table": {"delta": f"delta.`{folder}/table`", "iceberg": "lake.shop.visits"}[store],
    }


def function(result, store, table, **others):
    if store == "postgres":
        return sw.upsert_to_postgres(result, table, url=others["url"], properties={"user": "postgres"})
    return {"delta": sw.upsert_to_delta, "iceberg": sw.upsert_to_iceberg}[store](result, table)


def main(folder, store, way, port=None):
    spark = session(folder, [store])
    if store == "iceberg":
        spark.sql("CREATE NAMESPACE IF NOT EXISTS lake.shop")
    reader = spark.readStream.schema(SCHEMA).option("maxFilesPerTrigger", 1).json(str(folder / "in"))
    visits = reader.withColumn("ts", F.timestamp_seconds("second")).withWatermark("ts", "1 day")
    result = (
        sw.key_by(visits, "user", time="ts")
        .window(sw.EventTimeSessionWindows.with_gap(f"{GAP} seconds"))
        .trigger(sw.CountTrigger.of(1))
        .with_pane()
        .aggregate(F.count("*").alias("n"))
    )
    chosen = options(store, folder, port)
    if way == "function":
        writer = result.writeStream.foreachBatch(function(result, **chosen))
    else:
        writer = result.writeStream.format("windows-upsert").options(**chosen)
    writer.option("checkpointLocation", str(folder / "checkpoint")).trigger(
        availableNow=True
    ).start().awaitTermination()
    if store != "postgres":
        bounds = [f"unix_seconds(window.{bound}) AS {bound}" for bound in ("start", "end")]
        spark.sql(f"REFRESH TABLE {chosen['table']}")  # Iceberg keeps it for a while as it was at the start
        rows = spark.sql(f"SELECT * FROM {chosen['table']}").selectExpr("user", *bounds, "n").collect()
        (folder / "found").write_text(json.dumps([list(row) for row in rows]))
    spark.stop()


if __name__ == "__main__":
    main(Path(sys.argv[1]), *sys.argv[2:])
