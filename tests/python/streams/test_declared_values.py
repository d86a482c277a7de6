"""Declarations as values: equal to others with the same fields, read from what they show, written as one document."""

import json
from dataclasses import replace

import pytest
from pyspark.sql import functions as F

import spark_windowing as sw
from scenarios import declared, scenarios, too_long
from spark_windowing._gateway.message import Message
from spark_windowing._streams import transform

LAMBDA = lambda a, b: a  # noqa: E731


def chains():
    """Declarations, each made anew by each call."""
    keyed = sw.keyed("user", time="ts", on_missing_time="drop")
    windows = keyed.time_window("1 hour", "15 minutes").trigger(sw.CountTrigger.of(2))
    state = sw.ColumnState.of(initial="struct(0 as n)", update="struct(state.n + 1 as n)")
    return [
        sw.keyed(),
        keyed,
        windows,
        keyed.retracts("change = 'delete'"),
        keyed.retracts("change = 'delete'").time_window("1 hour"),
        keyed.windows(hour=sw.TumblingEventTimeWindows.of("1 hour"), day=sw.CalendarWindows.days()),
        keyed.windows(day=sw.CalendarWindows.days(), hour=sw.TumblingEventTimeWindows.of("1 hour")),
        windows.evictor(sw.CountEvictor.of(1)),
        windows.allowed_lateness("90 ms"),
        windows.side_output_late_data("it's late"),
        windows.with_pane().with_row().collapse_firings().allow_state_change(),
        windows.changelog(),
        windows.changelog(before=True).allowed_lateness("1 minute"),
        windows.fill_empty(for_at_most="1 hour"),
        windows.agg({"price": "sum", "*": "count"}),
        windows.aggregate("sum(price) AS spent", "count(*) AS n"),
        windows.sum("price"),
        windows.min_by("price", first=False),
        windows.reduce("a", mergeable=True),
        windows.reduce(LAMBDA),
        windows.process(print, "n int", side_outputs={"big": "n int"}, window_state=state),
        windows.apply(print, "n int"),
        windows.aggregate("count(*) AS n", process=print, schema="n int", global_state=state),
        windows.reduce(sw.jvm("com.acme.Mine", 3)),
        keyed.process(sw.jvm("com.acme.Mine"), "n int", side_outputs={"big": "n int"}),
    ]


@pytest.mark.parametrize("number", range(len(chains())))
def test_a_declaration_is_a_value(number):
    value, same = chains()[number], chains()[number]
    assert value is not same
    assert (value, hash(value)) == (same, hash(same))
    assert [other == value for other in chains()].count(True) == 1
    assert value not in {None, "text", number}


@pytest.mark.parametrize("declared", chains(), ids=repr)
def test_a_declaration_reads_as_code_that_makes_an_equal_one(declared):
    names = {**vars(sw), "<lambda>": None}
    written = repr(declared).replace("<lambda>", "LAMBDA")
    assert eval(written, {**names, "LAMBDA": LAMBDA}) == declared


def test_functions_compare_by_identity():
    windowed = sw.keyed("user").count_window(2)
    assert windowed.reduce(lambda a, b: a) != windowed.reduce(lambda a, b: a)
    assert windowed.process(print, "n int") != windowed.process(max, "n int")


def evaluated(scenario):
    """A scenario that is declared, of parts without functions, which no code can write again."""
    refused = {"error", "engine_only"} & scenario.keys() or too_long(scenario)
    return not refused and "Delta" not in str(scenario)


@pytest.mark.parametrize(
    "scenario",
    [case for case in scenarios() if evaluated(case)],
    ids=lambda case: f"{case['file']}: {case['name']}",
)
def test_a_scenario_reads_as_code_that_makes_an_equal_one(scenario):
    windows = declared(sw.keyed("key", time="at", on_missing_time="fail"), scenario)
    assert eval(repr(windows), dict(vars(sw))) == windows
    assert hash(declared(sw.keyed("key", time="at", on_missing_time="fail"), scenario)) == hash(windows)


