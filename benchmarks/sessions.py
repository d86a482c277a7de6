"""Session windows written by hand with `applyInPandasWithState`, count and sum of each."""

from __future__ import annotations

import pickle
from typing import TYPE_CHECKING, Any

import pandas as pd
from pyspark.sql.streaming.state import GroupStateTimeout

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pyspark.sql import DataFrame
    from pyspark.sql.streaming.state import GroupState

Session = tuple[int, int, int, float]  # start and end in milliseconds, count, sum
RESULT = "key long, window struct<start: timestamp, end: timestamp>, n long, total double"
STATE = "sessions binary"  # pickled: arrays cannot be read back


def by_hand(events: DataFrame, gap: int) -> DataFrame:
    """Return the sessions of each key with a gap in milliseconds."""
    keyed = events.groupBy("key")
    return keyed.applyInPandasWithState(
        function(gap), RESULT, STATE, "append", GroupStateTimeout.EventTimeTimeout
    )


def function(gap: int) -> Callable[[Any, Iterator[pd.DataFrame], GroupState], Iterator[pd.DataFrame]]:
    """Return what Spark calls for a key that has rows or whose timeout has come."""
    # All that it needs is within: Python workers do not find this module.

    def merged(parts: list[Session]) -> list[Session]:
        sessions: list[Session] = []
        for start, end, count, total in sorted(parts):
            if sessions and start <= sessions[-1][1]:
                first, last, n, sum_ = sessions[-1]
                sessions[-1] = (first, max(last, end), n + count, sum_ + total)
            else:
                sessions.append((start, end, count, total))
        return sessions

    def call(key: Any, batches: Iterator[pd.DataFrame], state: GroupState) -> Iterator[pd.DataFrame]:
        open_: list[Session] = pickle.loads(state.get[0]) if state.exists else []  # noqa: S301
        if not state.hasTimedOut:
            for rows in batches:
                millis = rows["ts"].astype("datetime64[ms]").astype("int64")
                open_ += [(t, t + gap, 1, v) for t, v in zip(millis, rows["value"], strict=True)]
        watermark = state.getCurrentWatermarkMs()
        sessions = merged(open_)
        done = [session for session in sessions if session[1] <= watermark]
        kept = [session for session in sessions if session[1] > watermark]
        if kept:
            state.update((pickle.dumps(kept),))
            state.setTimeoutTimestamp(kept[0][1] - 1)  # a timeout comes when the watermark is behind it
        elif state.exists:
            state.remove()
        if done:
            windows = [
                {"start": pd.Timestamp(s, unit="ms"), "end": pd.Timestamp(e, unit="ms")}
                for s, e, _, _ in done
            ]
            yield pd.DataFrame(
                {"key": key[0], "window": windows, "n": [s[2] for s in done], "total": [s[3] for s in done]}
            )

    return call
