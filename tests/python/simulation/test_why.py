"""Why a row or a window is in the results, or not, in Python: which row or window, and the answer as data."""

from datetime import timedelta

import pytest
from pyspark.sql import functions as F

import spark_windowing as sw
from shared import append
from spark_windowing import sim

pytestmark = pytest.mark.spark


def at(second, price=1, user="ann"):
    return sim.element(user=user, price=price, ts=second * 1000)


@pytest.fixture
def counted(clicks):
    windows = sw.key_by(clicks, "user", time="ts").time_window("10 seconds")
    return windows.aggregate(F.count("*").alias("n"))


def test_a_late_row_by_itself_and_by_its_step(counted):
    late = at(2)
    run = sw.simulate(counted, [at(1), sim.watermark(12_000), late])
    why = sw.why(run, late)
    assert why == sw.why(run, 2)
    assert (why.time, why.watermark, why.late, why.late_by) == (2000, 12_000, "late", 10_000)
    assert [(of.state, of.firings, of.waits_for) for of in why.windows] == [("missed", (), None)]
    assert '.allowed_lateness("3 seconds") it would have taken the row' in str(why)
    assert why._repr_html_() == f"<pre>{why.text.replace(chr(34), '&quot;')}</pre>"


def test_what_an_answer_says_to_type_takes_the_row(counted, clicks):
    steps = [at(1), sim.watermark(12_000), at(2)]
    lateness = (
        str(sw.why(sw.simulate(counted, steps), 2)).partition('.allowed_lateness("')[2].partition('"')[0]
    )
    windows = sw.key_by(clicks, "user", time="ts").time_window("10 seconds").allowed_lateness(lateness)
    run = sw.simulate(windows.aggregate(F.count("*").alias("n")), steps)
    assert [row.n for row in run.steps[2].main] == [2]
    assert sw.why(run, 2).windows[0].firings == (sim.WhyFiring(2, "late", is_certain=True),)


def test_rows_of_a_micro_batch_are_told_apart(counted):
    first, second = at(1), at(11)
    run = sw.simulate(counted, [sim.batch([first, second]), sim.watermark(10_000)])
    assert [of.state for of in sw.why(run, first).windows] == ["cleared"]
    assert sw.why(run, second).windows[0].waits_for.startswith("the watermark to reach ")
    with pytest.raises(ValueError, match=r"step 0 has 2 rows: give the row as in simulate, sim.element"):
        sw.why(run, 0)
    with pytest.raises(ValueError, match="the run has no such row: 1"):
        sw.why(run, 1)
    with pytest.raises(TypeError, match=r"number of its step or a sim.element\(..\), got 'ann'"):
        sw.why(run, "ann")


def test_a_window_by_its_key_and_bounds_or_as_a_result_shows_it(counted):
    run = sw.simulate(counted, [at(1), at(2), sim.watermark(10_000)])
    shown = run.steps[2].main[0].window
    why = sw.why(run, key="ann", window=shown)
    assert why == sw.why(run, key=("ann",), window=(0, "1970-01-01T00:00:10Z"))
    assert [(of.window, of.state, of.firings) for of in why.windows] == [
        (shown, "cleared", (sim.WhyFiring(2, "on_time", is_certain=True),))
    ]
    assert [of.state for of in sw.why(run, key="bob", window=(0, 10_000)).windows] == ["none"]


def test_the_global_window_without_keys(clicks):
    windows = sw.window_all(clicks, sw.GlobalWindows.create()).trigger(sw.CountTrigger.of(2))
    run = sw.simulate(windows.aggregate(F.count("*").alias("n")), [at(1), at(2), at(3)])
    assert [(of.window, of.state, len(of.firings)) for of in sw.why(run).windows] == [(None, "open", 1)]
    assert sw.why(run, 2).windows[0].waits_for == "its trigger, CountTrigger(2)"


