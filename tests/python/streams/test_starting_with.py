"""Queries that begin with rows of a table, over files."""

import json
import os

import pytest
from pyspark.sql import functions as F

import spark_windowing as sw
from shared_list import SharedList

pytestmark = pytest.mark.spark

SCHEMA = "user string, price int, ts timestamp"
END = ("end", 0, 80_000)


def rows_of(seconds):
    """Rows of five users, one a second: each user has six seconds, then comes the next."""
    return [(f"u{second // 6 % 5}", second % 7, second) for second in seconds]


class Shop:
    """A folder of files as a stream, with a table of what was before it."""

    def __init__(self, spark, folder):
        self._spark, self._folder, self._files = spark, folder, 0
        (folder / "in").mkdir()

    def add(self, rows):
        lines = [
            json.dumps(
                {
                    "user": user,
                    "price": price,
                    "ts": f"1970-01-02T{at // 3600:02}:{at // 60 % 60:02}:{at % 60:02}Z",
                }
            )
            for user, price, at in rows
        ]
        file = self._folder / "in" / f"{self._files}.json"
        file.write_text("\n".join(lines))
        os.utime(file, (self._files,) * 2)  # Spark takes files by age
        self._files += 1

    def stream(self):
        reader = self._spark.readStream.schema(SCHEMA).option("maxFilesPerTrigger", 1)
        return reader.json(str(self._folder / "in")).withWatermark("ts", "5 seconds")

    def table(self, rows):
        """Write a table of these rows; return it."""
        path = str(self._folder / "table")
        made = self._spark.createDataFrame(rows, "user string, price int, at int")
        timed = made.selectExpr("user", "price", "timestamp_seconds(86400 + at) AS ts")
        timed.repartition(3).write.mode("overwrite").parquet(path)
        return self._spark.read.parquet(path)

    def results(self, result, name):
        """Take all files that are new, and return what the query of that name has put out in this run."""
        taken = SharedList(self._folder)
        writer = result.writeStream.foreachBatch(lambda batch, _: taken.extend(map(repr, batch.collect())))
        checkpoint = str(self._folder / f"checkpoint-{name}")
        writer.option("checkpointLocation", checkpoint).trigger(availableNow=True).start().awaitTermination()
        return sorted(taken)


@pytest.fixture
def shop(spark, tmp_path):
    return Shop(spark, tmp_path)


def sessions(keyed):
    counted = keyed.window(sw.EventTimeSessionWindows.with_gap("4 seconds"))
    return counted.aggregate(F.count("*").alias("n"), F.sum("price").alias("spent"))


def last_two(keyed):
    kept = keyed.time_window("10 seconds").evictor(sw.CountEvictor.of(2))
    return kept.aggregate(F.sum("price").alias("spent"))


@pytest.mark.parametrize("windows", [sessions, pytest.param(last_two, marks=pytest.mark.long)])
def test_a_table_and_then_the_stream_give_what_one_stream_gives(shop, windows):
    past, present = rows_of(range(60)), [rows_of(range(60, 90)), rows_of(range(90, 120)), [END]]
    shop.add(past)
    keyed = sw.key_by(shop.stream(), "user")
    before = shop.results(windows(keyed), "one")
    assert before
    for rows in present:
        shop.add(rows)
    expected = shop.results(windows(keyed), "one")
    (shop._folder / "in" / "0.json").unlink()
    history = shop.table(past[::-1])
    assert shop.results(windows(keyed.starting_with(history)), "left out") == expected
    assert shop.results(windows(keyed.starting_with(history, emit=True)), "with all") == sorted(
        before + expected
    )


def test_a_second_start_does_not_read_it(shop):
    shop.add([("u1", 1, 61)])
    keyed = sw.key_by(shop.stream(), "user")
    assert shop.results(sessions(keyed.starting_with(shop.table([("u1", 2, 60)]))), "shop") == []
    shop.add([END])
    other = shop.table(rows_of(range(60)))
    (row,) = shop.results(sessions(keyed.starting_with(other)), "shop")
    assert "n=2, spent=3" in row


def test_a_declaration_without_its_data_frame(shop):
    shop.add([("u1", 1, 61), END])
    counts = sw.keyed("user").starting_with(shop.table([("u1", 2, 60)])).time_window("10 seconds")
    result = shop.stream().transform(counts.aggregate(F.sum("price").alias("spent")))
    (row,) = shop.results(result, "shop")
    assert "spent=3" in row


def test_bad_arguments(shop, spark):
    keyed = sw.key_by(shop.stream(), "user")
    history = shop.table([("u1", 2, 60)])
    with pytest.raises(TypeError, match=r"starting_with: rows must be a DataFrame, got 'table'"):
        keyed.starting_with("table")
    with pytest.raises(TypeError, match=r"starting_with: emit must be True or False, got 1"):
        keyed.starting_with(history, emit=1)
    with pytest.raises(TypeError, match=r"give each input of co_group its own"):
        sw.co_group(a=keyed, b=keyed).starting_with(history)
    with pytest.raises(ValueError, match=r"starting_with takes a static DataFrame, and got a stream"):
        sessions(keyed.starting_with(shop.stream())).schema  # noqa: B018  (a client of Spark Connect asks then)
    with pytest.raises(ValueError, match=r"starting_with is for a stream"):
        sessions(sw.key_by(history, "user", time="ts").starting_with(history)).schema  # noqa: B018
    with pytest.raises(ValueError, match=r"the history lacks 'price' of the stream"):
        sessions(keyed.starting_with(history.drop("price"))).schema  # noqa: B018


def test_the_line_that_an_error_says(shop):
    keyed = sw.key_by(shop.stream(), "user")
    df = shop.table([("u1", 2, 60)]).withColumn("price", F.lit(2.0))
    line = r'df = df.withColumn("price", F.col("price").cast("int"))'
    with pytest.raises(ValueError, match=r"'price' is DOUBLE in the history and INT in the stream") as error:
        sessions(keyed.starting_with(df)).schema  # noqa: B018
    assert line.removeprefix("df = ") in str(error.value)
    assert repr(keyed.starting_with(df.withColumn("price", F.col("price").cast("int")), emit=True)) == (
        "key_by(df, 'user').starting_with(df, emit=True)"
    )
