"""Recipes of the cookbook with timers: micro-batches with a restart between each two."""

import pytest
from pyspark.sql import functions as F

import spark_windowing as sw
from spark_windowing import sim

pytestmark = pytest.mark.spark


@pytest.fixture
def rows_of_runs(spark):
    """Give a query micro-batches of rows, with their time in seconds as the last value; return what it puts out."""

    def run(columns, build, batches):
        frame = spark.createDataFrame([], f"{columns}, ts timestamp")
        names = columns.replace(",", "").split()[::2]
        steps = []
        for rows in batches:
            values = [dict(zip(names, row, strict=True)) for row in rows]
            steps += [
                sim.batch([sim.element(**row, ts=row["at"] * 1000) for row in values]),
                sim.snapshot_restore(),
            ]
        strategy = sw.WatermarkStrategy.for_monotonous_timestamps()
        run = sw.simulate(build(frame), steps, watermarks=strategy)
        return [(row[0], *row[2:]) for step in run.steps for row in step.main]  # without the event time

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
        lambda payments: sw.key_by(payments, "user", time="ts").process(fraud),
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
        lambda events: sw.key_by(events, "id", time="ts").process(unpaid),
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
