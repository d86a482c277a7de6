"""The last four values of a key after every three, over a stream of three micro-batches, the third one run twice.

    last_four.py FOLDER MASTER [NAME=VALUE ..]

Prints `fired` and the lists of each key, `again` and the rows of the batch that ran again against those of its first
run, and `spilled` and the bytes that sorting wrote to disk. The rows that go in are those of `batches()`.
"""

import json
import os
import random
import sys
from pathlib import Path

ROWS = 6000
KEYS = 5


def batches():
    """Three micro-batches of (key, value); the values count up, the keys come at random."""
    chance = random.Random(4)
    rows = [(f"k{chance.randrange(KEYS)}", value) for value in range(3 * ROWS)]
    return [rows[:ROWS], rows[ROWS : 2 * ROWS], rows[2 * ROWS :]]


def main(folder, master, settings):
    from pyspark.sql import SparkSession
    from pyspark.sql import functions as F

    import spark_windowing as sw

    source = folder / "in"
    source.mkdir(parents=True)
    for i, rows in enumerate(batches()):
        file = source / f"{i}.json"
        file.write_text("\n".join(json.dumps({"key": key, "value": value}) for key, value in rows))
        os.utime(file, (i, i))  # Spark takes files by age

    builder = sw.configure(SparkSession.builder.master(master).appName("order"))
    for name, value in {
        "spark.ui.enabled": "false",
        "spark.sql.shuffle.partitions": "2",
        "spark.driver.host": "127.0.0.1",
        "spark.sql.files.maxPartitionBytes": "20000",  # several tasks read a file, and none waits for another
        **settings,
    }.items():
        builder = builder.config(name, value)
    spark = builder.getOrCreate()

    stream = (
        spark.readStream.schema("key string, value int").option("maxFilesPerTrigger", 1).json(str(source))
    )
    result = sw.key_by(stream, "key").count_window(4, 3).aggregate(F.collect_list("value").alias("last"))

    def run():
        seen = {}

        def keep(rows, batch):
            seen[batch] = sorted((row.key, row["last"]) for row in rows.collect())

        writer = result.writeStream.foreachBatch(keep).option(
            "checkpointLocation", str(folder / "checkpoint")
        )
        query = writer.trigger(availableNow=True).start()
        query.awaitTermination()
        return seen

    first = run()
    commits = folder / "checkpoint" / "commits"
    for file in [commits / "2", commits / ".2.crc"]:
        file.unlink()
    again = run()

    fired = {}
    for key, values in sorted(row for rows in first.values() for row in rows):
        fired.setdefault(key, []).append(values)
    print("fired", json.dumps(fired))
    print("again", json.dumps([sorted(again), again.get(2) == first[2]]))
    print("spilled", json.dumps(disk_spill(spark)))
    spark.stop()


def disk_spill(spark):
    """Bytes that the sorts of all stages wrote to disk."""
    store = spark.sparkContext._jsc.sc().statusStore()
    gateway = spark.sparkContext._gateway
    jvm = gateway.jvm
    none = jvm.java.util.ArrayList()
    listed = store.stageList(none, False, False, gateway.new_array(jvm.double, 0), none)
    return sum(listed.apply(i).diskBytesSpilled() for i in range(listed.size()))


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2], dict(setting.split("=", 1) for setting in sys.argv[3:]))
