"""Plain values: checks, equality, repr, and the Scala call that each stands for."""

import copy
import pickle
from dataclasses import FrozenInstanceError, replace
from datetime import date, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

import spark_windowing as sw

MINUTE = timedelta(minutes=1)

sizes = st.integers(1, 10**10).map(lambda n: timedelta(milliseconds=n))
fractions = st.floats(-0.999, 0.999)
assigners = st.one_of(
    st.builds(
        lambda kind, size, part: kind.of(
            size, offset=timedelta(milliseconds=int(part * (size / MINUTE) * 60_000))
        ),
        st.sampled_from([sw.TumblingEventTimeWindows, sw.TumblingProcessingTimeWindows]),
        sizes,
        fractions,
    ),
    st.builds(
        lambda kind, size, slide, part: kind.of(
            size, slide, timedelta(milliseconds=int(part * (slide / MINUTE) * 60_000))
        ),
        st.sampled_from([sw.SlidingEventTimeWindows, sw.SlidingProcessingTimeWindows]),
        sizes,
        sizes,
        fractions,
    ),
    st.builds(sw.EventTimeSessionWindows.with_gap, sizes),
    st.builds(sw.ProcessingTimeSessionWindows.with_gap, sizes),
    st.builds(sw.EventTimeSessionWindows.with_dynamic_gap, st.just("gap"), sizes),
    st.builds(sw.ProcessingTimeSessionWindows.with_dynamic_gap, st.just("gap"), sizes),
    st.builds(
        lambda gap, more, ends_at: sw.EventTimeSessionWindows.with_gap(gap, gap + more, ends_at),
        sizes,
        sizes,
        st.sampled_from([None, "kind = 'out'"]),
    ),
    st.builds(sw.OverEventTimeWindows.preceding, sizes),
    st.builds(sw.OverEventTimeWindows.preceding_rows, st.integers(1, 2**63 - 1)),
    st.builds(sw.GlobalWindows.create),
    st.builds(
        lambda step, steps: sw.CumulativeEventTimeWindows.of(step * steps, step), sizes, st.integers(1, 1000)
    ),
    st.builds(sw.CalendarWindows.days, st.integers(1, 9999), st.sampled_from([None, "UTC"]), st.dates()),
    st.builds(sw.CalendarWindows.weeks, first_day=st.sampled_from(["monday", "Sunday"])),
    st.builds(sw.CalendarWindows.months, st.integers(1, 9), st.integers(1, 28)),
)
counts = st.integers(-(2**63), 2**63 - 1)
triggers = st.recursive(
    st.one_of(
        st.builds(sw.EventTimeTrigger.create),
        st.builds(sw.ProcessingTimeTrigger.create),
        st.builds(sw.NeverTrigger.create),
        st.builds(sw.CountTrigger.of, counts),
    ),
    lambda nested: st.builds(sw.PurgingTrigger.of, nested),
    max_leaves=4,
)
evictors = st.builds(lambda n, after: sw.CountEvictor.of(n, do_evict_after=after), counts, st.booleans())
parts = st.one_of(assigners, triggers, evictors)

WRITTEN = [
    'TumblingEventTimeWindows.of("5 minutes")',
    'TumblingEventTimeWindows.of("1 day", offset="-8 hours")',
    'TumblingProcessingTimeWindows.of("10 seconds", offset="1 second")',
    'SlidingEventTimeWindows.of("1 minute", "30 seconds")',
    'SlidingEventTimeWindows.of("1 minute", "30 seconds", offset="1 millisecond")',
    'EventTimeSessionWindows.with_gap("90 minutes")',
    'EventTimeSessionWindows.with_gap("90 minutes", max_length="4 hours")',
    'ProcessingTimeSessionWindows.with_gap("1 minute", max_length="1 hour", ends_at=\'bye\')',
    "EventTimeSessionWindows.with_dynamic_gap('gap', ends_at='bye')",
    "ProcessingTimeSessionWindows.with_dynamic_gap('gap', max_length=\"1 day\")",
    'CumulativeEventTimeWindows.of("1 day", "1 hour")',
    'CumulativeEventTimeWindows.of("1 day", "1 hour", offset="-8 hours")',
    "CalendarWindows.days()",
    "CalendarWindows.days(7, time_zone='Europe/Berlin', starting='2024-01-31')",
    "CalendarWindows.weeks(first_day='sunday')",
    "CalendarWindows.months(2, first_day=15)",
    "CalendarWindows.quarters(time_zone='+02:00')",
    "CalendarWindows.years(starting='2024-04-01')",
    'OverEventTimeWindows.preceding("10 minutes")',
    "OverEventTimeWindows.preceding_rows(10)",
    "GlobalWindows.create()",
    "EventTimeTrigger.create()",
    "ProcessingTimeTrigger.create()",
    "NeverTrigger.create()",
    "CountTrigger.of(100)",
    "PurgingTrigger.of(PurgingTrigger.of(CountTrigger.of(2)))",
    "CountEvictor.of(100)",
    "CountEvictor.of(100, do_evict_after=True)",
]


