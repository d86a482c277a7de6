"""`simulate`: rows, times and what a run gives back."""

from datetime import datetime, timezone

import pytest
from pyspark.sql import Row
from pyspark.sql import functions as F

import spark_windowing as sw
from spark_windowing import sim

pytestmark = pytest.mark.spark


@pytest.fixture
def spent(clicks):
    return (
        sw.key_by(clicks, "user", time="ts")
        .time_window("10 seconds")
        .side_output_late_data("late")
        .aggregate(F.count("*").alias("n"), F.sum("price").alias("spent"))
    )


def test_a_run_tells_what_each_step_did(spent):
    run = sw.simulate(
        spent,
        [
            sim.element(user="a", price=3, ts="1970-01-01T00:00:02Z"),
            sim.element(user="b", price=7, ts=3000),
            sim.element({"user": "a"}, ts=datetime(1970, 1, 1, 0, 0, 9, tzinfo=timezone.utc)),
            sim.snapshot_restore(),
            sim.watermark("1970-01-01T00:00:09.999Z"),
            sim.element(user="c", price=5, ts=1000),
        ],
    )
    assert [step.event_timers for step in run.steps] == [1, 2, 2, 2, 0, 0]
    assert [step.processing_timers for step in run.steps] == [0] * 6
    assert [len(step.main) for step in run.steps] == [0, 0, 0, 0, 2, 0]
    assert sorted((row.user, row.n, row.spent) for row in run.steps[4].main) == [("a", 2, 3), ("b", 1, 7)]
    assert list(run.steps[4].main[0].__fields__) == ["user", "window", "n", "spent"]
    assert sorted(key for key, _ in run.steps[4].cleared) == [("a",), ("b",)]
    assert {window for _, window in run.steps[4].cleared} == {run.steps[4].main[0].window}
    (late,) = run.steps[5].side["late"]
    assert (late.user, late.price, late.late_by_ms, late.late_reason) == ("c", 5, 8999, "late")
    assert run.steps[0].side == {"late": []}
    assert run.steps[4].step == sim.watermark("1970-01-01T00:00:09.999Z")


@pytest.mark.classic("counts the jobs of the session")
def test_a_run_is_read_without_a_job(spark, spent):
    context = spark.sparkContext
    context.setJobGroup("a run", "one simulation")
    try:
        sw.simulate(spent, [sim.element(user="a", price=3, ts=2000), sim.watermark(9999)])
        jobs = context.statusTracker().getJobIdsForGroup("a run")
    finally:
        context._jsc.clearJobGroup()
    assert len(jobs) == 1  # it takes the rows that PySpark has made of the elements


def test_a_run_shows_itself(spent):
    run = sw.simulate(spent, [sim.element(user="a", price=3, ts=2000), sim.watermark(9999)])
    assert "user=a window=[" in repr(run)
    assert "<table>" in run._repr_html_()


def test_windows_without_keys_are_cleaned_up_too(clicks):
    counted = sw.time_window_all(clicks, "10 seconds", time="ts").aggregate(F.count("*").alias("n"))
    run = sw.simulate(counted, [sim.element(user="a", ts=1), sim.watermark(9999)])
    (row,) = run.steps[1].main
    assert row.n == 1
    assert run.steps[1].cleared == [((), row.window)]


def test_columns_not_named_are_null_and_a_row_without_time_is_late(spent):
    run = sw.simulate(spent, [sim.element(user="a")])
    (late,) = run.steps[0].side["late"]
    assert (late.user, late.price, late.ts, late.late_reason) == ("a", None, None, "no event time")


def test_a_row_without_time_can_stop_the_run_which_names_step_row_and_remedy(clicks):
    counted = (
        sw.key_by(clicks, "user", time="ts", on_missing_time="fail")
        .time_window("10 seconds")
        .aggregate(F.count("*").alias("n"))
    )
    with pytest.raises(ValueError, match="on_missing_time") as error:
        sw.simulate(counted, [sim.element(user="a", ts=1), sim.element(user="b", price=7)])
    assert str(error.value) == (
        'step 1, element {"user":"b","price":7,"ts":null}: a row of the key [b] has no event time (null), and key_by was '
        'told on_missing_time="fail". Use "late" to have such rows in the late side output, or "drop" to '
        "count and drop them"
    )


def test_no_steps_are_a_run_too(spent):
    assert sw.simulate(spent, []).steps == ()


