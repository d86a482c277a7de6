"""Jobs as a data engineer would write them, each in at most ten lines, tried on a handful of rows."""

import json
import os

import pytest
from pyspark.sql import functions as F

import spark_windowing as sw
from shared_list import SharedList
from spark_windowing import sim

pytestmark = pytest.mark.spark


@pytest.fixture
def events(spark):
    stream = spark.readStream.format("rate").load().withWatermark("timestamp", "10 seconds")
    return stream.select(F.lit("a").alias("id"), F.col("value").cast("int"), F.col("timestamp").alias("ts"))


def at(second, value=0, key="a"):
    return sim.element(id=key, value=value, ts=second * 1000)


def fired(run):
    """What each step put out: the key and everything behind the window."""
    return [[(row.id, *row[2:]) for row in step.main] for step in run.steps]


def test_a_dashboard_a_minute_with_early_results(events):
    result = (
        sw.key_by(events, "id")
        .window(sw.TumblingEventTimeWindows.of("1 minute"))
        .trigger(sw.AfterWatermark.of(early="10 seconds"))
        .allowed_lateness("1 hour")
        .aggregate(F.count("*").alias("n"))
    )
    clock = [sim.processing_time(second * 1000) for second in (0, 10, 20)]
    run = sw.simulate(
        result, [clock[0], at(1), at(2), clock[1], clock[2], at(3), sim.watermark(60_000), at(4)]
    )
    assert fired(run) == [[], [], [], [("a", 2)], [], [], [("a", 3)], [("a", 4)]]


def test_sessions_of_users_with_their_events(events):
    result = (
        sw.key_by(events, "id")
        .window(sw.EventTimeSessionWindows.with_gap("30 minutes"))
        .aggregate(
            F.sort_array(F.collect_list(F.struct("ts", "value"))).alias("events"),
            (F.max("ts").cast("long") - F.min("ts").cast("long")).alias("seconds"),
        )
    )
    run = sw.simulate(result, [at(60, 1), at(0, 2), at(1000, 3), at(9000, 4), sim.watermark(5_000_000)])
    ((_, session, seconds),) = fired(run)[-1]
    assert ([event.value for event in session], seconds) == ([2, 1, 3], 1000)


def test_the_first_row_of_each_at_once_and_the_rest_swallowed(events):
    result = (
        sw.key_by(events, "id", "value")
        .window(sw.TumblingEventTimeWindows.of("1 day"))
        .trigger(sw.OnceTrigger.of(sw.CountTrigger.of(1)))
        .aggregate(F.first("ts").cast("long").alias("seen"))
    )
    run = sw.simulate(result, [at(1, 7), at(2, 7), at(3, 8), at(4, 7), sim.watermark(86_400_000)])
    assert [[(row.value, row.seen) for row in step.main] for step in run.steps] == [
        [(7, 1)],
        [],
        [(8, 3)],
        [],
        [],
    ]


def test_an_alert_when_a_device_falls_silent(events):
    silent = sw.ProcessingTimeoutTrigger.of(
        sw.NeverTrigger.create(), "10 minutes", reset_timer_on_new_record=True
    )
    result = (
        sw.key_by(events, "id")
        .window(sw.GlobalWindows.create())
        .trigger(sw.PurgingTrigger.of(silent))
        .aggregate(F.max("ts").cast("long").alias("last_heard"))
    )
    minutes = [sim.processing_time(minute * 60_000) for minute in (0, 5, 11, 15, 40)]
    run = sw.simulate(result, [minutes[0], at(1), minutes[1], at(300), minutes[2], minutes[3], minutes[4]])
    assert fired(run) == [[], [], [], [], [], [("a", 300)], []]


