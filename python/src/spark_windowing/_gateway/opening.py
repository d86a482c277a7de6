"""The gateway of a session: classic, or of a server of Spark Connect."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spark_windowing._gateway.classic import open_classic
from spark_windowing._gateway.connect import open_connect
from spark_windowing._gateway.spark_session import checked, is_connect, session_of

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from spark_windowing._gateway.gateway import Gateway


def gateway_of(df: DataFrame) -> Gateway:
    """Return the gateway of a DataFrame's session."""
    return open_gateway(session_of(df))


def open_gateway(spark: SparkSession) -> Gateway:
    """Open the gateway in a session, after the checks of session, jar or server.

    Raises
    ------
    SparkWindowingError
        If the session, the jar or the server cannot be used.
    """
    spark = checked(spark)
    return open_connect(spark) if is_connect(spark) else open_classic(spark)
