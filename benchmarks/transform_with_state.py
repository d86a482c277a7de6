"""Session windows written by hand with `transformWithState`, in Python and in Scala, count and sum of each.

It needs RocksDB.
"""

from __future__ import annotations

import pickle
from datetime import datetime, timezone
from typing import TYPE_CHECKING, Any

from pyspark.sql import DataFrame, Row

from jvm import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql.streaming.stateful_processor import (
        ExpiredTimerInfo,
        StatefulProcessor,
        StatefulProcessorHandle,
        TimerValues,
    )

Session = tuple[int, int, int, float]  # start and end in milliseconds, count, sum
SCALA = {
    "spark.driver.extraClassPath": str(ROOT / "core-scala" / "bench" / "target" / "scala-2.13" / "classes")
}
RESULT = "key long, window struct<start: timestamp, end: timestamp>, n long, total double"


def sessions(events: DataFrame, gap: int) -> DataFrame:
    """Return the sessions of each key with a gap in milliseconds."""
    return events.groupBy("key").transformWithState(processor(gap), RESULT, "append", "eventTime")


def sessions_in_scala(events: DataFrame, gap: int) -> DataFrame:
    """Return the same by `ProcessorSessions`, in Scala; the session needs the settings `SCALA`."""
    spark = events.sparkSession
    made = spark._jvm.dev.sparkwindowing.bench.streams.ProcessorSessions.apply(events._jdf, gap)  # type: ignore[union-attr]
    return DataFrame(made, spark)


def processor(gap: int) -> StatefulProcessor:  # noqa: C901
    """Return the processor of a key: its sessions are one value, with a timer at the end of each."""
    # All that it needs is within: Python workers do not find this module. Spark 3.5 has no such processor.
    from pyspark.sql.streaming.stateful_processor import StatefulProcessor

    def merged(parts: list[Session]) -> list[Session]:
        open_: list[Session] = []
        for start, end, count, total in sorted(parts):
            if open_ and start <= open_[-1][1]:
                first, last, n, sum_ = open_[-1]
                open_[-1] = (first, max(last, end), n + count, sum_ + total)
            else:
                open_.append((start, end, count, total))
        return open_

    def moment(millis: int) -> datetime:
        return datetime.fromtimestamp(millis / 1000, tz=timezone.utc).replace(tzinfo=None)

    class Sessions(StatefulProcessor):
        def init(self, handle: StatefulProcessorHandle) -> None:
            self._handle = handle
            self._state = handle.getValueState("sessions", "open binary")

        def handleInputRows(  # noqa: N802
            self,
            key: Any,  # noqa: ARG002
            rows: Iterator[Row],
            timerValues: TimerValues,  # noqa: ARG002, N803
        ) -> Iterator[Row]:
            before = self._open()
            millis = [(round(row.ts.timestamp() * 1000), row.value) for row in rows]
            after = merged([*before, *((t, t + gap, 1, value) for t, value in millis)])
            known = {session[1] for session in before}
            for _, end, _, _ in after:
                if end not in known:
                    self._handle.registerTimer(end)
            self._state.update((pickle.dumps(after),))
            return iter(())

        def handleExpiredTimer(  # noqa: N802
            self,
            key: Any,
            timerValues: TimerValues,  # noqa: N803
            expiredTimerInfo: ExpiredTimerInfo,  # noqa: ARG002, N803
        ) -> Iterator[Row]:
            watermark = timerValues.getCurrentWatermarkInMs()
            all_ = self._open()
            kept = [session for session in all_ if session[1] > watermark]
            if kept:
                self._state.update((pickle.dumps(kept),))
            else:
                self._state.clear()
            for start, end, count, total in all_:
                if end <= watermark:
                    yield Row(
                        key=key[0],
                        window=Row(start=moment(start), end=moment(end)),
                        n=count,
                        total=total,
                    )

        def _open(self) -> list[Session]:
            return pickle.loads(self._state.get()[0]) if self._state.exists() else []  # noqa: S301

        def close(self) -> None:
            pass

    return Sessions()