def test_the_row_of_a_static_table_by_its_values_and_by_conditions(clicks, counted):
    row = clicks.orderBy("ts").first()
    why = sw.why(counted, row)
    assert why == sw.why(counted, row.asDict())
    assert why == sw.why(counted, (F.col("user") == row.user) & (F.col("ts") == F.lit(row.ts)))
    assert why == sw.why(counted, f"user = '{row.user}' AND price = {row.price}")
    assert [of.firings for of in why.windows] == [(sim.WhyFiring(0, "on_time", is_certain=True),)]
    (window,) = (of.window for of in why.windows)
    assert sw.why(counted, key=row.user, window=window).windows == why.windows
    other = (window.start - timedelta(days=1), window.end)
    assert sw.why(counted, key=row.user, window=other).windows[0].state == "none"


def test_the_row_of_a_stream_in_its_checkpoint(spark, clicks, tmp_path):
    clicks.write.json(str(tmp_path / "in"))
    stream = (
        spark.readStream.schema(clicks.schema).json(str(tmp_path / "in")).withWatermark("ts", "0 seconds")
    )
    windows = sw.key_by(stream, "user").time_window("10 seconds").aggregate(F.count("*").alias("n"))
    append(windows, tmp_path)
    path = tmp_path / "checkpoint"
    why = sw.why(windows, {"user": "a", "ts": 12_000}, checkpoint=path)
    assert [of.state for of in why.windows] == ["open"]
    assert why.windows[0].waits_for.startswith("the watermark to reach ")
    assert 'with {"0_count":1}' in str(why)
    gone = sw.why(windows, sim.element(user="a", ts=1000), checkpoint=str(path), operator_id=0)
    assert [(of.state, of.waits_for) for of in gone.windows] == [("cleared", None)]
    assert [of.state for of in sw.why(windows, {"user": "c", "ts": 30_000}, checkpoint=path).windows] == [
        "unknown"
    ]
    with pytest.raises(TypeError, match=r"asked for a row of its query: sw.why\(result, row, checkpoint"):
        sw.why(windows, key="a", checkpoint=path)
    with pytest.raises(TypeError, match=r"the row of a stream is its values, .* got 3"):
        sw.why(windows, 3, checkpoint=path)
    with pytest.raises(ValueError, match="holds no complete micro-batch"):
        sw.why(windows, {"user": "a", "ts": 0}, checkpoint=tmp_path / "none")
    with pytest.raises(ValueError, match="why is asked of a static DataFrame, or of a run of simulate"):
        sw.why(windows, "user = 'a'")


def test_what_is_no_question_is_refused(counted):
    run = sw.simulate(counted, [at(1)])
    with pytest.raises(
        TypeError, match="why takes a run of simulate or the result of a static DataFrame, got 3"
    ):
        sw.why(3)
    with pytest.raises(TypeError, match="why takes a row, or the key and the window, not both"):
        sw.why(run, 0, key="ann")
    with pytest.raises(TypeError, match="window is start and end, a tuple of two times, got 3"):
        sw.why(run, key="ann", window=3)
    with pytest.raises(TypeError, match=r"the row of a DataFrame is its values, .* got 3"):
        sw.why(counted, 3)
    with pytest.raises(ValueError, match="why: no row of the input is as asked for"):
        sw.why(counted, {"user": "nobody"})
    with pytest.raises(ValueError, match="element has no column usr; the columns are user, price, ts"):
        sw.why(counted, {"usr": "ann"})
    for asked in (run, counted):
        with pytest.raises(
            ValueError, match=r"which are missing: sw.why\(.., key=.., window=\(start, end\)\)"
        ):
            sw.why(asked)
    with pytest.raises(TypeError, match="operator_id is that of a query"):
        sw.why(counted, "price = 3", operator_id=0)
    click = at(3)
    with pytest.raises(ValueError, match=r"the row came in the steps \[0, 2\]: give the number of one, 0"):
        sw.why(sw.simulate(counted, [click, sim.watermark(1000), click]), click)
    with pytest.raises(ValueError, match="the key has 1 columns, got 2 values"):
        sw.why(run, key=("ann", 3), window=(0, 10_000))