def read(text):
    return eval(text, vars(sw).copy())


@pytest.mark.parametrize("text", WRITTEN)
def test_repr_is_what_was_written(text):
    assert repr(read(text)) == text


@given(parts)
def test_repr_evaluates_to_an_equal_value(part):
    assert read(repr(part)) == part
    assert hash(read(repr(part))) == hash(part)


@pytest.mark.parametrize("text", WRITTEN)
def test_a_declaration_with_a_part_evaluates_to_an_equal_value(text):
    part, windows = read(text), sw.keyed("key").count_window(2)
    if isinstance(part, sw.WindowAssigner):
        windows = sw.keyed("key").window(part)
    else:
        windows = windows.trigger(part) if isinstance(part, sw.Trigger) else windows.evictor(part)
    assert text in repr(windows)
    assert read(repr(windows)) == windows


@given(parts, parts)
def test_values_are_equal_when_they_read_the_same(one, other):
    assert (one == other) == (repr(one) == repr(other))


@given(parts)
def test_values_can_be_copied_and_pickled(part):
    assert copy.deepcopy(part) == part
    assert pickle.loads(pickle.dumps(part)) == part
    assert replace(part) == part


def test_a_class_of_a_jar_takes_lists_and_stays_a_value():
    part = sw.jvm("com.acme.EveryNth", [1, [2, 3]])
    assert hash(part) == hash(sw.jvm("com.acme.EveryNth", [1, [2, 3]]))
    assert part == eval(repr(part), {"jvm": sw.jvm})


@pytest.mark.parametrize(
    ("event_time", "processing_time"),
    [
        (sw.TumblingEventTimeWindows("5 s"), sw.TumblingProcessingTimeWindows("5 s")),
        (sw.SlidingEventTimeWindows("5 s", "1 s"), sw.SlidingProcessingTimeWindows("5 s", "1 s")),
        (sw.EventTimeSessionWindows("5 s"), sw.ProcessingTimeSessionWindows("5 s")),
        (
            sw.EventTimeSessionWindows.with_dynamic_gap("gap"),
            sw.ProcessingTimeSessionWindows.with_dynamic_gap("gap"),
        ),
        (sw.ContinuousEventTimeTrigger("5 s"), sw.ContinuousProcessingTimeTrigger("5 s")),
        (sw.EventTimeTrigger(), sw.ProcessingTimeTrigger()),
    ],
)
def test_the_same_arguments_by_another_clock_make_another_value(event_time, processing_time):
    assert vars(event_time) == vars(processing_time)
    assert event_time != processing_time


