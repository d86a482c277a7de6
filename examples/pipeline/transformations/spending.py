"""What each user spends in a minute, from JSON files in the folder `input`."""

from pathlib import Path

from pyspark import pipelines as dp
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

import spark_windowing as sw

spark = SparkSession.active()
INPUT = Path("input").resolve()  # the files of a pipeline run in the folder of its spec


@dp.table
def clicks() -> DataFrame:
    """Read clicks as they come."""
    return spark.readStream.schema("user string, price int, ts timestamp").json(f"file://{INPUT}")


@dp.table
def outputs() -> DataFrame:
    """Give all outputs of the windows: one operator, one state."""
    rows = spark.readStream.table("clicks").withWatermark("ts", "10 seconds")
    spent = (
        sw.key_by(rows, "user")
        .window(sw.TumblingEventTimeWindows.of("1 minute"))
        .side_output_late_data("late")
        .aggregate(F.sum("price").alias("spent"))
    )
    return sw.all_outputs(spent)


@dp.table
def spending() -> DataFrame:
    """Sum the prices of each complete minute."""
    return spark.readStream.table("outputs").where("output = 'main'").select("main.*")


@dp.table
def late_clicks() -> DataFrame:
    """Keep the clicks whose minute was complete when they came."""
    return spark.readStream.table("outputs").where("output = 'late'").select("late.*")
