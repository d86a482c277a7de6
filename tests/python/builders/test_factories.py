"""Calls of factories and classes of parts: what they refuse, and the Scala call that each value stands for."""

import pickle
from dataclasses import replace
from datetime import date, datetime, timedelta, timezone

import pytest

import spark_windowing as sw

MINUTE = timedelta(minutes=1)


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