DIRECT = [
    ('TumblingEventTimeWindows("5 minutes")', 'TumblingEventTimeWindows.of("5 minutes")'),
    (
        'TumblingEventTimeWindows("1 day", offset="-8 hours")',
        'TumblingEventTimeWindows.of("1 day", "-8 hours")',
    ),
    ('TumblingProcessingTimeWindows("10 seconds")', 'TumblingProcessingTimeWindows.of("10 seconds")'),
    (
        'SlidingEventTimeWindows("2 minutes", "1 minute")',
        'SlidingEventTimeWindows.of("2 minutes", "1 minute")',
    ),
    ('SlidingProcessingTimeWindows("2 s", slide="1 s")', 'SlidingProcessingTimeWindows.of("2 s", "1 s")'),
    ('CumulativeEventTimeWindows("1 day", "1 hour")', 'CumulativeEventTimeWindows.of("1 day", "1 hour")'),
    ('EventTimeSessionWindows("30 minutes")', 'EventTimeSessionWindows.with_gap("30 minutes")'),
    ('ProcessingTimeSessionWindows("1 h", "4 h")', 'ProcessingTimeSessionWindows.with_gap("1 h", "4 h")'),
    ('OverEventTimeWindows("10 minutes")', 'OverEventTimeWindows.preceding("10 minutes")'),
    ('CalendarWindows("days", time_zone="UTC")', 'CalendarWindows.days(time_zone="UTC")'),
    ("GlobalWindows()", "GlobalWindows.create()"),
    ('ColumnAssigner("shifts", event_time=False)', 'ColumnAssigner.of("shifts", event_time=False)'),
    ("EventTimeTrigger()", "EventTimeTrigger.create()"),
    ("ProcessingTimeTrigger()", "ProcessingTimeTrigger.create()"),
    ("NeverTrigger()", "NeverTrigger.create()"),
    ("EndOfStreamTrigger()", "EndOfStreamTrigger.create()"),
    ("MicroBatchTrigger()", "MicroBatchTrigger.create()"),
    ("CountTrigger(5)", "CountTrigger.of(5)"),
    ('DeltaTrigger(5, "new.x - old.x")', 'DeltaTrigger.of(5, "new.x - old.x")'),
    ('ContinuousEventTimeTrigger("1 s")', 'ContinuousEventTimeTrigger.of("1 s")'),
    ('ContinuousProcessingTimeTrigger("1 s")', 'ContinuousProcessingTimeTrigger.of("1 s")'),
    (
        'ProcessingTimeoutTrigger(CountTrigger(5), "1 s")',
        'ProcessingTimeoutTrigger.of(CountTrigger.of(5), "1 s")',
    ),
    (
        'AfterWatermark(early="10 seconds", late="micro-batch")',
        'AfterWatermark.of(early="10 s", late="micro-batch")',
    ),
    ("PurgingTrigger(CountTrigger(5))", "PurgingTrigger.of(CountTrigger.of(5))"),
    ("OnceTrigger(CountTrigger(5))", "OnceTrigger.of(CountTrigger.of(5))"),
    (
        "AnyTrigger(CountTrigger(5), EventTimeTrigger())",
        "AnyTrigger.of(CountTrigger.of(5), EventTimeTrigger.create())",
    ),
    (
        "AnyTrigger(CountTrigger(5), restart_on_fire=False)",
        "AnyTrigger.of(CountTrigger.of(5), restart_on_fire=False)",
    ),
    (
        "AllTrigger(CountTrigger(5), EventTimeTrigger())",
        "AllTrigger.of(CountTrigger.of(5), EventTimeTrigger.create())",
    ),
    ("CountEvictor(3, do_evict_after=True)", "CountEvictor.of(3, do_evict_after=True)"),
    ('TimeEvictor("10 seconds")', 'TimeEvictor.of("10 seconds")'),
    ('DeltaEvictor(5, "last.x - element.x")', 'DeltaEvictor.of(5, "last.x - element.x")'),
    ('ColumnEvictor("element.price > 0")', 'ColumnEvictor.keep("element.price > 0")'),
]


@pytest.mark.parametrize(("direct", "made"), DIRECT)
def test_a_class_can_be_called_in_place_of_its_factory(direct, made):
    assert read(direct) == read(made)
    assert repr(read(direct)) == repr(read(made))
    assert replace(read(direct)) == read(made)
    assert copy.deepcopy(read(direct)) == read(made)


def test_every_assigner_trigger_and_evictor_can_be_called():
    kinds = (sw.WindowAssigner, sw.Trigger, sw.Evictor)
    parts = {name for name in sw.__all__ if isinstance(getattr(sw, name), type)}
    parts = {name for name in parts if issubclass(getattr(sw, name), kinds)}
    called = {direct.partition("(")[0] for direct, _ in DIRECT}
    # Dynamic sessions and jvm parts are made by others; ColumnTrigger has two factories.
    others = {
        "DynamicEventTimeSessionWindows",
        "DynamicProcessingTimeSessionWindows",
        "JvmPart",
        "ColumnTrigger",
    }
    assert parts - called - others == {kind.__name__ for kind in kinds}


@pytest.mark.parametrize("make", [sw.AnyTrigger, sw.AllTrigger])
def test_composed_triggers_check_a_direct_call(make):
    with pytest.raises(ValueError, match="needs at least one trigger, got none"):
        make()
    with pytest.raises(TypeError, match=r"a part of A.*Trigger must be a window trigger .* got 5"):
        make(sw.CountTrigger(2), 5)


