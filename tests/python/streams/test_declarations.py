"""Declarations as values, without a DataFrame: no JVM, only what the Python layer itself does."""

import copy
import json

import pytest

import spark_windowing as sw
from spark_windowing._gateway.message import Message
from spark_windowing._streams.windowed import WindowedStream


@pytest.fixture
def keyed():
    return sw.keyed("user")


@pytest.fixture
def windowed(keyed):
    return keyed.window(sw.EventTimeSessionWindows.with_gap("1 minute"))


def test_a_declaration_reads_as_it_was_written(windowed):
    declared = (
        windowed.trigger(sw.PurgingTrigger.of(sw.CountTrigger.of(2)))
        .evictor(sw.CountEvictor.of(5))
        .allowed_lateness("1 hour")
        .side_output_late_data("late")
    )
    assert repr(declared) == (
        "keyed('user').window(EventTimeSessionWindows.with_gap(\"1 minute\"))"
        ".trigger(PurgingTrigger.of(CountTrigger.of(2))).evictor(CountEvictor.of(5))"
        ".allowed_lateness('1 hour').side_output_late_data('late')"
    )


def windows_in_document(declared):
    return json.loads(Message("check", {"windows": declared._windows}).text)["windows"]


def part(name, method, *arguments):
    return {
        "class": f"dev.sparkwindowing.assigners.{name}",
        "method": method,
        "arguments": list(arguments),
    }


def test_the_settings_are_fields_of_the_document(windowed):
    declared = windowed.side_output_late_data("late").trigger(sw.CountTrigger.of(2))
    declared = declared.with_pane().with_row().allowed_lateness("1 hour").evictor(sw.CountEvictor.of(5))
    declared = declared.changelog(before=True).fill_empty(for_at_most="1 day")
    document = windows_in_document(declared.collapse_firings().allow_state_change())
    assert document.pop("assigner")["method"] == "withGap"
    assert document.pop("trigger")["arguments"] == [2]
    assert document.pop("evictor")["class"] == "dev.sparkwindowing.evictors.CountEvictor"
    assert document == {
        "allowed_lateness": {"ms": 3_600_000},
        "side_output_late_data": "late",
        "with_pane": True,
        "with_row": True,
        "changelog": {"before": True},
        "fill_empty": {"for_at_most": {"ms": 86_400_000}},
        "collapse_firings": True,
        "allow_state_change": True,
    }


@pytest.mark.parametrize(
    ("declare", "written", "document"),
    [
        (lambda k: k.time_window("60 s"), "time_window('1 minute')", {"time_window": [{"ms": 60_000}]}),
        (
            lambda k: k.time_window("1 minute", "30 seconds"),
            "time_window('1 minute', '30 seconds')",
            {"time_window": [{"ms": 60_000}, {"ms": 30_000}]},
        ),
        (lambda k: k.count_window(100), "count_window(100)", {"count_window": [100]}),
        (lambda k: k.count_window(100, 10), "count_window(100, 10)", {"count_window": [100, 10]}),
        (
            lambda k: k.count_window(100, 10, only_full=True),
            "count_window(100, 10, only_full=True)",
            {"count_window": [100, 10, True]},
        ),
        (lambda k: k.count_window(100, only_full=True), "count_window(100)", {"count_window": [100]}),
        (
            lambda k: k.windows(a=sw.TumblingEventTimeWindows.of("1 s"), b=sw.CalendarWindows.days()),
            'windows(a=TumblingEventTimeWindows.of("1 second"), b=CalendarWindows.days())',
            {
                "windows": [
                    ["a", part("TumblingEventTimeWindows", "of", {"ms": 1000}, {"ms": 0}, "ALIGNED")],
                    ["b", part("CalendarWindows", "days", 1, "session", "1970-01-01")],
                ]
            },
        ),
    ],
)
def test_the_short_forms(keyed, declare, written, document):
    assert repr(declare(keyed)) == f"keyed('user').{written}"
    assert windows_in_document(declare(keyed)) == {"assigner": document}


@pytest.mark.parametrize(
    ("names", "said"),
    [
        ({}, r"windows takes names with window assigners, such as minute=TumblingEventTimeWindows\.of\("),
        (
            {"a": "1 minute"},
            r"windows\(\.\., a=\.\.\) takes a window assigner such as Tumbling.*, got '1 minute'",
        ),
    ],
)
def test_windows_are_names_with_assigners(keyed, names, said):
    with pytest.raises(TypeError, match=said):
        keyed.windows(**names)


def test_every_call_returns_a_new_value(windowed):
    before = repr(windowed)
    changed = windowed.trigger(sw.CountTrigger.of(2))
    assert isinstance(changed, WindowedStream)
    assert changed is not windowed
    assert repr(windowed) == before
    with pytest.raises(AttributeError):
        windowed._windows = None


