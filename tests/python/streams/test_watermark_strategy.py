"""Watermark strategies as values: checks, equality, repr."""

import copy
import pickle
from datetime import timedelta

import pytest

import spark_windowing as sw

Strategy = sw.WatermarkStrategy

WRITTEN = [
    "WatermarkStrategy.for_monotonous_timestamps()",
    'WatermarkStrategy.for_bounded_out_of_orderness("5 seconds")',
    'WatermarkStrategy.for_bounded_out_of_orderness("0 seconds")',
    "WatermarkStrategy.for_generator('CASE WHEN last THEN ts END')",
    "WatermarkStrategy.no_watermarks()",
    "WatermarkStrategy.ingestion_time()",
    'WatermarkStrategy.no_watermarks().with_idleness("1 minute").with_max_ahead_of_clock("1 hour")',
    'WatermarkStrategy.no_watermarks().with_idleness("1 minute")',
    'WatermarkStrategy.no_watermarks().with_idleness("1 minute", bounded_by_clock=False)',
    "WatermarkStrategy.for_monotonous_timestamps().with_timestamp_assigner('to_timestamp(at)')",
]


@pytest.mark.parametrize("text", WRITTEN)
def test_strategies_read_as_they_were_written_and_back(text):
    strategy = eval(text, vars(sw).copy())
    assert repr(strategy) == text
    again = eval(text, vars(sw).copy())
    assert (again, hash(again)) == (strategy, hash(strategy))
    assert pickle.loads(pickle.dumps(strategy)) == strategy
    assert copy.copy(strategy) == strategy


def test_different_strategies_differ():
    assert len({eval(text, vars(sw).copy()) for text in WRITTEN}) == len(WRITTEN)
    assert Strategy.no_watermarks() != sw.NeverTrigger.create()


def test_durations_compare_by_length_and_functions_by_identity():
    assert Strategy.for_bounded_out_of_orderness("1 minute") == Strategy.for_bounded_out_of_orderness(
        timedelta(seconds=60)
    )

    def proved():
        raise AssertionError

    assert Strategy.for_generator(proved) == Strategy.for_generator(proved)
    assert Strategy.for_generator(proved) != Strategy.for_generator(lambda: None)
    assert repr(Strategy.for_generator(proved)) == "WatermarkStrategy.for_generator(proved)"


def test_the_calls_give_new_values():
    base = Strategy.no_watermarks()
    base.with_idleness("1 minute")
    assert repr(base) == "WatermarkStrategy.no_watermarks()"


@pytest.mark.parametrize(
    ("make", "error", "text"),
    [
        (
            lambda: Strategy.for_bounded_out_of_orderness("-5 seconds"),
            ValueError,
            "out-of-orderness must not be",
        ),
        (lambda: Strategy.for_bounded_out_of_orderness(5), TypeError, "out-of-orderness must be a duration"),
        (lambda: Strategy.for_generator(5), TypeError, "column must be SQL text or a function"),
        (
            lambda: Strategy.no_watermarks().with_idleness("0 s"),
            ValueError,
            "idle timeout must be positive, got 0",
        ),
        (
            lambda: Strategy.no_watermarks().with_idleness("1 s", bounded_by_clock=None),
            TypeError,
            "bounded_by_clock must be True or False, got None",
        ),
        (lambda: Strategy.no_watermarks().with_idleness(None), TypeError, "idle timeout must be a duration"),
        (
            lambda: Strategy.no_watermarks().with_max_ahead_of_clock("-1 h"),
            ValueError,
            "not be negative, got -1 h",
        ),
        (
            lambda: Strategy.no_watermarks().with_timestamp_assigner(None),
            TypeError,
            "timestamp assigner must be",
        ),
        (
            lambda: Strategy.no_watermarks().with_timestamp_assigner(7),
            TypeError,
            "timestamp assigner must be",
        ),
        (
            lambda: Strategy.ingestion_time().with_timestamp_assigner("ts"),
            ValueError,
            "ingestion time stamps rows with processing time",
        ),
    ],
)
def test_bad_arguments_are_refused_where_they_are_written(make, error, text):
    with pytest.raises(error, match=text):
        make()