def test_a_column_trigger_is_refused_with_its_two_factories():
    with pytest.raises(
        TypeError, match=r'write sw\.ColumnTrigger\.when\("price > 100"\), or sw\.ColumnTrigger\.of'
    ):
        sw.ColumnTrigger("price > 3")
    assert pickle.loads(pickle.dumps(sw.ColumnTrigger.when("a"))) == sw.ColumnTrigger.when("a")


def test_a_duration_is_the_same_however_it_is_written():
    assert sw.TumblingEventTimeWindows.of("5 minutes") == sw.TumblingEventTimeWindows.of(timedelta(minutes=5))
    assert sw.TumblingEventTimeWindows("300 seconds") == sw.TumblingEventTimeWindows.of("5 minutes")


@pytest.mark.parametrize("text", [text for text in WRITTEN if "create" not in text])
def test_values_do_not_change(text):
    part = read(text)
    name = next(iter(vars(part)))
    with pytest.raises(FrozenInstanceError):
        setattr(part, name, 1)
    with pytest.raises(FrozenInstanceError):
        delattr(part, name)
    with pytest.raises(FrozenInstanceError):
        part.other = 1


@pytest.mark.parametrize(
    ("make", "fragment"),
    [
        (
            lambda kind: kind.of("0 seconds"),
            "size must be positive and abs(offset) < size, got size = 0 ms",
        ),
        (lambda kind: kind.of("-1 second"), "got size = -1 s, offset = 0 ms"),
        (lambda kind: kind.of("5 seconds", "5 seconds"), "got size = 5 s, offset = 5 s"),
        (lambda kind: kind.of("5 seconds", offset="-5 seconds"), "offset = -5 s"),
        (lambda kind: kind("5 seconds", "7 seconds"), "offset = 7 s"),
        (lambda kind: replace(kind.of("5 seconds"), size=timedelta(0)), "got size = 0 ms"),
    ],
)
@pytest.mark.parametrize("kind", [sw.TumblingEventTimeWindows, sw.TumblingProcessingTimeWindows])
def test_tumbling_windows_check_their_grid(kind, make, fragment):
    with pytest.raises(ValueError) as error:
        make(kind)
    assert str(error.value).startswith(f"{kind.__name__}: size must be positive")
    assert fragment in str(error.value)


@pytest.mark.parametrize(
    "arguments",
    [
        ("0 seconds", "5 seconds"),
        ("5 seconds", "0 seconds"),
        ("5 seconds", "-1 second"),
        ("10 seconds", "5 seconds", "5 seconds"),
        ("10 seconds", "5 seconds", "-5 seconds"),
    ],
)
@pytest.mark.parametrize("make", [sw.SlidingEventTimeWindows, sw.SlidingEventTimeWindows.of])
def test_sliding_windows_check_their_grid(make, arguments):
    with pytest.raises(
        ValueError, match=r"size and slide must be positive and abs\(offset\) < slide, got size = "
    ):
        make(*arguments)


def test_calendar_windows_check_their_arguments():
    with pytest.raises(TypeError, match=r"CalendarWindows\.days: n must be a whole number, got 1\.5"):
        sw.CalendarWindows.days(1.5)
    with pytest.raises(TypeError, match=r"days: time_zone must be text such as 'Europe/Berlin', got 2"):
        sw.CalendarWindows.days(time_zone=2)
    with pytest.raises(
        TypeError, match=r"starting must be a date such as '2024-01-31' or date\(2024, 1, 31\)"
    ):
        sw.CalendarWindows.years(starting=datetime(2024, 1, 1, tzinfo=timezone.utc))
    with pytest.raises(ValueError, match=r"starting must be a date such as .*, got '1 May'"):
        sw.CalendarWindows.years(starting="1 May")
    with pytest.raises(ValueError, match="first_day is for weeks and months, got 3"):
        sw.CalendarWindows("days", first_day=3)
    with pytest.raises(ValueError, match=r"unit must be one of 'days', .*, got 'decades'"):
        sw.CalendarWindows("decades")
    assert sw.CalendarWindows("weeks") == sw.CalendarWindows.weeks(first_day="Monday")
    assert sw.CalendarWindows.days(starting="2024-01-31") == sw.CalendarWindows.days(
        starting=date(2024, 1, 31)
    )


def test_sliding_windows_may_have_gaps_and_tumbling_ones_a_negative_offset():
    assert sw.SlidingEventTimeWindows.of("1 second", "5 seconds").slide == timedelta(seconds=5)
    assert sw.TumblingEventTimeWindows.of("1 day", "-8 hours").offset == timedelta(hours=-8)


