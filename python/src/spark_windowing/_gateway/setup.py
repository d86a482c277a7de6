"""Bringing the jar into a session, for those who want it before the first use."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spark_windowing._gateway.errors import SparkWindowingError
from spark_windowing._gateway.gateway import open_gateway
from spark_windowing._gateway.jar import jar_path
from spark_windowing._gateway.spark_session import active_session

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

EXTENSIONS = "dev.sparkwindowing.SparkWindowingExtensions"


def configure(builder: SparkSession.Builder) -> SparkSession.Builder:
    """Give a session the jar and the operator from its start.

    Sessions on clusters need it when the first use comes too late, as with ``spark-submit``; elsewhere the
    package attaches itself at the first use. What the builder has in ``spark.jars`` and
    ``spark.sql.extensions`` stays.

    Parameters
    ----------
    builder
        ``SparkSession.builder``, before ``getOrCreate()``.

    Returns
    -------
    SparkSession.Builder
        The same builder.

    Raises
    ------
    SparkWindowingError
        If the builder is for Spark Connect, or the package carries no jar.

    Examples
    --------
    >>> from pyspark.sql import SparkSession
    >>> spark = sw.configure(SparkSession.builder.master("local[2]")).getOrCreate()
    """
    options: dict[str, str] = builder._options
    if "spark.remote" in options:
        raise SparkWindowingError(
            "The builder is for Spark Connect: its session has no JVM in reach.",
            "leave out .remote(..)",
        )
    for name, value in (("spark.jars", jar_path()), ("spark.sql.extensions", EXTENSIONS)):
        present = [item for item in options.get(name, "").split(",") if item and item != value]
        builder = builder.config(name, ",".join([*present, value]))
    return builder


def attach(spark: SparkSession | None = None) -> None:
    """Add the bundled jar and the operator to a running session; done already, it changes nothing.

    `key_by` does it by itself. The call is of use where the work should be done, or fail, early.

    Parameters
    ----------
    spark
        The session, by default the active one.

    Raises
    ------
    SparkWindowingError
        If the session cannot be used: none, stopped, Spark Connect, another Spark or Scala, no jar, or the
        classes of another version of the jar in the JVM.

    Examples
    --------
    >>> sw.attach(spark)
    """
    open_gateway(active_session() if spark is None else spark)
