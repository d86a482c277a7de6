"""Results in Redis, where writing a result twice is writing it once.

======================  ====================================================================
key                     holds
======================  ====================================================================
``window:{start}``      a hash for each window: toll gate to number of vehicles
``windows``             a sorted set of these keys, by the start of the window in epoch ms
``not_counted``         a hash of what no window took: partition:offset to JSON, why and what
======================  ====================================================================
"""

from __future__ import annotations

import json
import time
from itertools import islice
from typing import TYPE_CHECKING

import redis
from pyspark.sql import functions as F
from redis.backoff import NoBackoff
from redis.retry import Retry

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pyspark.sql import DataFrame, Row

SECONDS_BETWEEN_ATTEMPTS = 0.2


class RedisSink:
    """Writes each micro-batch before it returns, and keeps nothing for the next one.

    A result replaces what stood under its gate and window, so a micro-batch may be written any number of
    times: after a lost connection, and when a query starts again from its checkpoint.

    Parameters
    ----------
    client
        The client of the server. `connect` makes one that leaves the attempts to the sink.
    commands
        At most as many commands go into a pipeline, which is one round trip.
    patience
        Seconds in which a server that is gone must come back; else its error stops the query.
    """

    def __init__(self, client: redis.Redis, *, commands: int = 1000, patience: float = 30) -> None:
        if commands < 1:
            raise ValueError(f"commands must be positive, got {commands}")
        self._client, self._commands, self._patience = client, commands, patience

    def write_counts(self, results: DataFrame, _batch: int) -> None:
        """Write the main rows: of several firings of a window in this micro-batch the last."""
        start = F.unix_millis("window.start").alias("start")
        last = F.max_by("vehicles", "pane.number").alias("vehicles")
        self._send(_counts(results.groupBy("tollgateID", start).agg(last).toLocalIterator()))

    def write_not_counted(self, late: DataFrame, _batch: int) -> None:
        """Write the rows of the side output, each under its place in Kafka."""
        start = F.unix_millis("missed_window.start").alias("start")
        self._send(_not_counted(late.select("*", start).toLocalIterator()))

    def _send(self, commands: Iterator[tuple]) -> None:
        while pipeline := list(islice(commands, self._commands)):
            deadline = time.monotonic() + self._patience
            while not self._sent(pipeline, deadline):
                time.sleep(SECONDS_BETWEEN_ATTEMPTS)

    def _sent(self, commands: list[tuple], deadline: float) -> bool:
        pipeline = self._client.pipeline(transaction=False)
        for command in commands:
            pipeline.execute_command(*command)
        try:
            pipeline.execute()
        except (redis.ConnectionError, redis.TimeoutError):  # also while the server still loads its data
            if time.monotonic() > deadline:
                raise
            return False
        return True


def connect(url: str) -> redis.Redis:
    """Return a client for ``redis://host:port`` that says at once when the server is gone."""
    return redis.Redis.from_url(url, decode_responses=True, socket_timeout=10, retry=Retry(NoBackoff(), 0))


def _counts(rows: Iterable[Row]) -> Iterator[tuple]:
    for row in rows:
        window = f"window:{row.start}"
        yield "HSET", window, row.tollgateID, row.vehicles
        yield "ZADD", "windows", row.start, window


def _not_counted(rows: Iterable[Row]) -> Iterator[tuple]:
    for row in rows:
        why = {
            "reason": row.late_reason,
            "tollgateID": row.tollgateID,
            "window": row.start,
            "message": row.message,
        }
        yield "HSET", "not_counted", f"{row.partition}:{row.offset}", json.dumps(why)
