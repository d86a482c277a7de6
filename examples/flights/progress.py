"""How far streaming queries are, from the progress that Spark reports of each micro-batch."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql.streaming import StreamingQuery

SECONDS_BETWEEN_LINES = 10


def watch(queries: list[StreamingQuery]) -> None:
    """Print a line for each query now and then until all have ended; raise what stopped one."""
    for query in queries:
        while not query.awaitTermination(SECONDS_BETWEEN_LINES):
            print(*[line(running) for running in queries if running.isActive], sep="\n")
    print("All files are taken, all windows closed")
    print(*map(line, queries), sep="\n")


def line(query: StreamingQuery) -> str:
    """Return rows so far, watermark, and firings so far."""
    last = query.lastProgress
    watermark = last["eventTime"].get("watermark", "none")[:16] if last else "none"
    rows, fired = total(query, "numInputRows"), total(query, "firedPanes")
    return f"  {query.name:<19} {rows:>8,} rows   watermark {watermark:<16}   {fired:>8,} fired"


def dropped(query: StreamingQuery) -> str:
    """Return what a query without a side output left out: Spark's progress has the counts."""
    late, without_time = total(query, "numLateRecordsDropped"), total(query, "rowsWithoutEventTime")
    return f"{query.name} dropped {late:,} late rows and {without_time:,} without event time\n"


def total(query: StreamingQuery, metric: str) -> int:
    """Add up a number that each micro-batch reports: of the query, or of its window operator."""
    if metric == "numInputRows":
        return sum(progress["numInputRows"] for progress in query.recentProgress)
    operators = [
        progress["stateOperators"][0] for progress in query.recentProgress if progress["stateOperators"]
    ]
    return sum(operator["customMetrics"][metric] for operator in operators)