@pytest.mark.parametrize(
    "settings", [{"processingTime": "5 seconds"}, {"availableNow": True}, {"once": True}]
)
def test_a_query_trigger_is_sent_to_the_query(windowed, settings):
    with pytest.raises(TypeError) as error:
        windowed.trigger(**settings)
    (name, value), *_ = settings.items()
    assert f"write result.writeStream.trigger({name}={value!r})" in str(error.value)
    assert ".trigger(sw.CountTrigger.of(100))" in str(error.value)


@pytest.mark.parametrize("value", [None, "5 seconds", sw.CountTrigger, sw.CountEvictor.of(2)])
def test_a_trigger_must_be_one(windowed, value):
    with pytest.raises(TypeError, match="trigger must be a window trigger such as"):
        windowed.trigger(value)


@pytest.mark.parametrize("value", [None, 100, sw.CountTrigger.of(2)])
def test_an_evictor_must_be_one(windowed, value):
    with pytest.raises(TypeError, match="evictor takes an evictor such as"):
        windowed.evictor(value)


@pytest.mark.parametrize("value", [None, "5 minutes", sw.CountTrigger.of(2)])
def test_an_assigner_must_be_one(keyed, value):
    with pytest.raises(TypeError, match="window takes a window assigner such as"):
        keyed.window(value)


class Column:
    """A Column as Spark shows it."""

    def __init__(self, text):
        self.text = text

    def __repr__(self):
        return f"Column<'{self.text}'>"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "window(ts, '5 minutes', '5 minutes', '0 second')",
            ' .window(sw.TumblingEventTimeWindows.of("5 minutes"))',
        ),
        ("window(ts, 5 minutes)", ' .window(sw.TumblingEventTimeWindows.of("5 minutes"))'),
        (
            "window(ts, '1 hour', '5 minutes', '0 second')",
            ' .window(sw.SlidingEventTimeWindows.of("1 hour", "5 minutes"))',
        ),
        (
            "window(ts, 3600000000, 300000000, 0) AS w",
            ' .window(sw.SlidingEventTimeWindows.of("1 hour", "5 minutes"))',
        ),
        (
            "window(f(ts, 1), '1 day', '1 day', '16 hours')",
            ' .window(sw.TumblingEventTimeWindows.of("1 day", offset="16 hours")). The event time belongs to key_by(df, .., time="..")',
        ),
        (
            "window(ts, '1 month', '1 month', '0 second')",
            ", with its durations, .window(sw.TumblingEventTimeWindows",
        ),
        (
            "window(ts, '1 day', '1 day', '9 days')",
            ", with its durations, .window(sw.TumblingEventTimeWindows",
        ),
        ("timewindow(ts) AS window", ", with its durations, .window(sw.TumblingEventTimeWindows"),
        ("session_window(ts, '5 minutes')", ' .window(sw.EventTimeSessionWindows.with_gap("5 minutes"))'),
        ("sessionwindow(ts, pause) AS s", " .window(sw.EventTimeSessionWindows.with_dynamic_gap('pause'))"),
        ("session_window(ts, f(a, b))", ", with its durations, .window(sw.EventTimeSessionWindows.with_gap"),
    ],
)
def test_a_window_column_leads_to_an_assigner(keyed, text, said):
    with pytest.raises(TypeError) as error:
        keyed.window(Column(text))
    assert f"(..): write{said}" in str(error.value)


@pytest.mark.parametrize("text", ["ts", "window", "sum(window)", "f(window, 5)"])
def test_another_column_is_no_window(keyed, text):
    with pytest.raises(TypeError, match="window takes a window assigner such as"):
        keyed.window(Column(text))


def test_other_arguments_are_checked_where_they_are_written(keyed, windowed):
    with pytest.raises(TypeError, match="allowed lateness must be a duration"):
        windowed.allowed_lateness(60)
    with pytest.raises(TypeError, match="side_output_late_data takes a name"):
        windowed.side_output_late_data(None)
    with pytest.raises(TypeError, match="count_window: size must be a whole number"):
        keyed.count_window("100")
    with pytest.raises(TypeError, match="count_window: only_full must be True or False"):
        keyed.count_window(100, 10, only_full=1)
    with pytest.raises(TypeError, match="count_window: slide must be a whole number"):
        keyed.count_window(100, 1.5)
    with pytest.raises(TypeError, match="size must be a duration"):
        keyed.time_window(60)


