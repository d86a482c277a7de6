"""Questions to Scala on a server of Spark Connect."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from spark_windowing._gateway.connect_way import Way, add_windows, server_errors, way_to_server
from spark_windowing._gateway.errors import scala_errors
from spark_windowing._gateway.gateway import Gateway
from spark_windowing._gateway.message import Message

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

# The ways of sessions whose server has been asked.
_ways: dict[str, Way] = {}


@dataclass(frozen=True)
class ConnectGateway(Gateway):
    """Gateway that sends questions to the server of the session.

    Attributes
    ----------
    way
        The way of messages to the server.
    """

    way: Way

    def frame(self, ask: str, /, **fields: object) -> DataFrame:
        """Make a DataFrame and have the server analyze it, so that a refusal of Scala is an error here."""
        frame = self._frame(ask, fields)
        with server_errors(self.spark), scala_errors():
            _ = frame.schema
        return frame

    def value(self, ask: str, /, **fields: object) -> Any:
        """Ask for a text, a number or a list of these; None for null."""
        frame = self._frame(ask, fields)
        with server_errors(self.spark), scala_errors():
            rows = frame.collect()
        return json.loads(rows[0][0])

    def resolve(self, rows: object) -> None:
        """Leave it to `frame`: a request for each step would take its time."""

    def check(self, declaration: object) -> None:
        """Leave it to `frame`, as `resolve` does."""

    def _frame(self, ask: str, fields: dict[str, object]) -> DataFrame:
        from spark_windowing._gateway.connect_plan import connect_frame

        return connect_frame(Message(ask, fields), self.spark, self.way)


def open_connect(spark: SparkSession) -> ConnectGateway:
    """Open the gateway of a Spark Connect session, and choose the way to its server once.

    Raises
    ------
    SparkWindowingError
        If the server has no windows and cannot get them, has those of another version, or does not answer.
    """
    session = str(spark.session_id)  # type: ignore[attr-defined]
    if session not in _ways:
        _ways[session] = way_to_server(
            spark,
            lambda way: ConnectGateway(spark, way)._frame("spark_line", {}).collect(),
            lambda: add_windows(spark),
        )
    return ConnectGateway(spark, _ways[session])
