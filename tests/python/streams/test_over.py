"""Over windows from Python: functions, panes, the row, and what is refused."""

import pandas as pd
import pytest
from pyspark.sql import Window
from pyspark.sql import functions as F

import spark_windowing as sw
from both_sessions import ended
from spark_windowing import sim

pytestmark = pytest.mark.spark

TEN = sw.OverEventTimeWindows.preceding("10 seconds")


@pytest.fixture(scope="module")
def events(spark):
    rows = [(key, (7 * i) % 50, f"2026-01-01 00:00:{(i * 13) % 60:02d}") for i in range(60) for key in "ab"]
    frame = spark.createDataFrame(rows, "key string, value int, at string")
    return frame.select("key", "value", F.to_timestamp("at").alias("ts"))


def over(events, windows=TEN):
    return sw.key_by(events, "key", time="ts").window(windows)


def shown(result):
    return sorted((row.key, row.row.value, row.total) for row in result.collect())


def test_a_python_function_gets_what_spark_finds_in_its_range(events):
    def total(key, context, rows):
        assert list(rows.ts) == sorted(rows.ts)
        assert context.pane["timing"] == "on_time"
        return pd.DataFrame({"total": [int(rows.value.sum())]})

    windows = over(events).with_pane().with_row()
    bounds = Window.partitionBy("key").orderBy(F.col("ts").cast("long")).rangeBetween(-10, 0)
    found = events.select("key", "value", F.sum("value").over(bounds).alias("total"))
    assert shown(windows.process(total, "total long")) == sorted(map(tuple, found.collect()))


def test_an_aggregate_before_a_python_function(events):
    def doubled(key, context, sums):
        return pd.DataFrame({"total": 2 * sums.total})

    summed = over(events).with_row().aggregate(F.sum("value").alias("total"))
    twice = (
        over(events).with_row().aggregate(F.sum("value").alias("total"), process=doubled, schema="total long")
    )
    assert shown(twice) == [(key, value, 2 * total) for key, value, total in shown(summed)]


def test_functions_of_all_kinds_give_the_sum(events):
    expected = shown(over(events).with_row().aggregate(F.sum("value").alias("total")))
    for mergeable in (False, True):
        function = sw.AggregateFunction(
            create_accumulator=F.struct(F.lit(0).cast("long").alias("s")),
            add=lambda acc, row: F.struct((acc.s + row.value).alias("s")),
            merge=lambda a, b: F.struct((a.s + b.s).alias("s")),
            get_result=lambda acc: F.struct(acc.s.alias("total")),
            mergeable=mergeable,
        )
        assert shown(over(events).with_row().aggregate(function)) == expected
    reduced = over(events).reduce(
        lambda a, b: F.struct((a.value + b.value).alias("value"), a.key.alias("key"), b.ts)
    )
    assert sorted(row.value for row in reduced.collect()) == sorted(total for _, _, total in expected)


def test_an_over_window_over_the_results_of_another(events):
    counted = over(events).with_row().aggregate(F.count("*").alias("n"))
    most = sw.key_by(counted, "key").window(TEN).aggregate(F.max("n").alias("most"))
    assert most.count() == 120
    assert most.columns == ["key", "window", "most"]


def test_state_of_the_key_counts_the_firings(events):
    def number(key, context, rows):
        return pd.DataFrame({"total": [context.global_state["n"]]})

    counted = over(events, sw.OverEventTimeWindows.preceding_rows(2)).with_row()
    state = sw.ColumnState.of("struct(0L AS n)", "struct(state.n + 1 AS n)")
    result = counted.process(number, "total long", global_state=state)
    assert sorted(row.total for row in result.where("key = 'a'").collect()) == list(range(60))


def test_simulate_shows_open_windows_and_timings(spark):
    stream = spark.readStream.format("rate").load().withWatermark("timestamp", "10 seconds")
    rows = stream.select(F.lit("a").alias("key"), F.col("timestamp").alias("ts"))
    windows = sw.key_by(rows, "key").window(TEN).allowed_lateness("5 seconds")
    steps = [
        sim.element(key="a", ts=20_000),
        sim.watermark(20_000),
        sim.element(key="a", ts=18_000),
        sim.watermark(25_000),
    ]
    run = sw.simulate(windows.aggregate(F.count("*").alias("n")), steps)
    times = [[(w.start.second, w.end.second) for _, w in step.open] for step in run.steps]
    assert times == [[(10, 20)], [(10, 20)], [(8, 18), (10, 20)], []]
    fired = [event.detail for step in run.steps for event in step.events if event.kind == "fired"]
    assert fired == ["on_time", "late", "late"]
    assert run.steps[2].event_timers == 2


def test_what_over_windows_do_not_take_is_refused(events):
    with pytest.raises(ValueError, match=r"CountTrigger.* cannot be used with OverEventTimeWindows"):
        ended(over(events).trigger(sw.CountTrigger.of(2)))
    with pytest.raises(ValueError, match=r"CountEvictor.* cannot be used with OverEventTimeWindows"):
        ended(over(events).evictor(sw.CountEvictor.of(2)))
    with pytest.raises(ValueError, match="no row of its own that with_row"):
        ended(sw.key_by(events, "key", time="ts").time_window("1 second").with_row())
    with pytest.raises(
        ValueError, match=r"window_state: the windows of OverEventTimeWindows.* change with late rows"
    ):
        over(events, sw.OverEventTimeWindows.preceding_rows(2)).process(
            lambda key, context, rows: rows,
            "value int",
            window_state=sw.ColumnState.of("struct(0L AS n)", "struct(state.n + 1 AS n)"),
        )
    with pytest.raises(ValueError, match="length or a number of rows"):
        sw.OverEventTimeWindows("1 second", 2)
    with pytest.raises(TypeError, match="rows must be a whole number"):
        sw.OverEventTimeWindows.preceding_rows(1.5)
