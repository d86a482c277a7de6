"""Time to live of state, and the clock that measures it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, get_args

from spark_windowing._builders.durations import Duration, duration

if TYPE_CHECKING:
    from datetime import timedelta

Clock = Literal["event_time", "processing_time"]


def time_to_live(owner: str, ttl: Duration | None, clock: str) -> timedelta | None:
    """Check a time to live and its clock.

    Raises
    ------
    TypeError, ValueError
        If it is no duration, or there is no such clock.
    """
    if clock not in get_args(Clock):
        raise ValueError(
            f"{owner}: ttl_clock must be one of {', '.join(map(repr, get_args(Clock)))}, got {clock!r}"
        )
    return None if ttl is None else duration("ttl", ttl)
