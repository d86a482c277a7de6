"""Recipes of the cookbook with timers, on streams: each file is a run of its own, on the checkpoint of the last."""

import json

import pytest
from pyspark.sql import functions as F

import spark_windowing as sw
from shared_list import SharedList

pytestmark = pytest.mark.spark


@pytest.fixture
def rows_of_runs(spark, tmp_path):
    """Run a query on each file of rows, and return the rows that it has given."""

    def run(columns, build, files):
        folder = tmp_path / "in"
        folder.mkdir()
        found = SharedList(tmp_path)
        for number, rows in enumerate(files):
            lines = [
                json.dumps(dict(zip(columns.replace(",", "").split()[::2], row, strict=True))) for row in rows
            ]
            (folder / f"{number}.json").write_text("\n".join(lines))
            read = spark.readStream.schema(columns).json(str(folder))
            timed = read.withColumn("ts", F.timestamp_seconds("at")).withWatermark("ts", "0 seconds")
            writer = build(timed).writeStream.foreachBatch(lambda batch, _: found.extend(batch.collect()))
            writer = writer.option("checkpointLocation", str(tmp_path / "checkpoint"))
            writer.trigger(availableNow=True).start().awaitTermination()
        return [tuple(row) for row in found]

    return run


def test_fraud_with_a_pause_after_an_alert(rows_of_runs):
    def suspicious(row, state):
        free = state.alerted.isNull() | (row.ts > state.alerted + F.expr("INTERVAL 1 HOUR"))
        return (row.price > 500) & (row.ts <= state.small + F.expr("INTERVAL 1 MINUTE")) & free

    fraud = sw.ColumnProcess.of(
        state="struct(timestamp(NULL) AS small, timestamp(NULL) AS alerted)",
        on_element=lambda row, state: sw.Do(
            state=F.struct(
                F.when(row.price < 1, row.ts).otherwise(state.small).alias("small"),
                F.when(suspicious(row, state), row.ts).otherwise(state.alerted).alias("alerted"),
            ),
            emit=F.when(suspicious(row, state), F.struct(row.price, row["at"])),
        ),
        ttl="2 hours",
    )
    found = rows_of_runs(
        "user string, price int, at long",
        lambda payments: sw.key_by(payments, "user").process(fraud).drop("event_time"),
        [
            [("ann", 0, 0), ("bob", 600, 10)],
            [("ann", 600, 30)],
            [("ann", 700, 40), ("bob", 0, 3600)],
            [("ann", 0, 3600), ("bob", 501, 3660)],
            [("ann", 800, 3640)],  # behind the watermark: no row is late for a process function
            [("ann", 900, 20_000)],
        ],
    )
    assert found == [("ann", 600, 30), ("bob", 501, 3660), ("ann", 800, 3640)]


def test_orders_not_paid_within_an_hour(rows_of_runs):
    unpaid = sw.ColumnProcess.of(
        state="struct(false AS paid, 0 AS price)",
        on_element=sw.Do(
            state="struct(state.paid OR row.kind = 'payment' AS paid, "
            "if(row.kind = 'order', row.price, state.price) AS price)",
            event_timer="if(row.kind = 'order' AND NOT state.paid, row.ts + INTERVAL 1 HOUR, NULL)",
        ),
        on_event_timer=sw.Do(emit="struct(state.price, unix_seconds(time) AS due)", state=None),
        ttl="1 day",
    )
    found = rows_of_runs(
        "id string, kind string, price int, at long",
        lambda events: sw.key_by(events, "id").process(unpaid).drop("event_time"),
        [
            [("o1", "order", 20, 0), ("o2", "order", 30, 9)],
            [("o1", "payment", 20, 60), ("o3", "payment", 40, 100)],
            [("o3", "order", 40, 90)],  # its payment was faster
            [("o4", "order", 50, 3608)],
            [("o5", "order", 60, 3610)],
            [("o4", "payment", 50, 3700), ("o6", "order", 70, 90_000)],
        ],
    )
    assert found == [("o2", 30, 3609), ("o5", 60, 7210)]
