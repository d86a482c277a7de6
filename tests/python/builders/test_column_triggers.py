"""Triggers that are written as columns, with a state and timers of their own."""

import pytest
from pyspark.sql import functions as F

import spark_windowing as sw
from both_sessions import ended
from spark_windowing import sim

pytestmark = pytest.mark.spark

MINUTE = 60_000
TEN = "interval 10 minutes"
NEXT_MINUTE = "date_trunc('minute', processing_time) + interval 1 minute"


@pytest.fixture
def events(spark):
    stream = spark.readStream.format("rate").load().withWatermark("timestamp", "10 seconds")
    return stream.select(F.lit("a").alias("id"), F.col("value").cast("int"), F.col("timestamp").alias("ts"))


def row(value, second=0, key="a"):
    return sim.element(id=key, value=value, ts=second * 1000)


def clock(minute):
    return sim.processing_time(int(minute * MINUTE))


def played(windows, trigger, steps):
    """The values that each step put out, and the timers of both clocks that were left at the end."""
    run = sw.simulate(windows.trigger(trigger).aggregate(F.collect_list("value").alias("values")), steps)
    values = [[list(fired.values) for fired in step.main] for step in run.steps]
    return values, (run.steps[-1].event_timers, run.steps[-1].processing_timers)


@pytest.fixture
def all_of_a_key(events):
    return sw.key_by(events, "id").window(sw.GlobalWindows.create())


def test_fire_when_a_row_says_so_or_every_minute(all_of_a_key):
    trigger = sw.ColumnTrigger.of(
        on_element=sw.Answer(fire="element.value > 100", processing_timer=NEXT_MINUTE),
        on_processing_time=sw.Answer(fire=True),
    )
    steps = [clock(0.2), row(1), row(200), row(3), clock(1), clock(2), row(4), clock(3.5)]
    expected = [[], [], [[1, 200]], [], [[1, 200, 3]], [], [], [[1, 200, 3, 4]]]
    assert played(all_of_a_key, trigger, steps) == (expected, (0, 0))


def silent_as_text():
    return sw.ColumnTrigger.of(
        state="struct(null as due)",
        on_element=sw.Answer(
            state=f"struct(processing_time + {TEN} as due)",
            processing_timer=f"processing_time + {TEN}",
            delete_processing_timer="state.due",
        ),
        on_processing_time=sw.Answer(
            fire=True, state=f"struct(time + {TEN} as due)", processing_timer=f"time + {TEN}"
        ),
    )


def silent_as_functions():
    def due(since):
        return since + F.expr(TEN)

    return sw.ColumnTrigger.of(
        state=lambda: F.struct(F.lit(None).alias("due")),
        on_element=lambda state, processing_time: sw.Answer(
            state=F.struct(due(processing_time).alias("due")),
            processing_timer=due(processing_time),
            delete_processing_timer=state["due"],
        ),
        on_processing_time=lambda time: sw.Answer(
            fire=True, state=F.struct(due(time).alias("due")), processing_timer=due(time)
        ),
    )


@pytest.mark.parametrize("silent", [silent_as_text, silent_as_functions])
def test_fire_again_every_ten_minutes_while_the_device_is_silent(all_of_a_key, silent):
    steps = [
        clock(0),
        row(1),
        clock(5),
        row(2),
        clock(11),
        clock(15),
        sim.snapshot_restore(),
        clock(25),
        clock(27),
    ]
    steps += [row(3), clock(36), clock(37)]
    values, timers = played(all_of_a_key, silent(), steps)
    told = [i for i, step in enumerate(values) if step]
    assert ([values[i] for i in told], told) == ([[[1, 2]], [[1, 2]], [[1, 2, 3]]], [5, 7, 11])
    assert timers == (0, 1)


def test_a_state_is_remembered_until_the_clean_up_and_then_gone_with_all_timers(events):
    # Fires once the values make ten, by timers of event time at each full second, and starts anew.
    trigger = sw.ColumnTrigger.of(
        state="struct(0 as total, false as full)",
        on_element=sw.Answer(
            state="struct(state.total + element.value as total, state.total + element.value >= 10 as full)",
            event_timer="date_trunc('second', timestamp) + interval 1 second",
            processing_timer="processing_time + interval 1 hour",
        ),
        on_event_time=sw.Answer(
            fire="state.full and not is_last",
            purge="state.full",
            state="if(state.full, struct(0 as total, false as full), state)",
        ),
        on_processing_time=sw.Answer(fire=False),
    )
    minutes = sw.key_by(events, "id").time_window("1 minute")
    steps = [clock(0), row(6, 1), sim.watermark(2000), row(6, 2), sim.watermark(3000), row(1, 4), row(7, 70)]
    values, timers = played(minutes, trigger, [*steps, sim.watermark(59_999)])
    assert values == [[], [], [], [], [[6, 6]], [], [], []]
    assert timers == (2, 1)  # those of the second minute: its full second, its end, the hour


