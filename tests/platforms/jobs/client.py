"""A client of Spark Connect in a Python with nothing but the wheel and pyspark-client: client.py URL FOLDER QUICK_START.

It runs the quick start, a stream with late rows, a Python function and a picture; then it waits for a line of input,
by when the server was killed, shows the error, waits for the address of the next server, and goes on.
"""

import importlib.util
import json
import os
import shutil
import sys
from pathlib import Path

import pandas as pd
from pyspark.sql import SparkSession
from pyspark.sql import functions as F
from pyspark.sql.connect.client.retries import DefaultPolicy

import spark_windowing as sw
from spark_windowing import sim


def write(folder, number, rows):
    lines = [json.dumps({"user": user, "ts": f"1970-01-01T00:00:{second:02}Z"}) for user, second in rows]
    folder.mkdir(exist_ok=True)
    file = folder / f"{number}.json"
    file.write_text("\n".join(lines), encoding="utf-8")
    os.utime(file, (number, number))


def run_stream(spark, folder):
    """Main and late rows of one query, of all its runs so far."""
    source = spark.readStream.schema("user string, ts timestamp").option("maxFilesPerTrigger", 1)
    stream = source.json(str(folder / "in")).withWatermark("ts", "0 seconds")
    windows = sw.key_by(stream, "user").time_window("10 seconds").side_output_late_data("late")
    outputs = sw.all_outputs(windows.aggregate(F.count("*").alias("n")))
    written = outputs.select(
        "output", "main.user", "main.n", F.col("late.user").alias("who"), "late.late_by_ms"
    )
    writer = written.writeStream.format("parquet").option("path", str(folder / "out"))
    query = writer.option("checkpointLocation", str(folder / "checkpoint")).trigger(availableNow=True).start()
    query.awaitTermination()
    rows = spark.read.parquet(str(folder / "out")).collect()
    print(json.dumps(sorted([value for value in row if value is not None] for row in rows)))


def spread(key, context, rows):
    yield pd.DataFrame({"spread": [rows.price.max() - rows.price.min()]})
    yield sw.Tagged("dear", rows[rows.price > 6][["price"]])


def show_function_and_picture(spark, folder):
    rows = [("a", 3, 1), ("a", 4, 4), ("b", 7, 3)]
    clicks = spark.createDataFrame(rows, "user string, price int, at int")
    clicks = clicks.select("user", "price", F.timestamp_seconds("at").alias("ts"))
    windows = sw.key_by(clicks, "user", time="ts").time_window("10 seconds")
    result = windows.process(spread, "spread int", side_outputs={"dear": "price int"})
    main = sorted([row.user, row.spread] for row in result.select("user", "spread").collect())
    dear = [row.price for row in sw.side_output(result, "dear").collect()]
    counted = windows.aggregate(F.count("*").alias("n"))
    steps = [sim.element(user="a", price=3, ts=2000), sim.watermark(9999)]
    axes = sw.simulate(counted, steps).plot()
    picture = folder / "simulation.png"
    axes.figure.savefig(picture)
    print(json.dumps({"main": main, "dear": dear, "picture": picture.stat().st_size > 1000}))


def main(url, folder, quick_start):
    has_java = shutil.which("java") is not None
    has_py4j = importlib.util.find_spec("py4j") is not None
    print(json.dumps({"java": has_java, "py4j": has_py4j}))
    spark = SparkSession.builder.remote(url).create()
    exec(compile(quick_start.read_text(encoding="utf-8"), quick_start, "exec"), {"spark": spark})
    spark = SparkSession.builder.remote(url).create()
    write(folder / "in", 0, [("a", 2), ("a", 4)])
    write(folder / "in", 1, [("b", 14)])
    write(folder / "in", 2, [("a", 5), ("b", 16)])
    run_stream(spark, folder)
    show_function_and_picture(spark, folder)
    print("kill the server", flush=True)
    input()
    spark.client.set_retry_policies([DefaultPolicy(max_retries=2)])  # Spark tries for ten minutes
    try:
        sw.key_by(spark.range(1), "id").count_window(1).aggregate(F.count("*").alias("n"))
    except sw.SparkWindowingError as error:
        print(json.dumps({"problem": error.problem, "remedy": error.remedy}))
    print("start it again", flush=True)
    input()
    spark = SparkSession.builder.remote(url).create()
    write(folder / "in", 3, [("b", 30)])
    run_stream(spark, folder)
    show_function_and_picture(spark, folder)
    spark.stop()


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3]))
