"""A checkpoint whose state Spark 4.2 moves to another number of partitions: the pieces of a key go where the key goes."""

import json
import os
import random
from collections import Counter

import pyspark
import pytest
from pyspark.sql import functions as F

import spark_windowing as sw

pytestmark = [
    pytest.mark.spark,
    pytest.mark.classic("Spark Connect cannot repartition checkpoints"),
    pytest.mark.skipif(
        pyspark.__version__.startswith(("3.5.", "4.0.", "4.1.")),
        reason="Spark before 4.2 cannot repartition checkpoints",
    ),
]

ROCKSDB = "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"
CHUNKS = {"tailBytes": "200", "chunkBytes": "300"}
PAGES = {"windowsBytes": "200", "pageBytes": "100"}
KEY = ["user", "shop"]
EIGHT = [*KEY, *"abcdef"]  # with so many columns the key of a piece has no mark
NEVER_NULL = ["named", "numbered"]
SAVED = {"spark.windowing.timerIndex.savedFromKeys": "1"}
SCHEMA = "user string, shop int, id long, text string, ms long"
USERS = ["ann", "bob", "a user whose name is longer than others", None]
SHOPS = [*range(10), None]
END = {"user": "end", "ms": 9_999_000}


def rows_of(minute):
    """Ten rows of each key within a minute, in any order."""
    dice = random.Random(minute)
    keys = [(user, shop) for user in USERS for shop in SHOPS] * 10
    dice.shuffle(keys)
    return [
        {
            "user": user,
            "shop": shop,
            "id": 1000 * minute + number,
            "text": "x" * dice.randrange(40),
            "ms": 60_000 * minute + dice.randrange(60_000),
        }
        for number, (user, shop) in enumerate(keys)
    ]


def kept(keyed):
    windows = keyed.time_window("100 seconds").evictor(sw.ColumnEvictor.keep("element.id % 5 <> 0"))
    return windows.aggregate(F.sort_array(F.collect_list("id")).alias("ids"), F.max("text").alias("text"))


def summed(keyed):
    windows = keyed.time_window("4 seconds")
    return windows.aggregate(F.count("*").alias("n"), F.sum("id").alias("sum"), F.max("text").alias("text"))


CASES = {
    "pages of windows": (summed, KEY, PAGES),
    "both, with keys that have no mark": (kept, EIGHT, CHUNKS | PAGES),
    "chunks, with keys that are never null": (kept, NEVER_NULL, CHUNKS),
}


class Query:
    """A query that is stopped after some micro-batches of a minute each, and starts again on its checkpoint."""

    def __init__(self, spark, folder, declare, key):
        self._spark, self._folder, self._declare, self._key = spark, folder, declare, key
        self._checkpoint = str(folder / "checkpoint")
        self._files, self._fired = [], []
        (folder / "in").mkdir()

    def _result(self, rows, **time):
        own = {name: F.concat("user", F.lit(name)) for name in EIGHT[2:]}
        own |= {"named": F.coalesce("user", F.lit("none")), "numbered": F.coalesce("shop", F.lit(-1))}
        timed = rows.withColumns({"ts": F.timestamp_millis("ms"), **own})
        timed = timed if time else timed.withWatermark("ts", "90 seconds")
        return self._declare(sw.key_by(timed, *self._key, **time))

    def run(self, *batches):
        """Take further micro-batches; return the number of partitions."""
        for rows in batches:
            file = self._folder / "in" / f"{len(self._files)}.json"
            file.write_text("\n".join(map(json.dumps, rows)))
            os.utime(file, (len(self._files),) * 2)  # Spark takes files by age
            self._files.append(str(file))
        reader = self._spark.readStream.schema(SCHEMA).option("maxFilesPerTrigger", 1)
        writer = self._result(reader.json(str(self._folder / "in"))).writeStream.trigger(availableNow=True)
        writer = writer.foreachBatch(lambda rows, _: self._fired.extend(rows.collect()))
        query = writer.option("checkpointLocation", self._checkpoint).start()
        try:
            query.awaitTermination()
        finally:
            query.stop()
        return query.lastProgress["stateOperators"][0]["numShufflePartitions"]

    def repartition(self, partitions):
        self._spark._streamingCheckpointManager.repartition(self._checkpoint, partitions)

    def stored(self):
        """The partitions of all keys, those of all pieces by key and number, and those that tell of their keys."""
        state = self._spark.read.format("statestore").load(self._checkpoint)
        rows = state.select("key", "partition_id", "value.groupState.windows", "value.groupState.processing")
        keys, pieces, telling = {}, {}, set()
        for key, partition, windows, number in rows.collect():
            if windows != -1:
                keys[key] = partition
            elif number == -1:
                telling.add(partition)
            else:
                pieces[key, number] = partition
        return keys, pieces, telling

    def fired(self):
        return sorted(map(repr, self._fired))

    def fired_without_stream(self):
        """Results of all windows but that of the last row, which the watermark does not pass."""
        rows = self._spark.read.schema(SCHEMA).json(self._files[:-1])
        return sorted(map(repr, self._result(rows, time="ts").collect()))


@pytest.fixture(
    params=[pytest.param(name, marks=[] if "both" in name else pytest.mark.long) for name in CASES]
)
def query(spark, tmp_path, request):
    declare, key, sizes = CASES[request.param]
    sizes = {f"spark.windowing.state.{name}": size for name, size in sizes.items()}
    settings = {"spark.sql.streaming.stateStore.providerClass": ROCKSDB, **SAVED, **sizes}
    for name, value in settings.items():
        spark.conf.set(name, value)
    yield Query(spark, tmp_path, declare, key)
    for name in settings:
        spark.conf.unset(name)


def move(query, partitions):
    """Repartition the checkpoint: each key keeps its pieces, which are several, and has them in its partition."""
    before = query.stored()
    query.repartition(partitions)
    assert before[2] == set(before[0].values())
    keys, pieces, _ = query.stored()
    assert (keys.keys(), pieces.keys()) == (before[0].keys(), before[1].keys())
    assert set(keys.values()) == set(range(partitions))
    assert {piece: place for piece, place in pieces.items() if place != keys[piece[0]]} == {}
    counts = Counter(key for key, _ in pieces)
    assert [counts[key] >= 3 for key in keys] == [True] * len(USERS) * len(SHOPS)


def test_pieces_go_with_their_key_to_more_partitions_and_to_fewer(query):
    assert query.run(rows_of(0), rows_of(1)) == 2
    move(query, 5)
    assert query.run(rows_of(2), rows_of(3)) == 5
    assert query.fired() != []
    move(query, 2)
    assert query.run(rows_of(4), [END]) == 2
    assert query.fired() == query.fired_without_stream()