DOCUMENT = """
{"protocol": 2, "version": "VERSION", "ask": "result", "declaration": {
  "rows": {"frame": {"frame": 0}, "keys": [{"column": 0}, {"column": 1}], "time": {"column": 2},
           "on_missing_time": "late"},
  "windows": {
    "assigner": {"class": "dev.sparkwindowing.columns.ColumnSessionEnd", "method": "limited", "arguments": [
      {"class": "dev.sparkwindowing.assigners.EventTimeSessionWindows", "method": "withGap",
       "arguments": [{"ms": 1800000}]}, null, {"column": 3}]},
    "trigger": {"class": "dev.sparkwindowing.triggers.PurgingTrigger", "method": "of", "arguments": [
      {"class": "dev.sparkwindowing.triggers.CountTrigger", "method": "of", "arguments": [2]}]},
    "allowed_lateness": {"ms": 3600000},
    "with_pane": true},
  "compute": {"aggregate": [{"column": 4}, {"column": 5}]}}}
"""


@pytest.mark.spark
class TestWithSpark:
    def test_the_document_of_a_chain(self, clicks, monkeypatch):
        class Asked:
            def frame(self, ask, **fields):
                return Message(ask, fields)

        monkeypatch.setattr(transform, "gateway_for", lambda _: Asked())
        price = F.col("price")
        sessions = sw.EventTimeSessionWindows.with_gap("30 minutes", ends_at="price > 8")
        counts = (
            sw.keyed("user", price, time="ts")
            .window(sessions)
            .with_pane()
            .trigger(sw.PurgingTrigger.of(sw.CountTrigger.of(2)))
            .allowed_lateness("1 hour")
            .aggregate(F.sum(price).alias("spent"), "count(*) AS n")
        )
        message = counts(clicks)
        assert json.loads(message.text) == json.loads(DOCUMENT.replace("VERSION", sw.__version__))
        assert message.frames == [clicks]
        assert message.columns[1] is price
        assert len(message.columns) == 6

    def test_a_declaration_of_a_dataframe_is_a_value(self, clicks):
        windows = sw.key_by(clicks, "user", time="ts").time_window("1 minute").with_pane()
        assert eval(repr(windows), {"key_by": sw.key_by, "df": clicks}) == windows
        assert windows != sw.key_by(clicks.limit(2), "user", time="ts").time_window("1 minute").with_pane()
        assert windows != sw.key_by(clicks, F.col("user"), time="ts").time_window("1 minute").with_pane()
        assert len({windows, replace(windows), windows.with_pane()}) == 1

    def test_keyed_is_the_same_without_the_dataframe(self, clicks):
        ours = sw.keyed("user", time="ts").time_window("1 minute").with_pane()
        theirs = sw.key_by(clicks, "user", time="ts").time_window("1 minute").with_pane()
        assert ours != theirs
        assert ours == replace(theirs, _rows=replace(theirs._rows, frame=None))

    def test_declarations_of_several_inputs_are_values(self, clicks):
        keyed = sw.key_by(clicks, "user", time="ts")
        names = {"key_by": sw.key_by, "join": sw.join, "co_group": sw.co_group, "df": clicks, **vars(sw)}
        for value in (
            sw.join(keyed, keyed),
            sw.join(keyed, keyed, names=("x", "y")).window(sw.TumblingEventTimeWindows.of("1 minute")),
            sw.co_group(x=keyed, y=keyed).count_window(2),
        ):
            assert eval(repr(value), names) == value

    def test_functions_of_a_declaration_are_called_once(self, clicks):
        called = []

        def keep(element, position, count, newest):
            called.append("keep")
            return element.price > 3

        def on_element(element):
            called.append("on_element")
            return sw.Answer(fire=element.price > 3)

        windows = (
            sw.key_by(clicks, "user", time="ts")
            .time_window("10 seconds")
            .evictor(sw.ColumnEvictor.keep(keep))
            .trigger(sw.ColumnTrigger.of(on_element=on_element))
            .with_pane()
            .allowed_lateness("1 second")
        )
        windows.aggregate(F.count("*").alias("n"))
        windows.aggregate(F.sum("price").alias("n"))
        assert sorted(called) == ["keep", "on_element"]
