"""Servers of Spark Connect that cannot be used, each refused by name with the lines to type."""

from __future__ import annotations

import re
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from spark_windowing._gateway.errors import SparkWindowingError
from spark_windowing._version import __version__

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql import SparkSession

SERVER = "org.apache.spark.sql.connect.service.SparkConnectServer"  # what start-connect-server.sh runs
PLUGIN = "dev.sparkwindowing.connect.SparkWindowingPlugin"
SETTING = "spark.connect.extensions.relation.classes"

_OTHER_VERSION = "The server has spark-windowing "
# Words of an error by which the server has ended, or was started again. They are whole words: Spark has
# conditions with names such as STDS_COMMITTED_BATCH_UNAVAILABLE.
_GONE = re.compile(
    r"\b(?:SESSION_CHANGED|SESSION_NOT_FOUND|SESSION_CLOSED|UNAVAILABLE|Connection refused|RETRIES_EXCEEDED"
    r"|NO_ACTIVE_SESSION)\b"
)


def old_connect(whose: str) -> SparkWindowingError:
    """Return the refusal of Spark Connect before Spark 4."""
    return SparkWindowingError(
        f"{whose}: its plugins differ from those of Spark 4, and spark-windowing has none for it.",
        "use Spark 4 on both sides, or a classic session: "
        'SparkSession.builder.master("local[*]").getOrCreate(), without .remote(..) and without SPARK_REMOTE',
    )


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


def start_line(version: str) -> str:
    """Return the line that starts a server with the plugin; it works with PySpark from pip too."""
    number = ".".join(version.split(".")[:2])
    jar = f'"$(python -m spark_windowing jar-path {number})"'
    return f"spark-submit --class {SERVER} --jars {jar} --conf {SETTING}={PLUGIN}"


def refuse_known(spark: SparkSession, version: str, said: str) -> None:
    """Refuse a server that works with neither a plugin nor a jar of the client.

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


def refuse_unknown(version: str, said: str) -> SparkWindowingError:
    """Return the refusal of a server without the plugin that does not take the jar of the client either."""
    return SparkWindowingError(
        "This Spark Connect server has no windows of spark-windowing: it was started without the plugin, and "
        f"it does not take the jar of this package from a client (spark.addArtifact): {_first_line(said)}",
        f"start it with both: {start_line(version)}; or allow artifacts of clients",
    )


def _first_line(text: str) -> str:
    return text.partition("\n")[0]


def is_gone(error: Exception) -> bool:
    """Tell whether an error says that the server has ended or was started again."""
    return _GONE.search(str(error)) is not None


def _host(spark: Any) -> str:
    builder = spark.client._builder
    return str(getattr(builder, "endpoint", None) or builder.host)


def _is_serverless(spark: Any) -> bool:
    """Tell serverless compute by its host, and that no cluster is named."""
    builder = spark.client._builder
    host = str(builder.host).lower()
    names = {name.lower() for name, _ in builder.metadata()}
    at_databricks = host.endswith(
        (".databricks.com", ".azuredatabricks.net", ".databricks.us", ".databricks.cn")
    )
    return at_databricks and "x-databricks-cluster-id" not in names
