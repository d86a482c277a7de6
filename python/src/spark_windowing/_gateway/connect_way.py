"""The ways of a message to a server of Spark Connect, and the choice between them."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING

from spark_windowing._gateway.compatibility import line_of
from spark_windowing._gateway.connect_refusals import (
    is_gone,
    old_connect,
    refuse_known,
    refuse_unknown,
    server_errors,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyspark.sql import SparkSession


class Way(Enum):
    """Part of the server that gets a message."""

    PLUGIN = "plugin"
    """The plugin, which the server has from its start."""

    FUNCTION = "artifacts"
    """A table function of the session, from the jar that the client added to it."""


def way_to_server(spark: SparkSession, ask: Callable[[Way], object], add: Callable[[], object]) -> Way:
    """Choose the plugin if the server has it, else the jar of this package, added to the session.

    Parameters
    ----------
    spark
        The session of the client.
    ask
        Sends a message with no more than one call.
    add
        Adds the jar to the session.

    Raises
    ------
    SparkWindowingError
        If neither works; also for Spark 3.5, another version of this package, and serverless Databricks.
    """
    with server_errors(spark):
        version = spark.version
    if line_of(version).first < (4, 0):
        raise old_connect(f"This is a Spark Connect server of Spark {version}")
    with server_errors(spark):
        if (without_plugin := _failure(lambda: ask(Way.PLUGIN))) is None:
            return Way.PLUGIN
        refuse_known(spark, version, without_plugin)
        # A session that another process of the client uses too may have the function already.
        if _failure(lambda: ask(Way.FUNCTION)) is None:
            return Way.FUNCTION
        failure = _failure(add) or _failure(lambda: ask(Way.FUNCTION))
        if failure is None:
            return Way.FUNCTION
    refuse_known(spark, version, failure)
    raise refuse_unknown(version, failure)


def _failure(work: Callable[[], object]) -> str | None:
    """Return the text of the error, None if there is none; an error of an ended server passes."""
    try:
        work()
    except Exception as error:
        if is_gone(error):
            raise
        return str(error) or type(error).__name__
    return None