def test_unknown_columns_are_refused_naming_those_that_exist(spent):
    with pytest.raises(ValueError, match="element has no column prize; the columns are user, price, ts"):
        sw.simulate(spent, [sim.element(user="a", prize=3)])


def test_values_of_another_type_are_refused(spent):
    with pytest.raises(TypeError, match="element: ts must be ISO text, a datetime or an int"):
        sw.simulate(spent, [sim.element(user="a", ts=1.5)])
    with pytest.raises(ValueError, match="'yesterday evening' is no time that Spark can read"):
        sw.simulate(spent, [sim.watermark("yesterday evening")])
    with pytest.raises(TypeError, match=r"step 1 must be made by a function of spark_windowing\.sim, got 5"):
        sw.simulate(spent, [sim.watermark(1), 5])


def test_only_the_result_itself_is_simulated(spent, clicks):
    for other in (spent.where("n > 1"), sw.side_output(spent, "late"), clicks):
        with pytest.raises(ValueError, match=r"exactly as .aggregate\(..\) gave it back"):
            sw.simulate(other, [])


def test_text_without_a_zone_is_read_in_the_zone_of_the_session(spark, spent):
    spark.conf.set("spark.sql.session.timeZone", "Asia/Tokyo")
    try:
        run = sw.simulate(
            spent,
            [
                sim.element(user="a", ts="1970-01-01 09:00:02"),
                sim.watermark(9998),
                sim.watermark("1970-01-01T09:00:09.999"),
            ],
        )
    finally:
        spark.conf.set("spark.sql.session.timeZone", "UTC")
    assert [len(step.main) for step in run.steps] == [0, 0, 1]


def test_names_with_dots_and_backticks(spark):
    df = spark.createDataFrame([], "`the.user` string, `odd``name` int, ts timestamp")
    result = (
        sw.key_by(df, F.col("`the.user`").alias("user"), time="ts")
        .time_window("10 seconds")
        .aggregate(F.sum("`odd``name`").alias("n"))
    )
    run = sw.simulate(result, [sim.element({"the.user": "a", "odd`name": 4}, ts=1), sim.watermark(9999)])
    (row,) = run.steps[1].main
    assert (row.user, row.n) == ("a", 4)


def test_times_beyond_32_bits_and_row_numbers_within(spent):
    late = 4_102_444_800_000
    run = sw.simulate(spent, [sim.element(user="a", ts=late), sim.watermark(late + 9_999)])
    assert run.steps[1].main[0].n == 1


def test_processing_time_fires_processing_time_windows(spark):
    stream = spark.readStream.format("rate").load()
    result = (
        sw.key_by(stream, "value")
        .window(sw.TumblingProcessingTimeWindows.of("10 seconds"))
        .aggregate(F.count("*").alias("n"))
    )
    steps = [
        sim.processing_time(1000),
        sim.element(value=1),
        sim.processing_time(9998),
        sim.processing_time(9999),
    ]
    run = sw.simulate(result, steps)
    assert [step.processing_timers for step in run.steps] == [0, 1, 1, 0]
    assert [step.main for step in run.steps[:3]] == [[], [], []]
    (row,) = run.steps[3].main
    assert isinstance(row, Row)
    assert (row.value, row.n) == (1, 1)


def test_due_timers_of_several_keys_come_in_order_of_time_then_key(clicks):
    fired = (
        sw.key_by(clicks, "user", time="ts")
        .window(sw.TumblingEventTimeWindows.of("10 seconds"))
        .trigger(sw.ContinuousEventTimeTrigger.of("4 seconds"))
        .aggregate(F.count("*").alias("n"))
    )
    # b at 4000, 8000, 9999; a at 8000, 9999: first b's, then at each time a before b.
    steps = [sim.element(user="b", ts=1), sim.element(user="a", ts=4000), sim.watermark(20000)]
    run = sw.simulate(fired, steps)
    assert [row.user for row in run.steps[2].main] == ["b", "a", "b", "a", "b"]


def test_due_processing_timers_come_in_order_of_time_then_key(clicks):
    fired = (
        sw.key_by(clicks, "user")
        .window(sw.GlobalWindows.create())
        .trigger(sw.ContinuousProcessingTimeTrigger.of("4 seconds"))
        .aggregate(F.count("*").alias("n"))
    )
    steps = [
        sim.processing_time(0),
        sim.element(user="b"),
        sim.processing_time(1000),
        sim.element(user="a"),
        sim.processing_time(9000),
    ]
    run = sw.simulate(fired, steps)
    assert [row.user for row in run.steps[4].main] == ["a", "b", "a", "b"]
