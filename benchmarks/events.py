"""The events that all contestants see."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from jvm import Jvm

DELAY = 10_000  # milliseconds that the watermark is behind the largest time
MAIN = 4_000_000  # events of a full run


@dataclass(frozen=True)
class Events:
    """What the events follow from: `Events` in core-scala/bench says how.

    Attributes
    ----------
    count
        Number of events.
    keys
        Number of keys.
    skew
        0 for keys that are equally frequent, about 1 for Zipf's law.
    burst
        Events of one key that follow each other.
    step
        Milliseconds from one event to the next.
    disorder
        Most milliseconds that an event lies behind.
    seed
        Another seed gives other keys, delays and values.
    """

    count: int = MAIN
    keys: int = 50_000
    skew: float = 0.0
    burst: int = 5
    step: int = 10
    disorder: int = 2_000
    seed: int = 1

    def main(self) -> Events:
        """Return the events of most works."""
        return self

    def few(self) -> Events:
        """Return the first of them, for a contestant that is slow."""
        return replace(self, count=min(self.count, max(self.count // 20, 10_000)))

    def fewer_keys(self) -> Events:
        """Return as many of fewer keys, so that count windows fill."""
        return replace(self, keys=max(self.keys // 10, 1))

    def sparse(self) -> Events:
        """Return fewer of fewer keys: an element has about eleven sliding windows to itself."""
        return replace(self, count=self.count // 10, keys=max(self.keys // 10, 1))

    def dense(self) -> Events:
        """Return as many of few keys: hundreds of elements share a sliding window."""
        return replace(self, keys=max(self.keys // 500, 1), burst=1, step=1)

    def hundred_days(self) -> Events:
        """Return as many of fewer keys, over a hundred days."""
        return replace(self, keys=max(self.keys // 10, 1), step=max(100 * 86_400_000 // self.count, 1))

    def late(self) -> Events:
        """Return events of which many come behind the watermark."""
        return replace(self, count=max(self.count // 20, 20_000), keys=1_000, disorder=100_000)


@dataclass(frozen=True)
class Files:
    """Events in Parquet files: `rows` in each, which a stream reads one a micro-batch."""

    events: Events
    rows: int
    folder: Path
    last_time: int

    @property
    def cutoff(self) -> int:
        """The last watermark: the windows that end later are not compared."""
        return self.last_time - DELAY


def write(jvm: Jvm, events: Events, rows: int, folder: Path) -> Files:
    """Write the files into a folder of their own, or take those of a run before."""
    path = folder / "-".join(map(str, (*asdict(events).values(), rows)))
    answer = jvm.ask("files", events=asdict(events), rows=rows, folder=str(path))
    return Files(events, rows, path, answer["last_time"])