def test_several_timers_at_once_and_what_all_answers_know(events):
    facts = "concat_ws(' ', cast(window.start as long), cast(window.end as long), cast(watermark as long))"
    trigger = sw.ColumnTrigger.of(
        state="struct('' as seen)",
        on_element=lambda element, timestamp, window: sw.Answer(
            event_timer=F.array(timestamp, window["last"] - F.expr("interval 20 seconds"), F.lit(None)),
            fire=element["value"] == 99,
        ),
        on_event_time=sw.Answer(fire=f"{facts} in ('0 60 5', '0 60 39')"),
    )
    minutes = sw.key_by(events, "id").time_window("1 minute")
    steps = [row(1, 5), sim.watermark(5000), sim.watermark(39_998), sim.watermark(39_999), row(99, 50)]
    values, _ = played(minutes, trigger, steps)
    assert values == [[], [[1]], [], [[1]], [[1, 99]]]


def test_sessions_merge_states_and_timers(events):
    # Fires when the first due time of the sessions that joined has come.
    trigger = sw.ColumnTrigger.of(
        state="struct(0 as n, null as due)",
        on_element=sw.Answer(
            state="struct(state.n + 1 as n, coalesce(state.due, processing_time + interval 1 minute) as due)",
            processing_timer="coalesce(state.due, processing_time + interval 1 minute)",
        ),
        on_processing_time=sw.Answer(fire="state.n > 2"),
        on_merge=lambda states: sw.Answer(
            state=F.struct(
                F.aggregate(states["n"], F.lit(0), lambda total, n: total + n).alias("n"),
                F.array_min(states["due"]).alias("due"),
            ),
            processing_timer=F.array_min(states["due"]),
        ),
    )
    sessions = sw.key_by(events, "id").window(sw.EventTimeSessionWindows.with_gap("10 seconds"))
    steps = [clock(0), row(1, 0), clock(0.5), row(2, 15), row(3, 8), clock(1), clock(1.5)]
    values, timers = played(sessions, trigger, steps)
    assert (values[-2:], timers) == ([[[1, 2, 3]], []], (1, 0))
    with pytest.raises(
        ValueError, match=r"its windows merge and the trigger cannot.* a ColumnTrigger on_merge"
    ):
        ended(sessions.trigger(sw.ColumnTrigger.of(on_element=sw.Answer(fire=True))))


def test_inside_other_triggers_each_has_its_own_timers(events):
    trigger = sw.AnyTrigger.of(
        sw.EventTimeTrigger.create(),
        sw.ColumnTrigger.of(
            state="struct(0 as n)",
            on_element=sw.Answer(
                state="struct(state.n + 1 as n)", fire="state.n % 2 = 1", event_timer="window.last"
            ),
            on_event_time=sw.Answer(fire=False),
        ),
        sw.CountTrigger.of(100),
    )
    minutes = sw.key_by(events, "id").time_window("1 minute")
    values, timers = played(
        minutes, sw.PurgingTrigger.of(trigger), [*map(row, (1, 2, 3)), sim.watermark(59_999)]
    )
    assert (values, timers) == ([[], [[1, 2]], [], [[3]]], (0, 0))


def test_a_firing_of_another_part_forgets_the_state_and_keeps_the_end_of_the_window(events):
    every_third = sw.ColumnTrigger.of(
        state="struct(0 as n)",
        on_element=sw.Answer(
            state="struct(state.n + 1 as n)",
            fire="state.n = 2",
            event_timer="CASE WHEN state.n = 0 THEN window.last END",
        ),
        on_event_time=sw.Answer(fire="time = window.last"),
    )
    trigger = sw.AnyTrigger.of(every_third, sw.ColumnTrigger.when("value = 7"))
    minutes = sw.key_by(events, "id").time_window("1 minute").allowed_lateness("1 minute")
    steps = [*map(row, (1, 7, 3, 4, 5, 7)), sim.watermark(59_999), row(9)]
    values, timers = played(minutes, trigger, steps)
    assert values == [
        [],
        [[1, 7]],
        [],
        [],
        [[1, 7, 3, 4, 5]],
        [[1, 7, 3, 4, 5, 7]],
        [[1, 7, 3, 4, 5, 7]],
        [],
    ]
    assert timers == (2, 0)


