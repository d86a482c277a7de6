"""Time to live of state, and the clock that measures it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from spark_windowing._builders.arguments import one_of
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
    one_of(f"{owner}: ttl_clock", clock, Clock)
    return None if ttl is None else duration("ttl", ttl)
