"""Windows over the change feed of a Delta table that is inserted into, updated, merged and deleted from."""

from pathlib import Path

import pytest
from pyspark.sql import functions as F

import spark_windowing as sw
from pages import play

PAGE = Path(__file__).parents[2] / "docs" / "change-feeds.md"
RETRACTS = "_change_type IN ('delete', 'update_preimage')"
AGGREGATES = [
    "count(*) AS n",
    "sum(price) AS spent",
    "avg(price) AS mean",
    "count_if(price > 9) AS large",
]


@pytest.fixture
def sales(spark, table):
    """A table whose changes are kept: what was sold, to whom, when, and for how much, which may be unknown."""
    columns = "id INT, user STRING, price DECIMAL(6, 2), second INT"
    feed = "TBLPROPERTIES (delta.enableChangeDataFeed = true)"
    spark.sql(f"CREATE TABLE {table} ({columns}) USING delta {feed}")
    rows = [f"({i}, 'u{i % 3}', {i % 7 * 2.25 if i % 5 else 'NULL'}, {i * 7 % 60})" for i in range(40)]
    spark.sql(f"INSERT INTO {table} VALUES {', '.join(rows)}")
    return table


def change(spark, sales):
    spark.sql(f"UPDATE {sales} SET price = price + 1 WHERE id % 4 = 0")
    spark.sql(f"UPDATE {sales} SET second = second + 10, user = 'u1' WHERE id % 6 = 1")  # into other windows
    spark.sql(f"DELETE FROM {sales} WHERE id % 9 = 2 OR second < 10")
    spark.sql(f"""MERGE INTO {sales} AS s USING (SELECT explode(sequence(30, 50)) AS id) AS n ON s.id = n.id
        WHEN MATCHED AND s.id % 2 = 0 THEN DELETE
        WHEN MATCHED THEN UPDATE SET price = NULL
        WHEN NOT MATCHED THEN INSERT (id, user, price, second) VALUES (n.id, 'u2', 3.5, n.id)""")


def timed(rows):
    return rows.withColumn("ts", F.timestamp_seconds("second"))


def stream(spark, sales):
    rows = timed(spark.readStream.option("readChangeFeed", "true").table(sales))
    return rows.withWatermark("ts", "1 hour")


def shown(frame):
    return sorted(map(repr, frame.select("user", "window.start", "n", "spent", "mean", "large").collect()))


def batch(spark, sales):
    """What Spark counts in the table as it is."""
    windows = timed(spark.table(sales)).groupBy("user", F.window("ts", "10 seconds").alias("window"))
    return shown(windows.agg(*map(F.expr, AGGREGATES)))


def test_the_table_of_windows_is_that_of_the_rows_which_the_table_has(spark, sales, run):
    counts = f"{sales}_counts"

    def upsert():
        windows = sw.key_by(stream(spark, sales), "user").retracts(RETRACTS).time_window("10 seconds")
        each = windows.trigger(sw.MicroBatchTrigger.create()).with_pane()
        result = each.aggregate(*AGGREGATES)
        run(result, sw.upsert_to_delta(result, counts))

    try:
        upsert()  # the table as it is, as inserts
        assert shown(spark.table(counts)) == batch(spark, sales)
        change(spark, sales)
        upsert()
        left = spark.table(counts).where("n > 0")
        assert shown(left) == batch(spark, sales)
        gone = spark.table(counts).where("n <= 0")
        assert {(row.n, row.spent, row.mean) for row in gone.collect()} == {(0, None, None)}
    finally:
        spark.sql(f"DROP TABLE IF EXISTS {counts}")


def test_a_feed_that_is_read_as_a_table(spark, sales):
    change(spark, sales)
    changes = spark.read.option("readChangeFeed", "true").option("startingVersion", 0).table(sales)
    windows = sw.key_by(timed(changes), "user", time="ts").retracts(RETRACTS).time_window("10 seconds")
    assert shown(windows.aggregate(*AGGREGATES).where("n > 0")) == batch(spark, sales)


def test_a_feed_is_refused_unless_it_is_said_what_takes_back(spark, sales, run):
    counted = sw.key_by(stream(spark, sales), "user").time_window("10 seconds")
    with pytest.raises(
        ValueError, match=r"a change feed would count a delete as a row: its column '_change_type'"
    ):
        counted.aggregate(F.count("*").alias("n"))
    changes = spark.read.option("readChangeFeed", "true").option("startingVersion", 0).table(sales)
    with pytest.raises(ValueError, match=r'Say so, key_by\(df, \.\.\)\.retracts\("_change_type IN'):
        sw.key_by(timed(changes), time="ts").time_window("1 day").sum("price")
    with pytest.raises(ValueError, match=r"the event time '_commit_timestamp', the time of a change: "):
        sw.key_by(changes, time="_commit_timestamp").retracts(RETRACTS).time_window("10 seconds")
    inserts = stream(spark, sales).where("_change_type = 'insert'").drop("_change_type")
    result = sw.key_by(inserts, "user").time_window("1 day").trigger(sw.MicroBatchTrigger.create())
    found = []
    run(result.aggregate(F.count("*").alias("n")), lambda rows, _: found.extend(rows.collect()))
    assert sum(row.n for row in found) == 40


def test_the_code_of_its_page_runs(spark, tmp_path):
    feed = "USING delta TBLPROPERTIES (delta.enableChangeDataFeed = true)"
    rows = "SELECT 'ann' AS user, 5 AS price, timestamp'2026-01-01 00:00:01' AS sold_at"
    spark.sql(f"CREATE TABLE sales {feed} AS {rows}")
    try:
        play(PAGE, tmp_path)
        (row,) = spark.table("sales_by_day").collect()
        assert (row.user, row.n, row.spent) == ("ann", 1, 5)
    finally:
        spark.sql("DROP TABLE sales")
        spark.sql("DROP TABLE IF EXISTS sales_by_day")