def test_it_shows_what_it_was_made_of_and_compares_by_that():
    def made(fire):
        return sw.ColumnTrigger.of(
            state="struct(0 as n)", on_element=sw.Answer(fire=fire, processing_timer="processing_time")
        )

    assert repr(made("true")) == (
        "ColumnTrigger.of(state='struct(0 as n)', on_element=Answer(fire='true', processing_timer='processing_time'))"
    )
    assert made("true") == made("true")
    assert len({made("true"), made("true"), made("false")}) == 2
    assert isinstance(made("true"), sw.ColumnTrigger)


@pytest.mark.parametrize(
    ("make", "error", "says"),
    [
        (lambda: sw.Answer(fire=1), TypeError, "Answer: fire must be SQL text or a Column, got 1"),
        (
            lambda: sw.Answer(processing_timer=True),
            TypeError,
            "Answer: processing_timer must be SQL text or a Column",
        ),
        (sw.ColumnTrigger.of, ValueError, "ColumnTrigger.of has no answer"),
        (
            lambda: sw.ColumnTrigger.of(on_element="x"),
            TypeError,
            "on_element must be an Answer or a function",
        ),
        (
            lambda: sw.ColumnTrigger.of(on_event_time=lambda element: sw.Answer()),
            TypeError,
            "on_event_time takes columns by their names, any of state, time, is_last, .*, got element",
        ),
    ],
)
def test_bad_values_are_refused_where_they_are_made(make, error, says):
    with pytest.raises(error, match=says):
        make()


@pytest.mark.parametrize(
    ("answers", "error", "says"),
    [
        ({"on_element": lambda: True}, TypeError, "on_element must return an Answer, .* got True"),
        (
            {"on_element": sw.Answer(fire="element.value")},
            ValueError,
            "fire of on_element must be BOOLEAN, got INT",
        ),
        (
            {
                "on_element": sw.Answer(processing_timer="element.value"),
                "on_processing_time": sw.Answer(fire=True),
            },
            ValueError,
            "processing_timer of on_element must be a TIMESTAMP or an array of them, got INT",
        ),
        (
            {"on_element": sw.Answer(event_timer="timestamp"), "on_processing_time": sw.Answer(fire=True)},
            ValueError,
            "on_element gives event_timer, and nothing is done when it fires",
        ),
        (
            {
                "state": "struct(0 as n)",
                "on_element": sw.Answer(fire=True),
                "on_merge": sw.Answer(state="struct(0 as n)", processing_timer="processing_time"),
            },
            ValueError,
            "on_merge gives processing_timer, and nothing is done when it fires",
        ),
        ({"on_element": sw.Answer(state="struct(1 as n)")}, ValueError, "the trigger has none to begin with"),
        ({"on_element": sw.Answer(fire="state.n > 1")}, ValueError, "fire of on_element knows no column"),
        (
            {
                "state": "struct(0 as n)",
                "on_element": sw.Answer(state="struct(state.n + 1 as n)"),
                "on_event_time": sw.Answer(state="struct(0.5D as n)"),
            },
            ValueError,
            "state of on_event_time gives 'n' as DOUBLE, and the trigger's state has it as INT",
        ),
        (
            {"state": "struct('' as n)", "on_element": sw.Answer(state="struct(1 as n)")},
            ValueError,
            "ColumnTrigger: state gives 'n' as STRING, and what the answers give has it as INT",
        ),
        (
            {"state": "struct(0 as n)", "on_element": sw.Answer(state="struct(1 as m)")},
            ValueError,
            "got m; missing: n; too many: m",
        ),
        (
            {"state": "0", "on_element": sw.Answer()},
            ValueError,
            "ColumnTrigger: state must give a struct, got INT",
        ),
        (
            {"on_element": sw.Answer(), "on_merge": sw.Answer(fire=True)},
            ValueError,
            "on_merge cannot fire or purge",
        ),
        (
            {"state": "struct(0 as n)", "on_element": sw.Answer(), "on_merge": sw.Answer()},
            ValueError,
            "on_merge gives no state",
        ),
    ],
)
def test_answers_that_do_not_fit_are_refused_when_they_are_declared(all_of_a_key, answers, error, says):
    with pytest.raises(error, match=says):
        all_of_a_key.trigger(sw.ColumnTrigger.of(**answers)).aggregate(F.count("*").alias("n"))