def test_an_alert_and_then_a_pause_on_a_stream_with_disorder_and_a_late_row(spark, tmp_path):
    folder = tmp_path / "in"
    folder.mkdir()
    # The rows of the third file are late, with them minute 4 has too many; the row at minute 2 of the fifth is too late.
    files = [[0, 1], [8], [3, 4], [9, 60], [2, 61], [62], [63], [64], [200]]
    for tick, minutes in enumerate(files):
        rows = [("ann", m) for m in minutes] + [("bob", minutes[-1])] * (tick % 3 == 0)
        lines = [json.dumps({"user": user, "m": m}) for user, m in rows]
        (folder / f"{tick}.json").write_text("\n".join(lines))
        os.utime(folder / f"{tick}.json", (tick, tick))
    rows = spark.readStream.schema("user string, m int").option("maxFilesPerTrigger", 1).json(str(folder))
    clicks = rows.select("user", F.timestamp_seconds(F.col("m") * 60).alias("ts")).withWatermark(
        "ts", "0 seconds"
    )
    bursts = (
        sw.key_by(clicks, "user")
        .window(sw.OverEventTimeWindows.preceding("10 minutes"))
        .allowed_lateness("5 minutes")
        .aggregate(F.count("*").alias("n"), F.max("ts").alias("seen"))
        .where("n > 3")
    )
    alerts = (
        sw.key_by(bursts, "user")
        .window(sw.EventTimeSessionWindows.with_gap("30 minutes"))
        .trigger(sw.OnceTrigger.of(sw.CountTrigger.of(1)))
        .aggregate((F.min("seen").cast("long") / 60).cast("int").alias("minute"))
    )
    found = SharedList(tmp_path)
    query = (
        alerts.writeStream.foreachBatch(lambda batch, _: found.extend(batch.collect()))
        .option("checkpointLocation", str(tmp_path / "checkpoint"))
        .trigger(availableNow=True)
        .start()
    )
    query.awaitTermination()
    assert [(row.user, row.minute) for row in found] == [("ann", 4), ("ann", 63)]


def test_an_audit_of_late_rows(events):
    result = (
        sw.key_by(events, "id")
        .window(sw.TumblingEventTimeWindows.of("1 minute"))
        .allowed_lateness("1 minute")
        .side_output_late_data("late")
        .aggregate(F.count("*").alias("n"))
    )
    run = sw.simulate(result, [at(1), sim.watermark(130_000), at(2, 5), at(70, 6)])
    late = [(row.value, row.late_by_ms, row.late_reason) for row in run.steps[2].side["late"]]
    assert (late, fired(run)[3]) == ([(5, 128_000, "late")], [("a", 1)])


def test_the_last_three_events_at_each_event(events):
    result = (
        sw.key_by(events, "id")
        .window(sw.OverEventTimeWindows.preceding_rows(3))
        .with_row()
        .allowed_lateness("1 hour")
        .aggregate(F.collect_list("value").alias("last"))
    )
    steps = [
        at(4, 4),
        at(1, 1),
        at(3, 3),
        at(7, 7, "b"),
        sim.watermark(4_000),
        at(2, 2),
        sim.watermark(7_000),
    ]
    run = sw.simulate(result, steps)
    assert [[(row.row.value, row.last) for row in step.main] for step in run.steps] == [
        [],
        [],
        [],
        [],
        [(1, [1]), (3, [1, 3]), (4, [1, 3, 4])],
        [(2, [1, 2]), (3, [1, 2, 3]), (4, [2, 3, 4])],
        [(7, [7])],
    ]


def test_more_than_two_payments_in_ten_minutes(events):
    result = (
        sw.key_by(events, "id")
        .window(sw.OverEventTimeWindows.preceding("10 minutes"))
        .with_row()
        .allowed_lateness("1 hour")
        .side_output_late_data("late")
        .aggregate(F.count("*").alias("n"), F.sum("value").alias("spent"))
    )
    steps = [at(900, 4), at(0, 1), at(600, 3), at(10, 2), sim.watermark(900_000), at(300, 5)]
    run = sw.simulate(result, [*steps, sim.watermark(5_000_000), at(900, 9)])
    alerts = [[(row.row.value, row.n, row.spent) for row in step.main if row.n > 2] for step in run.steps]
    # The payment at 600 s is the third in ten minutes; the late one makes it the fourth, and that at 900 s the third.
    assert alerts == [[], [], [], [], [(3, 3, 6)], [(5, 3, 8), (3, 4, 11), (4, 3, 12)], [], []]
    assert [row.value for row in run.steps[-1].side["late"]] == [9]