@pytest.mark.parametrize("make", [sw.EventTimeSessionWindows, sw.EventTimeSessionWindows.with_gap])
@pytest.mark.parametrize("gap", ["0 ms", "-1 min"])
def test_sessions_need_a_positive_gap(make, gap):
    with pytest.raises(ValueError, match=f"EventTimeSessionWindows: gap must be positive, got {gap}"):
        make(gap)


def test_sessions_with_limits_check_what_they_are_given():
    with pytest.raises(TypeError, match="ends_at must be SQL text or a Column, got True"):
        sw.EventTimeSessionWindows.with_gap("1 minute", ends_at=True)
    with pytest.raises(TypeError, match="max length must be a duration such as"):
        sw.ProcessingTimeSessionWindows.with_dynamic_gap("gap", max_length=5)
    with pytest.raises(ValueError, match="EventTimeSessionWindows: max length must be positive, got 0 ms"):
        sw.EventTimeSessionWindows.with_dynamic_gap("gap", max_length="0 ms")


@pytest.mark.parametrize("make", [sw.TumblingEventTimeWindows.of, sw.EventTimeSessionWindows.with_gap])
@pytest.mark.parametrize("value", [5, 5000.0, None])
def test_windows_refuse_bare_numbers(make, value):
    with pytest.raises(TypeError, match="must be a duration such as"):
        make(value)


@pytest.mark.parametrize("make", [sw.CountTrigger, sw.CountTrigger.of, sw.CountEvictor, sw.CountEvictor.of])
@pytest.mark.parametrize("value", ["5", 5.0, None, True])
def test_counts_are_whole_numbers(make, value):
    with pytest.raises(TypeError, match=r"max_count must be a whole number, got"):
        make(value)


@pytest.mark.parametrize("make", [sw.CountTrigger.of, sw.CountEvictor.of])
def test_counts_fit_into_a_long(make):
    assert make(2**63 - 1).max_count == 2**63 - 1
    with pytest.raises(ValueError, match="max_count must fit into 64 bits"):
        make(2**63)


@pytest.mark.parametrize("count", [0, -1])
def test_counts_are_not_checked_further_as_in_flink(count):
    assert sw.CountTrigger.of(count).max_count == count
    assert sw.CountEvictor.of(count).max_count == count


@pytest.mark.parametrize("make", [sw.PurgingTrigger, sw.PurgingTrigger.of])
@pytest.mark.parametrize("value", [None, 5, sw.CountTrigger, sw.CountEvictor.of(5)])
def test_purging_needs_a_trigger(make, value):
    with pytest.raises(TypeError, match="PurgingTrigger: nested must be a window trigger"):
        make(value)


def test_flags_are_keyword_only():
    with pytest.raises(TypeError):
        sw.CountEvictor.of(5, True)  # noqa: FBT003
    with pytest.raises(TypeError):
        sw.CountEvictor(5, True)  # noqa: FBT003
    with pytest.raises(TypeError, match="do_evict_after must be True or False, got 1"):
        sw.CountEvictor.of(5, do_evict_after=1)


def test_a_value_names_its_scala_factory_and_arguments():
    assert sw.EventTimeSessionWindows.with_gap("1 minute")._scala() == (
        "dev.sparkwindowing.assigners.EventTimeSessionWindows",
        "withGap",
        (MINUTE,),
    )
    assert sw.SlidingEventTimeWindows.of("2 minutes", "1 minute")._scala() == (
        "dev.sparkwindowing.assigners.SlidingEventTimeWindows",
        "of",
        (2 * MINUTE, MINUTE, timedelta(0)),
    )
    plain = sw.EventTimeSessionWindows.with_gap("1 minute")
    assert sw.EventTimeSessionWindows.with_gap("1 minute", max_length="2 minutes")._scala() == (
        "dev.sparkwindowing.columns.ColumnSessionEnd",
        "limited",
        (plain, 2 * MINUTE, None),
    )
    assert sw.CalendarWindows.weeks(2, "Sunday", starting="2024-01-31")._scala() == (
        "dev.sparkwindowing.assigners.CalendarWindows",
        "weeks",
        (2, "sunday", "session", "2024-01-31"),
    )
    assert sw.CountEvictor.of(3)._scala() == ("dev.sparkwindowing.evictors.CountEvictor", "of", (3, False))
    assert sw.NeverTrigger.create()._scala() == ("dev.sparkwindowing.triggers.NeverTrigger", "create", ())
