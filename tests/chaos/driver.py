"""A driver: three queries over the files of INPUT until all are read, with checkpoints and outputs in FOLDER.

    driver.py FOLDER INPUT [NAME=VALUE ..]

It goes on from what it finds in FOLDER. NAME=VALUE are settings of Spark.
"""

import sys
from functools import partial
from pathlib import Path

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

import batch_files
import spark_windowing as sw
from window_queries import queries

SETTINGS = {
    "spark.master": "local[2]",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.memory": "1g",
    "spark.log.level": "ERROR",
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.shuffle.partitions": "2",
    "spark.sql.streaming.minBatchesToRetain": "5",
    "spark.sql.streaming.stateStore.maintenanceInterval": "1s",
    "spark.sql.streaming.stateStore.minDeltasForSnapshot": "3",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    # So that kept rows and windows are in pieces, which most steps write and remove.
    "spark.windowing.state.tailBytes": "100",
    "spark.windowing.state.chunkBytes": "150",
    "spark.windowing.state.windowsBytes": "100",
    "spark.windowing.state.pageBytes": "60",
    # So that each start believes what the state says of its timers.
    "spark.windowing.timerIndex.savedFromKeys": "1",
}


def keep(folder, query, output, columns, rows, batch):
    """Write an output of a micro-batch; with so few rows the driver can do it."""
    as_json = rows.selectExpr(*columns).select(F.to_json(F.struct("*")).alias("row"))
    batch_files.write(folder, query, output, batch, [row.row for row in as_json.collect()])


def pieces(spark, checkpoint):
    """Count the pieces in the state of a query."""
    rows = spark.read.format("statestore").option("path", str(checkpoint)).load()
    return rows.where("value.groupState.windows = -1").count()


def main(folder, source, settings):
    builder = SparkSession.builder.appName("chaos")
    for name, value in {
        **SETTINGS,
        "spark.local.dir": str(folder / "local"),
        "spark.sql.warehouse.dir": str(folder / "warehouse"),
        **settings,
    }.items():
        builder = builder.config(name, value)
    spark = sw.configure(builder).getOrCreate()
    running = []
    for name, query in queries(spark, source).items():
        handlers = {
            output: partial(keep, folder, name, output, columns) for output, columns in query.outputs.items()
        }
        writer = sw.all_outputs(query.result).writeStream.foreachBatch(sw.for_each_output(handlers))
        writer = writer.option("checkpointLocation", str(folder / "checkpoint" / name)).queryName(name)
        running.append(writer.trigger(availableNow=True).start())
    for query in running:
        query.awaitTermination()
    found = sum(pieces(spark, folder / "checkpoint" / query.name) for query in running)
    (folder / "pieces").write_text(str(found))
    spark.stop()


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), dict(setting.split("=", 1) for setting in sys.argv[3:]))
