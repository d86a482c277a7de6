"""Way to a server of Spark Connect, by its plugin or by the jar of this package; others are refused."""

from __future__ import annotations

import re
from contextlib import contextmanager
from enum import Enum
from typing import TYPE_CHECKING, Any

from spark_windowing._gateway.compatibility import line_of, old_connect
from spark_windowing._gateway.errors import SparkWindowingError
from spark_windowing._gateway.jar import jar_path
from spark_windowing._version import __version__

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pyspark.sql import SparkSession

PLUGIN = "dev.sparkwindowing.connect.SparkWindowingPlugin"
SETTING = "spark.connect.extensions.relation.classes"
FUNCTION = "spark_windowing_message"

_SOURCE = "dev.sparkwindowing.connect.WindowsOfSession"
_SERVER = "org.apache.spark.sql.connect.service.SparkConnectServer"  # what start-connect-server.sh runs
_OTHER_VERSION = "The server has spark-windowing "
# Words of an error by which the server has ended, or was started again. They are whole words: Spark has
# conditions with names such as STDS_COMMITTED_BATCH_UNAVAILABLE.
_GONE = re.compile(
    r"\b(?:SESSION_CHANGED|SESSION_NOT_FOUND|SESSION_CLOSED|UNAVAILABLE|Connection refused|RETRIES_EXCEEDED"
    r"|NO_ACTIVE_SESSION)\b"
)


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
        Sends a message to the server that way.
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
        _refuse_known(spark, version, without_plugin)
        # Another process of the client may have added the jar to the same session.
        if _failure(lambda: ask(Way.FUNCTION)) is None:
            return Way.FUNCTION
        failure = _failure(add) or _failure(lambda: ask(Way.FUNCTION))
        if failure is None:
            return Way.FUNCTION
    _refuse_known(spark, version, failure)
    raise _refuse_unknown(version, failure)


def add_windows(spark: SparkSession) -> None:
    """Add windows to a session of a server without plugin; other sessions of the server are not touched.

    The jar brings the table function that takes messages.
    """
    spark.addArtifact(jar_path(spark.version))
    _ = spark.read.format(_SOURCE).load().schema


@contextmanager
def server_errors(spark: SparkSession) -> Iterator[None]:
    """Raise an error with the line to type if the server has ended, or was started again."""
    try:
        yield
    except Exception as error:
        if not is_gone(error):
            raise
        url = f"sc://{_host(spark)}"
        raise SparkWindowingError(
            f"The Spark Connect server of this session, {url}, has ended or was started again: its "
            "sessions, and the queries and views in them, are gone.",
            f'start it, if it does not run; then spark = SparkSession.builder.remote("{url}").create(), and '
            "make the DataFrames again. A query resumes from its checkpoint",
        ) from error


def is_gone(error: Exception) -> bool:
    """Tell whether an error says that the server has ended or was started again."""
    return _GONE.search(str(error)) is not None


def start_line(version: str) -> str:
    """Return the line that starts a server with the plugin; it works with PySpark from pip too."""
    number = ".".join(version.split(".")[:2])
    jar = f'"$(python -m spark_windowing jar-path {number})"'
    return f"spark-submit --class {_SERVER} --jars {jar} --conf {SETTING}={PLUGIN}"


def _failure(work: Callable[[], object]) -> str | None:
    """Return the text of the error, None if there is none; raise the error of a server that has ended."""
    try:
        work()
    except Exception as error:
        if is_gone(error):
            raise
        return str(error) or type(error).__name__
    return None


def _refuse_known(spark: SparkSession, version: str, said: str) -> None:
    """Refuse a server for a reason that its answer or its host shows; others pass.

    Parameters
    ----------
    spark
        The session of the client.
    version
        The server's Spark.
    said
        The server's answer to a message.

    Raises
    ------
    SparkWindowingError
        For another version of this package, serverless compute of Databricks, a plugin that does not load.
    """
    if _OTHER_VERSION in said:
        raise SparkWindowingError(
            said[said.index(_OTHER_VERSION) :].partition("\n")[0],
            "pip install spark_windowing-<the server's version>-py3-none-any.whl; or start the server with "
            f"the jar of {__version__}: {start_line(version)}",
        )
    if _is_serverless(spark):
        raise SparkWindowingError(
            "This is serverless compute of Databricks, which takes neither a plugin of Spark Connect nor a "
            "jar, and spark-windowing needs one of them.",
            f"use a cluster of your own with {SETTING} {PLUGIN} in its Spark config and the jar among "
            "its libraries, or a classic session",
        )
    if PLUGIN in said:
        raise SparkWindowingError(
            f"The Spark Connect server cannot load {PLUGIN}: {_first_line(said)}", start_line(version)
        )


def _refuse_unknown(version: str, said: str) -> SparkWindowingError:
    """Return the refusal of a server without the plugin that does not take the jar of the client either."""
    return SparkWindowingError(
        "This Spark Connect server has no windows of spark-windowing: it was started without the plugin, and "
        f"it does not take the jar of this package from a client (spark.addArtifact): {_first_line(said)}",
        f"start it with both: {start_line(version)}; or allow artifacts of clients",
    )


def _first_line(text: str) -> str:
    return text.partition("\n")[0]


def _host(spark: Any) -> str:
    builder = spark.client._builder
    return str(getattr(builder, "endpoint", None) or builder.host)


def _is_serverless(spark: Any) -> bool:
    """Tell whether the host is one of Databricks and no cluster is named."""
    builder = spark.client._builder
    host = str(builder.host).lower()
    names = {name.lower() for name, _ in builder.metadata()}
    at_databricks = host.endswith(
        (".databricks.com", ".azuredatabricks.net", ".databricks.us", ".databricks.cn")
    )
    return at_databricks and "x-databricks-cluster-id" not in names
