"""Figures of a running query, added up from Spark's progress of each micro-batch."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

_EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)


@dataclass
class Figures:
    """Figures of the micro-batches seen.

    Attributes
    ----------
    batch
        The newest micro-batch, None before the first.
    rows
        Input rows.
    rows_per_second
        Rate of the last micro-batch with rows.
    waiting
        Whether the query has found no new rows since.
    watermark
        Spark's watermark, None before the first.
    lag
        Delay of the watermark behind the wall clock.
    open
        Open windows, None where the portable operator, which does not count them, runs the query.
    fired
        Number of firings.
    late
        Late rows, dropped or sent to the late side output.
    """

    batch: int | None = None
    rows: int = 0
    rows_per_second: float = 0.0
    waiting: bool = False
    watermark: datetime | None = None
    lag: timedelta | None = None
    open: int | None = 0
    fired: int = 0
    late: int = 0

    def add(self, progresses: Iterable[Mapping[str, Any]]) -> None:
        """Add new progress; a micro-batch already seen changes nothing."""
        for progress in progresses:
            ran = "addBatch" in progress["durationMs"]  # if not, it repeats the figures of the last one
            self.waiting = not ran
            if ran and (self.batch is None or progress["batchId"] > self.batch):
                self._add_batch(progress)
            self._look_at_time(progress)

    def _add_batch(self, progress: Mapping[str, Any]) -> None:
        self.batch = progress["batchId"]
        rows = _of_sources(progress, "numInputRows")
        self.rows += rows
        if rows:
            self.rows_per_second = _of_sources(progress, "processedRowsPerSecond")
        operators = window_metrics(progress)
        uncounted = progress["stateOperators"] and not operators
        self.open = None if uncounted else sum(metrics["openWindows"] for metrics in operators)
        counted = [*operators, *observed_metrics(progress)]
        self.fired += sum(metrics["firedPanes"] for metrics in counted)
        self.late += sum(metrics["numLateRecordsDropped"] + metrics["lateSideOutput"] for metrics in counted)

    def _look_at_time(self, progress: Mapping[str, Any]) -> None:
        watermark = moment((progress.get("eventTime") or {}).get("watermark"))  # Spark 3.5: none
        if watermark is not None and watermark > _EPOCH:  # Spark's 0 means none yet
            self.watermark = watermark
            now = moment(progress["timestamp"])
            self.lag = None if now is None else now - watermark


def _of_sources(progress: Mapping[str, Any], name: str) -> Any:
    """Return a sum over the sources, which Spark Connect does not send."""
    value = progress[name]
    return sum(source[name] for source in progress["sources"]) if value is None else value


def window_metrics(progress: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the metrics of each window operator of a query."""
    operators = (operator["customMetrics"] for operator in progress["stateOperators"])
    return [metrics for metrics in operators if "openWindows" in metrics]


def observed_metrics(progress: Mapping[str, Any]) -> list[Any]:
    """Return the counts of the portable operator; Spark 3.5 reports none for a micro-batch without rows."""
    counts = (progress.get("observedMetrics") or {}).get("spark_windowing")
    if counts is None:
        return []
    if "firedPanes" in counts:  # the names of a Row, the keys of a dict
        return [counts]
    # Spark Connect sends the row's values beside its schema.
    names = (field["name"] for field in counts["schema"]["fields"])
    return [dict(zip(names, counts["values"], strict=True))]


def moment(text: str | None) -> datetime | None:
    """Read a time of Spark's progress."""
    return None if text is None else datetime.fromisoformat(text.replace("Z", "+00:00"))
