"""Declarations without their DataFrame, given to DataFrame.transform."""

import copy

import pytest
from pyspark.sql import functions as F

import spark_windowing as sw
from spark_windowing import sim

TEN = sw.TumblingEventTimeWindows.of("10 seconds")


def test_a_transform_reads_as_it_was_written():
    declared = (
        sw.keyed("user", time="ts", on_missing_time="drop")
        .window(TEN)
        .trigger(sw.CountTrigger.of(2))
        .allowed_lateness("1 hour")
        .with_pane()
        .agg({"price": "sum"})
    )
    assert isinstance(declared, sw.Transform)
    assert repr(declared) == (
        "keyed('user', time='ts', on_missing_time='drop').window(TumblingEventTimeWindows.of(\"10 seconds\"))"
        ".trigger(CountTrigger.of(2)).allowed_lateness('1 hour').with_pane().agg({'price': 'sum'})"
    )
    assert repr(sw.keyed().count_window(5, slide=2)) == "keyed().count_window(5, 2)"


def test_a_step_gives_a_new_value_and_leaves_the_one_before():
    windows = sw.keyed("user", time="ts").window(TEN)
    before = repr(windows)
    late = windows.allowed_lateness("1 hour")
    assert repr(windows) == before
    assert repr(late) == f"{before}.allowed_lateness('1 hour')"
    assert copy.copy(late) == late
    with pytest.raises(AttributeError):
        late._rows = ()


def test_equal_transforms_are_one():
    counts = sw.keyed("user", time="ts").window(TEN).agg({"*": "count"})
    assert sw.keyed(["user"], time="ts").time_window("10000 ms").sum("price") != counts
    assert {counts: 1}[sw.keyed(["user"], time="ts").window(TEN).aggregate({"*": "count"})] == 1


@pytest.mark.parametrize(
    ("step", "said"),
    [
        (sw.keyed("user"), r"keyed\('user'\) says which keys, not what to compute: add windows"),
        (sw.keyed("user").window(TEN), "says which windows, not what to compute: end it in a function"),
    ],
)
def test_a_declaration_that_is_not_complete_is_no_transform(step, said):
    with pytest.raises(TypeError, match=said):
        step(None)


@pytest.mark.parametrize(
    ("step", "name", "said"),
    [
        (sw.keyed("user"), "agg", "declare a window first"),
        (sw.keyed("user"), "count", "declare a window, then aggregate"),
        (sw.keyed("user"), "countWindow", "countWindow is written count_window in Python"),
        (sw.keyed("user"), "nothing", "'KeyedStream' object has no attribute 'nothing'"),
        (sw.keyed("user").window(TEN), "count", 'write .aggregate(F.count("*")'),
        (sw.keyed("user").window(TEN), "suppress", "Kafka Streams' name for"),
        (
            sw.keyed("user").window(TEN),
            "_repr_html_",
            "'WindowedStream' object has no attribute '_repr_html_'",
        ),
    ],
)
def test_what_is_missing_leads_to_what_is_there(step, name, said):
    with pytest.raises(AttributeError) as error:
        getattr(step, name)
    assert said in str(error.value)


def test_a_step_that_is_wrong_is_refused_where_it_is_written():
    with pytest.raises(TypeError, match="window takes a window assigner such as"):
        sw.keyed("user", time="ts").window("5 minutes")
    with pytest.raises(TypeError, match="a key must be a column name or a Column, got 5"):
        sw.keyed("user", 5)
    with pytest.raises(ValueError, match="on_missing_time must be one of 'late', 'drop', 'fail', got 'no'"):
        sw.keyed("user", on_missing_time="no")


@pytest.mark.spark
class TestWithSpark:
    def test_a_transform_gives_what_key_by_gives(self, clicks):
        counts = (F.count("*").alias("n"), F.sum("price").alias("spent"))
        ours = clicks.transform(sw.keyed(["user"], time=F.col("ts")).window(TEN).aggregate(*counts))
        theirs = sw.key_by(clicks, ["user"], time=F.col("ts")).window(TEN).aggregate(*counts)
        assert sorted(ours.collect()) == sorted(theirs.collect())
        assert sorted((row.user, row.n, row.spent) for row in ours.collect()) == [
            ("a", 1, 5),
            ("a", 2, 7),
            ("b", 1, 7),
        ]

    def test_one_transform_serves_several_inputs(self, clicks):
        last = sw.keyed("user", time="ts").window(TEN).max_by("price")
        assert clicks.transform(last).count() == 3
        assert clicks.where("user = 'b'").transform(last).count() == 1

    def test_a_stream_with_late_rows(self, spark):
        rate = spark.readStream.format("rate").load()
        stream = rate.selectExpr("'a' AS user", "timestamp AS ts").withWatermark("ts", "0 seconds")
        counts = sw.keyed("user").window(TEN).side_output_late_data("late").agg("count(*) AS n")
        result = stream.transform(counts)
        steps = [sim.element(user="a", ts=1000), sim.watermark(10_000), sim.element(user="a", ts=2000)]
        run = sw.simulate(result, steps)
        assert [row.n for step in run.steps for row in step.main] == [1]
        assert len(run.steps[-1].side["late"]) == 1
        assert "late_by_ms" in sw.side_output(result, "late").columns

    def test_a_process_function_of_keys(self, clicks):
        prices = sw.keyed("user", time="ts").process(
            sw.ColumnProcess.of(on_element=lambda row: sw.Do(emit=F.struct(row.price)))
        )
        assert sorted(row.price for row in clicks.transform(prices).collect()) == [3, 4, 5, 7]

    def test_what_needs_the_rows_is_refused_by_transform(self, clicks):
        counts = sw.keyed("user", time="price").window(TEN).agg({"*": "count"})
        with pytest.raises(ValueError, match="price"):
            clicks.transform(counts)
