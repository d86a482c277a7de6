"""The time to live of a key's state: that of functions of columns, and that beside windows."""

import pytest
from pyspark.sql import functions as F

import spark_windowing as sw
from spark_windowing import sim

pytestmark = pytest.mark.spark


@pytest.fixture
def keyed(clicks):
    return sw.key_by(clicks, "user", time="ts")


def test_state_of_a_key_expires(keyed, spark):
    def counted(**ttl):
        rows = spark.createDataFrame([], "user string, price int, ts timestamp")
        count = sw.ColumnProcess.of(
            state="struct(0 AS n)",
            on_element=sw.Do(state="struct(state.n + 1 AS n)", emit="struct(state.n + 1 AS n)"),
            **ttl,
        )
        steps = [sim.processing_time(0)]
        for second in (0, 9, 19, 18, 29):
            row = sim.element(user="a", price=1, ts=second * 1000)
            steps += [sim.processing_time(second * 500), row]
        run = sw.simulate(sw.key_by(rows, "user", time="ts").process(count), steps)
        return [row.n for step in run.steps for row in step.main]

    assert counted() == [1, 2, 3, 4, 5]
    assert counted(ttl="10 seconds") == [1, 2, 1, 2, 1], "the row of second 18 does not shorten the life"
    assert counted(ttl="10 seconds", ttl_clock="processing_time") == [1, 2, 3, 4, 5]
    assert counted(ttl="5 seconds", ttl_clock="processing_time") == [1, 2, 1, 2, 1]


def test_state_of_window_functions_expires(clicks):
    """The window [20, 30) of a is behind the life of what [0, 10) has left, that of [10, 20) is not."""

    def spent(key, context, rows):
        return rows.assign(before=context.global_state["total"])

    def result(**ttl):
        return (
            sw.key_by(clicks, "user", time="ts")
            .time_window("10 seconds")
            .aggregate(
                F.sum("price").alias("total"),
                process=spent,
                schema="total long, before long",
                global_state=sw.ColumnState.of(
                    "struct(0L AS total)", "struct(state.total + result.total AS total)", **ttl
                ),
            )
        )

    def befores(result):
        return sorted((r.user, r.total, r.before) for r in result.collect())

    assert befores(result()) == [("a", 5, 7), ("a", 7, 0), ("b", 7, 0)]
    assert befores(result(ttl="11 seconds")) == befores(result())
    assert befores(result(ttl="10 seconds")) == [("a", 5, 0), ("a", 7, 0), ("b", 7, 0)]
    with pytest.raises(ValueError, match="window_state: it is removed with its window and has no ttl"):
        sw.key_by(clicks, "user", time="ts").time_window("10 seconds").process(
            spent, "total long", window_state=sw.ColumnState.of("struct(0L AS n)", "state", ttl="1 day")
        )


def test_state_of_a_global_window_lives_through_the_end_of_the_input(clicks):
    def numbered(key, context, rows):
        return rows.assign(before=context.global_state["n"])

    def result(windows, **ttl):
        state = sw.ColumnState.of("struct(0 AS n)", "struct(state.n + 1 AS n)", ttl="1 day", **ttl)
        return windows.aggregate(
            F.count("*").alias("n"), process=numbered, schema="n long, before int", global_state=state
        )

    keyed = sw.key_by(clicks, "user", time="ts")
    trigger = sw.AnyTrigger.of(sw.CountTrigger.of(1), sw.EndOfStreamTrigger.create())
    fired = result(keyed.window(sw.GlobalWindows.create()).trigger(trigger)).collect()
    assert sorted((row.user, row.before) for row in fired) == [
        *(("a", n) for n in range(4)),
        *(("b", n) for n in range(2)),
    ]


def test_state_by_event_time_is_refused_with_windows_of_the_clock(spark):
    stream = spark.readStream.format("rate").load().withWatermark("timestamp", "0 seconds")
    windows = sw.key_by(stream, "value").window(sw.ProcessingTimeSessionWindows.with_gap("1 minute"))
    state = sw.ColumnState.of("struct(0 AS n)", "state", ttl="1 day")
    with pytest.raises(ValueError, match="ttl in event time with windows of processing time"):
        windows.process(lambda key, context, rows: rows, "n int", global_state=state)


def test_state_by_event_time_lives_from_its_window_before_the_first_watermark(spark):
    def numbered(key, context, rows):
        return rows.assign(before=context.global_state["n"])

    stream = (
        spark.readStream.format("rate")
        .load()
        .select(F.lit("a").alias("user"), F.lit(0).alias("price"), F.col("timestamp").alias("ts"))
    )
    result = (
        sw.key_by(stream.withWatermark("ts", "0 seconds"), "user")
        .time_window("10 seconds")
        .trigger(sw.PurgingTrigger.of(sw.CountTrigger.of(1)))
        .aggregate(
            F.count("*").alias("n"),
            process=numbered,
            schema="n long, before int",
            global_state=sw.ColumnState.of("struct(0 AS n)", "struct(state.n + 1 AS n)", ttl="20 seconds"),
        )
    )
    rows = [sim.element(user="a", price=0, ts=second * 1000) for second in (1, 2, 19, 80)]
    run = sw.simulate(result, [*rows, sim.watermark(99_999)])
    assert [row.before for step in run.steps for row in step.main] == [0, 1, 2, 0]
