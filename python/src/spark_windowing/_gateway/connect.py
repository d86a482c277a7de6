"""Calls of Scala on a server of Spark Connect, recorded here and made there."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from spark_windowing._gateway.connect_way import Way, add_windows, server_errors, way_to_server
from spark_windowing._gateway.errors import scala_errors
from spark_windowing._gateway.gateway import Gateway
from spark_windowing._gateway.recorded import SESSION, Call, OneColumn, Rows, Tagged

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pyspark.sql import Column, DataFrame, SparkSession
    from pyspark.sql.types import StructType

# The ways of sessions whose server has been asked.
_ways: dict[str, Way] = {}


@dataclass(frozen=True)
class ConnectGateway(Gateway):
    """Gateway that records calls; `frame` and `value` send them to the server of the session.

    Attributes
    ----------
    way
        The way of messages to the server.
    """

    way: Way

    def call(self, receiver: Any, method: str, *args: object) -> Any:
        """Record a call of a Scala method."""
        return Call(receiver, method, args)

    def frame(self, java: Any) -> DataFrame:
        """Make a DataFrame and have the server analyze it: a refusal of Scala is a ValueError here."""
        frame = self._frame(java)
        with server_errors(self.spark), scala_errors():
            _ = frame.schema
        return frame

    def value(self, java: Any) -> Any:
        """Have the server make the calls; return the text, the number or the list that comes out."""
        with server_errors(self.spark), scala_errors():
            rows = self._frame(java).collect()
        return json.loads(rows[0][0])

    def schema(self, java: Any) -> StructType:
        """Have the server make the calls; return the schema that comes out."""
        from pyspark.sql.types import StructType

        return StructType.fromJson(self.value(java))

    def rows(self, df: DataFrame) -> Any:
        """Return what stands for a DataFrame."""
        return Rows(df)

    def session(self) -> Any:
        """Return what stands for the caller's session."""
        return SESSION

    def java_list(self, values: Iterable[object]) -> Any:
        """Return what stands for a Java list."""
        return list(values)

    def java_schema(self, schema: StructType | str) -> Any:
        """Return what stands for a schema; have the server read a text."""
        if isinstance(schema, str):
            return Tagged("schema", self.value(Tagged("ddl", schema)))
        return Tagged("schema", schema.jsonValue())

    def _duration(self, milliseconds: int) -> Any:
        return Tagged("ms", milliseconds)

    def _column(self, column: Column) -> Any:
        return OneColumn(column)

    def _frame(self, java: Any) -> DataFrame:
        from spark_windowing._gateway.connect_plan import connect_frame

        return connect_frame(java, self.spark, self.way)


def open_connect(spark: SparkSession) -> ConnectGateway:
    """Open the gateway of a Spark Connect session, and choose the way to its server once.

    Raises
    ------
    SparkWindowingError
        If the server has no windows and cannot get them, has those of another version, or does not answer.
    """
    session = str(spark.session_id)  # type: ignore[attr-defined]
    if session not in _ways:
        version = Call(None, "sparkLine", ())
        _ways[session] = way_to_server(
            spark,
            lambda way: ConnectGateway(spark, None, way)._frame(version).collect(),
            lambda: add_windows(spark),
        )
    return ConnectGateway(spark, None, _ways[session])