def test_aggregate_needs_columns(windowed):
    with pytest.raises(ValueError, match="aggregate needs a Column"):
        windowed.aggregate()
    with pytest.raises(TypeError, match=r"aggregate takes Columns such as .* SQL text such as .* got 5"):
        windowed.aggregate(5)
    with pytest.raises(ValueError, match=r'one dict such as {"price": "sum"}, got an empty dict'):
        windowed.agg({})
    with pytest.raises(TypeError, match=r"takes a dict alone; .* got 2 arguments"):
        windowed.agg({"price": "sum"}, "count(*)")
    with pytest.raises(TypeError, match=r"or one dict such as .*, got {'price': \['sum', 'max'\]}"):
        windowed.agg({"price": ["sum", "max"]})


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("count", '.aggregate(F.count("*").alias("count"))'),
        ("sum", '.aggregate(F.sum("price").alias("sum"))'),
        ("max", '.aggregate(F.max("price").alias("max"))'),
        ("mean", '.aggregate(F.avg("price").alias("mean"))'),
    ],
)
def test_methods_of_grouped_data_lead_to_aggregate(keyed, windowed, name, line):
    if name in {"count", "mean"}:  # the others are Flink's, of a record
        with pytest.raises(AttributeError) as error:
            getattr(windowed, name)
        assert f"a WindowedStream has no {name}(): write {line}" in str(error.value)
    with pytest.raises(AttributeError) as error:
        getattr(keyed, name)
    assert f'.window(sw.TumblingEventTimeWindows.of("5 minutes")){line}' in str(error.value)


def test_aggregates_of_a_field_take_its_name(windowed):
    with pytest.raises(TypeError, match="max_by takes the name of a column, got 3"):
        windowed.max_by(3)
    with pytest.raises(TypeError, match="min_by: first must be True or False, got 'yes'"):
        windowed.min_by("price", first="yes")


def test_an_aggregate_function_stands_alone_and_shows_its_parts(windowed):
    count = sw.AggregateFunction(
        create_accumulator="struct(0 as n)",
        add="struct(acc.n + 1 as n)",
        get_result=lambda acc: acc["n"],
    )
    with pytest.raises(ValueError, match="one AggregateFunction alone, or Columns"):
        windowed.aggregate(count, count)
    shown = (
        "AggregateFunction(create_accumulator='struct(0 as n)', add='struct(acc.n + 1 as n)', "
        "get_result=<lambda>)"
    )
    assert repr(count) == shown
    other = sw.AggregateFunction(
        create_accumulator=count.create_accumulator, add=count.add, get_result=count.get_result
    )
    assert (other, hash(other)) == (count, hash(count))
    with pytest.raises(
        TypeError, match="AggregateFunction: add must be SQL text or a function of Columns, got 3"
    ):
        sw.AggregateFunction(create_accumulator="struct(0 as n)", add=3, get_result="acc.n")
    with pytest.raises(
        TypeError, match="reduce: function must be SQL text or a function of Columns, got None"
    ):
        windowed.reduce(None)


@pytest.mark.parametrize("name", ["aggregate", "agg", "trigger", "evictor", "allowed_lateness"])
def test_a_keyed_stream_asks_for_the_window_first(keyed, name):
    with pytest.raises(AttributeError, match=f"has no {name}\\(\\): declare a window first"):
        getattr(keyed, name)


@pytest.mark.parametrize("owner", ["keyed", "windowed"])
@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("allowedLateness", 'Flink\'s name for allowed_lateness: .allowed_lateness("1 hour")'),
        (
            "grace",
            'Kafka Streams\' name for allowed_lateness, which counts from the watermark: .allowed_lateness("1 hour")',
        ),
        ("FixedWindows", "Beam's name for TumblingEventTimeWindows: .window(sw.Tumbling"),
        ("groupBy", "PySpark's name for key_by: sw.key_by(df"),
    ],
)
def test_names_of_other_systems_lead_to_ours(request, owner, name, said):
    with pytest.raises(AttributeError) as error:
        getattr(request.getfixturevalue(owner), name)
    assert f"{name} is {said}" in str(error.value)


def test_a_name_in_the_spelling_of_java_leads_to_that_of_python(keyed, windowed):
    for step, name, ours in [(keyed, "countWindow", "count_window"), (windowed, "maxBy", "max_by")]:
        with pytest.raises(AttributeError, match=f"^{name} is written {ours} in Python$"):
            getattr(step, name)


def test_what_notebooks_and_copies_ask_for_is_not_there_and_is_no_hint(keyed, windowed):
    for step in (keyed, windowed):
        for name in ("_repr_html_", "_ipython_canary_method_should_not_exist_", "__deepcopy__", "_keyBy"):
            assert not hasattr(step, name)
            with pytest.raises(AttributeError, match=f"object has no attribute '{name}'"):
                getattr(step, name)
        assert not hasattr(step, "keyBy")
        assert "keyBy" not in dir(step)
        assert repr(copy.copy(step)) == repr(step)


def test_other_attributes_fail_as_ever(keyed, windowed):
    with pytest.raises(AttributeError, match="'KeyedStream' object has no attribute 'nothing'"):
        _ = keyed.nothing
    with pytest.raises(AttributeError, match="'WindowedStream' object has no attribute 'nothing'"):
        _ = windowed.nothing
