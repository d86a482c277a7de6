"""Rows in memory as the source and the sink of a query, in micro-batches or in real-time mode."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from pyspark.sql.streaming import StreamingQuery

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from typing_extensions import Self

CLASSES = str(
    next((Path(__file__).resolve().parents[1] / "core-scala" / "real-time" / "target").glob("scala-*"))
    / "classes"
)


class RowLog:
    """A `dev.sparkwindowing.live.RowLog`: rows of a stream, each with a key, an event time and a value."""

    def __init__(self, session: SparkSession, partitions: int) -> None:
        self.jvm = session.sparkContext._jvm.dev.sparkwindowing.live
        self.log = self.jvm.RowLog.create(partitions)

    def rows(self, session: SparkSession) -> DataFrame:
        """Return the stream: key, ts, value."""
        source = session.readStream.format("dev.sparkwindowing.live.RowLogSource")
        return source.option("name", self.log.name()).load()


class Feed:
    """Adds rows to a log at a rate, within a `with`."""

    def __init__(self, log: RowLog, rate: int, keys: int, silent_from: int = -1) -> None:
        self._start = lambda: log.jvm.Feed(log.log, rate, keys, silent_from)

    def __enter__(self) -> Self:
        """Start."""
        self._feed = self._start()
        return self

    def rows(self) -> int:
        """Return the number of rows so far."""
        return int(self._feed.rows())

    def __exit__(self, *_: object) -> None:
        """Stop."""
        self._feed.close()


class Results:
    """A `dev.sparkwindowing.live.Results`: what a query has put out, and when."""

    def __init__(self, session: SparkSession) -> None:
        self._jvm = session.sparkContext._jvm
        self._results = self._jvm.dev.sparkwindowing.live.Results.create()

    def start(self, result: DataFrame, checkpoint: str, real_time: str | None) -> Any:
        """Start a query of it: in real-time mode with micro-batches of this length, or in short ones."""
        triggers = self._jvm.org.apache.spark.sql.streaming.Trigger
        writer = result._jdf.writeStream().foreach(self._results)
        writer = writer.outputMode("update" if real_time else "append")
        trigger = triggers.RealTime(real_time) if real_time else triggers.ProcessingTime(0)
        writer = writer.trigger(trigger).option("checkpointLocation", checkpoint)
        return StreamingQuery(writer.start())

    def latencies(self, start: float, end: float) -> list[float]:
        """Return milliseconds from each time in the first column to the last of its rows."""
        return list(self._results.latencies(int(start), int(end)))

    def silences(self, start: float, end: float) -> list[float]:
        """Return the longest times between two rows, in milliseconds, the longest first."""
        return list(self._results.silences(int(start), int(end)))

    def count(self) -> int:
        """Return the number of rows so far."""
        return int(self._results.size())

    def sum(self) -> int:
        """Return the sum of the first column."""
        return int(self._results.sum())

    def stop(self, query: Any) -> None:
        """Stop a query, or raise what has ended it."""
        if not query.isActive and query.exception():
            raise query.exception()
        query.stop()
